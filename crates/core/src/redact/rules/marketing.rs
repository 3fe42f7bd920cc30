//! Mail, commerce, maps, content and social platforms.

use super::super::rule::Find::{Anywhere, Given, Token};
use super::super::rule::{Family, Rule};
use super::super::shape;

const F: Family = Family::Saas;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "sendgrid-key",
        F,
        &["SG."],
        Token(r"SG\.[A-Za-z0-9_=.-]{20,24}\.[A-Za-z0-9_=.-]{39,50}|SG\.[A-Za-z0-9_=.-]{66}"),
    )
    .entropy(3.0)
    .examples(&["SG.{url:22}.{url:43}"], &["SG.x"]),
    Rule::new(
        "sendinblue-key",
        F,
        &["xkeysib-", "xsmtpsib-"],
        Token(r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b"),
    )
    .examples(&["xkeysib-{hex:64}-{an:16}"], &["xkeysib-x"]),
    Rule::new("mailgun-key", F, &["key-", "pubkey-"], Token(r"(?:pub)?key-[0-9a-f]{32}\b"))
        .entropy(3.0)
        .examples(&["key-{hex:32}"], &["key-value"]),
    Rule::new(
        "mailgun-signing-key",
        F,
        &["mailgun"],
        Given(r"mailgun", r"[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}"),
    )
    .entropy(3.0)
    .examples(&["mailgun: {hex:32}-{hex:8}-{hex:8}"], &["mailgun: on"]),
    Rule::new("mailchimp-key", F, &["-us"], Anywhere(r"\b([0-9a-f]{32}-us[0-9]{1,2})\b"))
        .entropy(3.0)
        .examples(&["{hex:32}-us12"], &["about-us2"]),
    Rule::new("postmark-token", F, &["postmark"], Given(r"postmark", r"[0-9a-f]{8}-[0-9a-f-]{27}"))
        .examples(&["POSTMARK_API_TOKEN={uuid}"], &["postmark: on"]),
    Rule::new("resend-key", F, &["re_"], Token(r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"))
        .entropy(3.5)
        .examples(&["re_{an:8}_{an:24}"], &["re_compile_pattern"]),
    Rule::new(
        "shopify-token",
        F,
        &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"],
        Token(r"shp(?:at|ca|pa|ss|ua|tka)_[A-Za-z0-9]{20,64}\b"),
    )
    .check(|token| shape::digits(token) > 0)
    .examples(&["shpat_{hex:32}", "shpss_{an:32}"], &["shpss_is_a_prefix"]),
    Rule::new("mailersend-token", F, &["mlsn."], Token(r"mlsn\.[0-9a-f]{64}\b"))
        .examples(&["mlsn.{hex:64}"], &["mlsn.x"]),
    Rule::new(
        "mapbox-token",
        F,
        &["pk.eyJ", "sk.eyJ", "tk.eyJ"],
        Token(r"[pst]k\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    )
    .examples(&["sk.eyJ{url:60}.{url:22}"], &["pk.eyJ"]),
    Rule::new("mapbox-named-token", F, &["mapbox"], Given(r"mapbox", r"pk\.[a-z0-9]{60}\.[a-z0-9]{22}"))
        .examples(&["mapbox_token=pk.{low:60}.{low:22}"], &["mapbox: on"]),
    Rule::new("facebook-page-token", F, &["EAA"], Token(r"EAA[A-Z][A-Za-z0-9]{80,}"))
        .entropy(3.0)
        .examples(&["EAAC{an:120}"], &["EAAx"]),
    Rule::new("facebook-secret", F, &["facebook"], Given(r"facebook", r"[0-9a-f]{32}"))
        .entropy(3.0)
        .examples(&["config.facebook.key = \"{hex:32}\""], &["facebook: on"]),
    Rule::new(
        "facebook-app-token",
        F,
        &["facebook"],
        Anywhere(r"(?i)facebook[^\n]{0,80}?\b([0-9]{15,16}(?:\||%7C|%)[A-Z0-9_-]{27,40})"),
    )
    .entropy(3.0)
    .examples(&["facebook {dig:16}|{url:27}"], &["facebook 1|2"]),
    Rule::new("twitter-bearer", F, &["AAAAAAAAAAAAAAAAAAAAA"], Token(r"A{20,24}[A-Za-z0-9%]{60,110}"))
        .entropy(3.0)
        .examples(&["AAAAAAAAAAAAAAAAAAAAAA{an:90}"], &["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]),
    Rule::new(
        "twitter-key",
        F,
        &["twitter"],
        Given(r"twitter", r"[0-9]{8,25}-[a-z0-9]{20,45}|[a-z0-9]{18,25}|[a-z0-9]{35,50}"),
    )
    .entropy(3.0)
    .check(shape::is_random)
    .examples(
        &["TWITTER_API_KEY = '{an:25}'", "twitter_access={dig:18}-{an:40}"],
        &["twitter: https://x.test"],
    ),
    Rule::new(
        "linkedin-key",
        F,
        &["linkedin", "linked_in", "linked-in"],
        Given(r"linked[_-]?in", r"[a-z0-9]{12}|[a-z0-9]{14}|[a-z0-9]{16}"),
    )
    .entropy(2.5)
    .check(|key| shape::digits(key) >= 2)
    .examples(&["LINKEDIN_CLIENT_ID={low:12}42"], &["linkedin: profile"]),
    Rule::new("twitch-stream-key", F, &["live_"], Token(r"live_[0-9]{6,12}_[A-Za-z0-9]{28,32}\b"))
        .entropy(3.0)
        .examples(&["live_{dig:9}_{an:30}"], &["live_view"]),
    Rule::new("twitch-token", F, &["twitch"], Given(r"twitch", r"[a-z0-9]{30}"))
        .entropy(3.0)
        .examples(&["twitch_id={low:30}"], &["twitch: on"]),
    Rule::new("salesforce-token", F, &["00D"], Token(r"00D[A-Za-z0-9]{12,15}!([A-Za-z0-9._]{80,120})"))
        .examples(&["00D{an:12}!{an:96}"], &["00D5fORGID"]),
    Rule::new("typeform-token", F, &["tfp_"], Token(r"tfp_[A-Za-z0-9_.=-]{40,64}"))
        .examples(&["tfp_{url:59}"], &["tfp_x"]),
    Rule::new("beamer-token", F, &["b_"], Token(r"b_[a-z0-9=_-]{44}(?:[^a-z0-9=_-]|$)"))
        .entropy(3.5)
        .check(|token| shape::digits(token) >= 4)
        .examples(&["b_{low:44}"], &["b_release_ota"]),
    Rule::new(
        "square-space-token",
        F,
        &["squarespace", "hubspot", "heroku"],
        Given(
            r"(?:squarespace|hubspot|heroku)",
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        ),
    )
    .examples(&["HEROKU_API_KEY={uuid}", "hubspot: {uuid}"], &["heroku: on"]),
    Rule::new(
        "hubspot-token",
        F,
        &["pat-na", "pat-eu"],
        Token(r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f-]{27}"),
    )
    .examples(&["pat-na1-{uuid}"], &["pat-na1"]),
    Rule::new("klaviyo-key", F, &["pk_"], Token(r"pk_[0-9a-f]{34}\b"))
        .examples(&["pk_{hex:34}"], &["pk_live"]),
    Rule::new(
        "mixpanel-amplitude",
        F,
        &[
            "mixpanel",
            "amplitude",
            "algolia",
            "flickr",
            "nytimes",
            "disqus",
            "giphy",
            "unsplash",
            "yelp",
            "foursquare",
        ],
        Given(
            r"(?:mixpanel|amplitude|algolia|flickr|nytimes|disqus|giphy|unsplash|yelp|foursquare)",
            r"[a-z0-9=_-]{32,64}",
        ),
    )
    .entropy(3.0)
    .check(shape::is_random)
    .examples(&["ALGOLIA_ADMIN={hex:32}"], &["algolia: on"]),
    Rule::new("maxmind-key", F, &["_mmk"], Anywhere(r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b"))
        .entropy(3.5)
        .examples(&["{an:6}_{an:29}_mmk"], &["x_mmk"]),
];
