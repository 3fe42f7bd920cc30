//! Chat and messaging.

use super::super::rule::Find::{Anywhere, Given, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::discord;

const F: Family = Family::Chat;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "slack-token",
        F,
        &["xoxb-", "xoxp-", "xoxe-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-"],
        Token(
            r"xox[bp]-[0-9]{8,14}-[A-Za-z0-9]{18,26}\b|xox[bpeocs](?:-[0-9]{6,14}){1,3}-[A-Za-z0-9-]{18,}|xox[ar]-(?:[0-9]-)?[A-Za-z0-9-]{8,}|xox[so]-[0-9]+-[0-9]+-[0-9]+-[0-9a-fA-F]+|xoxe-[0-9]-[A-Za-z0-9]{100,}|xoxd-[A-Za-z0-9%/+=-]{40,}",
        ),
    )
    .entropy(2.5)
    .examples(
        &["xoxb-{dig:12}-{dig:12}-{an:24}", "xoxp-{dig:12}-{dig:12}-{dig:12}-{hex:32}"],
        &["xoxb-1-short", "xoxp-99"],
    ),
    Rule::new(
        "slack-config-token",
        F,
        &["xoxe.xox"],
        Token(r"(?i)xoxe\.xox[bp]-[0-9]-[A-Z0-9]{100,}"),
    )
    .any_case()
    .examples(&["xoxe.xoxp-1-{an:164}"], &["xoxe.xoxp-1-not-one"]),
    Rule::new(
        "slack-app-token",
        F,
        &["xapp-"],
        Token(r"(?i)xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{20,}"),
    )
    .any_case()
    .examples(&["xapp-1-A{B32:8}-{dig:13}-{hex:64}"], &["xapp-1"]),
    Rule::new(
        "slack-webhook",
        F,
        &["hooks.slack.com"],
        Token(r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{38,80})"),
    )
    .examples(
        &["https://hooks.slack.com/services/T{B32:8}/B{B32:8}/{an:24}"],
        &["https://hooks.slack.com/services/T0/B0/x"],
    ),
    Rule::new(
        "discord-webhook",
        F,
        &["/api/webhooks/"],
        Token(r"/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{50,90})"),
    )
    .examples(&["https://discord.com/api/webhooks/{dig:18}/{url:68}"], &["/api/webhooks/"]),
    Rule::new(
        "discord-bot-token",
        F,
        &["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
        Scan(discord::token),
    )
    .examples(&["NT{an:22}.{an:6}.{an:27}"], &["NTLM.thing.else"]),
    Rule::new(
        "telegram-bot-token",
        F,
        &[":AA"],
        Anywhere(
            r"(?:^|[^A-Za-z0-9])(?:bot)?([0-9]{6,12}:AA[A-Za-z0-9_-]{32,34})(?:[^A-Za-z0-9_-]|$)",
        ),
    )
    .examples(
        &["{dig:10}:AA{url:32}x", "https://api.telegram.org/bot{dig:10}:AA{url:32}x/getMe"],
        &["12:AA"],
    ),
    Rule::new(
        "telegram-named-token",
        F,
        &["telegr"],
        Given(r"telegr", r"[0-9]{5,16}:A[a-z0-9_-]{34}"),
    )
    .examples(&["TELEGRAM_TOKEN={dig:9}:A{url:34}"], &["telegram: on"]),
    Rule::new(
        "teams-webhook",
        F,
        &["outlook.office", "webhook.office.com"],
        Anywhere(
            r"(?i)(?:outlook\.office(?:365)?|[a-z0-9-]+\.webhook\.office)\.com/webhook(?:b2)?/([0-9a-f-]{36}(?:@|%(?:25)?40)[0-9a-f-]{36}/[a-z][a-z0-9]{2,40}/[0-9a-f]{32}/[0-9a-f-]{36}(?:/[a-z0-9_-]{20,})?)",
        ),
    )
    .examples(
        &[
            "https://a.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{hex:32}/{uuid}",
            "https://outlook.office.com/webhook/{uuid}@{uuid}/JenkinsCI/{hex:32}/{uuid}",
        ],
        &["https://outlook.office.com/webhook/"],
    ),
    Rule::new(
        "twilio-key",
        F,
        &["SK", "AC"],
        Token(r#"(?:SK[0-9a-fA-F]{32}|AC[0-9a-f]{32}(?:["']?[:,\s]\s?["']?[0-9a-f]{32})?)\b"#),
    )
    .entropy(3.0)
    .examples(&["SK{hex:32}"], &["SKELETON"]),
    Rule::new(
        "sendbird-messagebird",
        F,
        &["sendbird", "messagebird", "message_bird", "message-bird"],
        Given(
            r"(?:sendbird|message[_-]?bird)",
            r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{40}|[a-z0-9]{25}",
        ),
    )
    .entropy(2.8)
    .examples(&["sendbird_id = {uuid}"], &["sendbird: on"]),
    Rule::new("matrix-token", F, &["syt_", "mct_"], Token(r"syt_[A-Za-z0-9+/=_-]{4,80}_[A-Za-z]{20}_[A-Za-z0-9]{6}\b|syt_[A-Za-z0-9]{4,80}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}\b|mct_[A-Za-z0-9]{30}_[A-Za-z0-9]{6}\b"))
        .examples(&["syt_{an:12}_{an:20}_{an:6}"], &["syt_x"]),
    Rule::new(
        "intercom-token",
        F,
        &["dG9rO"],
        Token(r"dG9rO[A-Za-z0-9+/]{50,60}={0,2}"),
    )
    .examples(&["dG9rO{an:54}="], &["dG9rO"]),
];
