//! Everything else that issues keys: trackers, builders, devices, design and identity.

use std::ops::Range;

use super::super::boundary;
use super::super::rule::Find::{Anywhere, Given, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::shape;

const F: Family = Family::Saas;

/// `pat` begins too many words for a regex: path, pattern, patch.
fn airtable(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let run = |from: usize| text[from..].iter().take(80).take_while(|b| b.is_ascii_alphanumeric()).count();
    let id = at + 17;
    if run(at) == 17 && text.get(id) == Some(&b'.') && run(id + 1) == 64 && boundary::before(text, at) {
        out.push(at..id + 65);
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "linear-key",
        F,
        &["lin_api_", "lin_oauth_", "lin_wh_"],
        Token(r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}\b"),
    )
    .examples(&["lin_api_{an:40}"], &["lin_api_x"]),
    Rule::new(
        "notion-token",
        F,
        &["ntn_", "secret_"],
        Token(r"ntn_[0-9]{11}[A-Za-z0-9]{35}\b|secret_[A-Za-z0-9]{43}\b"),
    )
    .entropy(3.5)
    .check(|token| shape::digits(token) >= 2)
    .examples(&["ntn_{dig:11}{an:35}", "secret_{an:43}"], &["secret_access_key"]),
    Rule::new("clickup-token", F, &["pk_"], Token(r"pk_[0-9]{4,10}_[A-Z0-9]{32}\b"))
        .examples(&["pk_{dig:8}_{B32:32}"], &["pk_live"]),
    Rule::new("trello-token", F, &["ATTA"], Token(r"ATTA[0-9a-f]{64}[0-9A-F]{8}\b"))
        .examples(&["ATTA{hex:64}{HEX:8}"], &["ATTACHMENT"]),
    Rule::new(
        "postman-key",
        F,
        &["PMAK-", "PMAT-"],
        Token(r"(?i)PMA[KT]-[0-9a-z]{24,26}(?:-[0-9a-f]{34})?\b"),
    )
    .any_case()
    .entropy(3.0)
    .examples(&["PMAK-{hex:24}-{hex:34}"], &["PMAK-x"]),
    Rule::new(
        "figma-token",
        F,
        &["figd_", "figo_", "figu_"],
        Token(r"fig[dou]r?h?_[A-Za-z0-9_-]{40,}"),
    )
    .examples(&["figd_{url:40}"], &["figd_x"]),
    Rule::new(
        "figma-legacy-token",
        F,
        &["figma"],
        Given(r"figma", r"[0-9]{4,8}-[0-9a-f]{8}-[0-9a-f-]{27}"),
    )
    .examples(&["X-Figma-Token: 1234-{uuid}"], &["figma: on"]),
    Rule::new(
        "airtable-key",
        F,
        &["airtable"],
        Given(r"airtable", r"[a-z0-9]{17}"),
    )
    .entropy(3.0)
    .check(|key| shape::digits(key) > 0)
    .examples(&["airtable_id = {low:16}7"], &["airtable: on"]),
    Rule::new(
        "airtable-pat",
        F,
        &["pat"],
        Scan(airtable),
    )
    .entropy(3.0)
    .examples(&["pat{an:14}.{hex:64}"], &["pattern", "path.rs"]),
    Rule::new(
        "asana-token",
        F,
        &["asana"],
        Given(r"asana", r"[0-9]{16}|[a-z0-9]{32}|[0-9]/[0-9]{16}(?:/[0-9]{16})?:[0-9a-f]{32}"),
    )
    .examples(&["asana_id={dig:16}"], &["asana: on"]),
    Rule::new(
        "dropbox-token",
        F,
        &["sl."],
        Token(r"sl\.(?:u\.)?[A-Za-z0-9_=-]{100,}"),
    )
    .entropy(2.5)
    .examples(&["sl.{url:135}"], &["sl.x"]),
    Rule::new(
        "dropbox-secret",
        F,
        &["dropbox"],
        Given(r"dropbox", r"[a-z0-9]{15}|[a-z0-9]{11}A{10}[a-z0-9_=-]{43}"),
    )
    .entropy(2.5)
    .check(|token| shape::digits(token) > 0)
    .examples(&["dropbox_key={low:14}7"], &["dropbox: on"]),
    Rule::new(
        "adafruit-key",
        F,
        &["aio_"],
        Token(r"aio_[A-Za-z0-9]{28}\b"),
    )
    .examples(&["aio_{an:28}"], &["aio_x"]),
    Rule::new(
        "adobe-secret",
        F,
        &["p8e-", "s-adobe"],
        Token(r"p8e-[A-Za-z0-9_-]{32}"),
    )
    .examples(&["p8e-{an:32}"], &["p8e-x"]),
    Rule::new(
        "auth0-secret",
        F,
        &["auth0"],
        Given(r"auth0", r"[a-z0-9_-]{64,}"),
    )
    .entropy(3.5)
    .examples(&["AUTH0_SECRET={url:64}"], &["auth0: on"]),
    Rule::new(
        "okta-token",
        F,
        &["okta", "SSWS"],
        Anywhere(r#"(?is)(?:okta|ssws).{0,60}?\b(00[a-z0-9_-]{39}[a-z0-9_])(?:[^a-z0-9_-]|$)"#),
    )
    .examples(&["Authorization: SSWS 00{url:39}x"], &["okta 00"]),
    Rule::new(
        "authress-key",
        F,
        &["sc_", "ext_", "scauth_", "authress_"],
        Token(
            r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        ),
    )
    .examples(&["sc_{low:12}.{low:4}.acc_{low:12}.{b64:60}"], &["sc_x"]),
    Rule::new(
        "frameio-token",
        F,
        &["fio-u-"],
        Token(r"fio-u-[A-Za-z0-9_=-]{64}"),
    )
    .examples(&["fio-u-{url:64}"], &["fio-u-x"]),
    Rule::new(
        "freemius-key",
        F,
        &["secret_key"],
        Token(r#"secret_key["']\s*=>\s*["'](sk_\S{29})["']"#),
    )
    .examples(&[r"'secret_key' => 'sk_{an:29}'"], &["'secret_key' => ''"]),
    Rule::new(
        "infracost-key",
        F,
        &["ico-"],
        Token(r"ico-[A-Za-z0-9]{32}\b"),
    )
    .entropy(3.0)
    .check(|key| !shape::is_hex(&key[4..]))
    .examples(&["ico-{an:32}"], &["ico-x"]),
    Rule::new(
        "intra42-secret",
        F,
        &["s-s4t2"],
        Token(r"s-s4t2(?:ud|af)-[0-9a-fA-F]{64}\b"),
    )
    .examples(&["s-s4t2ud-{hex:64}"], &["s-s4t2ud-x"]),
    Rule::new(
        "prefect-token",
        F,
        &["pnu_", "pnb_"],
        Token(r"pn[ub]_[A-Za-z0-9]{36}\b"),
    )
    .examples(&["pnu_{an:36}"], &["pnu_x"]),
    Rule::new(
        "readme-token",
        F,
        &["rdme_"],
        Token(r"rdme_[a-z0-9]{70}\b"),
    )
    .examples(&["rdme_{low:70}"], &["rdme_x"]),
    Rule::new(
        "settlemint-token",
        F,
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        Token(r"sm_[aps]at_[A-Za-z0-9]{16}\b"),
    )
    .entropy(2.5)
    .examples(&["sm_pat_{an:16}"], &["sm_pat_x"]),
    Rule::new(
        "thingsboard-token",
        F,
        &["thingsboard", "provisionDevice"],
        Anywhere(
            r#"thingsboard\.cloud/api/v1/([a-z0-9]{20})\b|provisionDevice(?:Key|Secret)["\\]*\s*:\s*["\\]*([a-z0-9]{20})\b"#,
        ),
    )
    .examples(
        &["https://thingsboard.cloud/api/v1/{low:20}/telemetry"],
        &["thingsboard.cloud/api/v1/"],
    ),
    Rule::new(
        "particle-token",
        F,
        &["particle.io"],
        Anywhere(
            r"(?s)particle\.io.{0,200}?\b(?:access_token=|Bearer )([0-9a-f]{40})\b|\b(?:access_token=|Bearer )([0-9a-f]{40})\b.{0,200}?particle\.io",
        ),
    )
    .examples(&["https://api.particle.io/v1?access_token={hex:40}"], &["particle.io"]),
    Rule::new(
        "blynk-token",
        F,
        &["blynk"],
        Anywhere(
            r"(?s)blynk.{0,200}?(?:token=|Bearer )([A-Za-z0-9_-]{32,40})\b|(?:token=|Bearer )([A-Za-z0-9_-]{32,40})\b.{0,200}?blynk",
        ),
    )
    .entropy(3.0)
    .examples(&["https://blynk.cloud/external/api/get?token={an:32}"], &["blynk.cloud"]),
    Rule::new(
        "nasa-key",
        F,
        &["api.nasa.gov"],
        Anywhere(r"api\.nasa\.gov[^\s]{0,80}api_key=([A-Za-z0-9]{40})\b"),
    )
    .examples(&["https://api.nasa.gov/x?api_key={an:40}"], &["api_key=DEMO_KEY"]),
    Rule::new(
        "sauce-key",
        F,
        &["sauce"],
        Given(r"sauce", r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    )
    .examples(&["SAUCE_ACCESS_KEY={uuid}"], &["sauce: hot"]),
    Rule::new(
        "ibm-cloud-key",
        F,
        &["ibm", "softlayer", "cloudant", "watson", "bluemix"],
        Given(
            r"(?:ibm|softlayer|cloudant|watson|bluemix|sl)",
            r"[a-z0-9_-]{44}|[0-9a-f]{64}|[0-9a-f]{48}|[0-9a-f]{40}",
        ),
    )
    .entropy(3.0)
    .check(|key| shape::digits(key) >= 3)
    .examples(&["IBM_CLOUD_IAM_KEY={url:43}7", "cloudant_pw = {hex:64}"], &["ibm: x"]),
    Rule::new(
        "zapier-make-webhook",
        F,
        &["hooks.zapier.com", "hook.us1.make.com", "hook.eu1.make.com", "maker.ifttt.com"],
        Anywhere(
            r"hooks\.zapier\.com/hooks/catch/([0-9]+/[a-z0-9]+)|hook\.[a-z0-9]+\.make\.com/([a-z0-9]{32})|maker\.ifttt\.com/trigger/[^/\s]+/with/key/([A-Za-z0-9_-]{20,})",
        ),
    )
    .examples(
        &["https://hooks.zapier.com/hooks/catch/{dig:7}/{low:7}/"],
        &["https://hooks.zapier.com"],
    ),
    Rule::new(
        "contentful-token",
        F,
        &["CFPAT-"],
        Token(r"CFPAT-[A-Za-z0-9_-]{43}"),
    )
    .examples(&["CFPAT-{url:43}"], &["CFPAT-x"]),
    Rule::new(
        "clerk-workos-key",
        F,
        &["sk_live_", "sk_test_", "pm_"],
        Token(r"sk_(?:live|test)_[A-Za-z0-9+/=]{40,}"),
    )
    .examples(&["sk_test_{an:50}"], &["sk_test_"]),
    Rule::new(
        "ngrok-token",
        F,
        &["ngrok", "authtoken"],
        Token(
            r#"(?i)(?:ngrok[\w .-]{0,30}|authtoken)["']?\s{0,3}[:= ]\s{0,3}["']?([0-9][A-Z0-9]{26,28}_[A-Z0-9]{20,24})\b"#,
        ),
    )
    .any_case()
    .examples(&["ngrok authtoken 2{an:26}_{an:21}"], &["ngrok http 80"]),
];
