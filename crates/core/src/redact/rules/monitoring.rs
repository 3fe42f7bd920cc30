//! Monitoring, logging, analytics and security scanners.

use super::super::rule::Find::{Anywhere, Given, Token};
use super::super::rule::{Family, Rule};
use super::super::shape;

const F: Family = Family::Saas;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "new-relic-key",
        F,
        &["NRAK-", "NRJS-", "NRII-", "NRIQ-", "NRRA-", "NRSP-", "NRBR-", "NRAA-"],
        Token(
            r"NR(?:AK-[A-Z0-9a-z]{27}\b|JS-[0-9a-f]{19}\b|I[IQ]-[A-Za-z0-9_-]{32}|AA-[0-9a-f]{27}\b|RA-[0-9a-f]{42}\b|SP-[a-z]{2}[0-9]{2}[0-9a-f]{31}\b|BR-[0-9a-f]{19}\b)",
        ),
    )
    .examples(&["NRAK-{B32:27}", "NRII-{url:32}", "NRJS-{hex:19}"], &["NRAK-x"]),
    Rule::new(
        "new-relic-license",
        F,
        &["NRAL"],
        Anywhere(r"\b([0-9a-f]{36}NRAL)\b|\b(eu01xx[0-9a-f]{30}NRAL)\b"),
    )
    .examples(&["license_key: {hex:36}NRAL"], &["NRAL"]),
    Rule::new(
        "new-relic-legacy-license",
        F,
        &["license_key", "newrelic", "new_relic"],
        Token(
            r#"(?i)(?:license_key|new_?-?relic[\w .-]{0,24})["']?\s{0,3}[:=]\s{0,3}["']?([0-9a-f]{40}|[0-9a-f]{47})\b"#,
        ),
    )
    .any_case()
    .entropy(3.0)
    .examples(&["license_key: {hex:40}"], &["license_key: '<%= ENV[\"K\"] %>'"]),
    Rule::new(
        "pixie-key",
        F,
        &["px-api-", "px-dep-"],
        Token(r"px-(?:api|dep)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    )
    .examples(&["px-api-{uuid}"], &["px-api-x"]),
    Rule::new(
        "grafana-key",
        F,
        &["eyJrIjoi", "glc_", "glsa_"],
        Token(
            r"(?i)eyJrIjoi[A-Z0-9+/]{60,400}={0,3}|glc_[A-Z0-9+/]{32,400}={0,3}|glsa_[A-Z0-9]{32}_[0-9a-f]{8}\b",
        ),
    )
    .entropy(3.0)
    .examples(
        &["glc_{b64:60}", "glsa_{an:32}_{hex:8}", "eyJrIjoi{an:80}"],
        &["glc_0000000000000000000000000000000000000000"],
    ),
    Rule::new(
        "datadog-key",
        F,
        &["datadog", "dd_api_key", "dd_app_key", "DD-API-KEY", "DD-APPLICATION-KEY"],
        Given(r"(?:datadog|dd[_-](?:api|app|application)[_-]key)", r"[a-z0-9]{40}|[0-9a-f]{32}"),
    )
    .entropy(3.0)
    .examples(&["DD_API_KEY={hex:32}", "datadog_app_key: {low:40}"], &["datadog: on"]),
    Rule::new(
        "sentry-token",
        F,
        &["sntrys_", "sntryu_"],
        Token(r"sntrys_eyJ[A-Za-z0-9+/=]{40,}_[A-Za-z0-9+/]{43}|sntryu_[0-9a-f]{64}\b"),
    )
    .examples(&["sntryu_{hex:64}", "sntrys_eyJ{b64:90}_{an:43}"], &["sntryu_x"]),
    Rule::new(
        "sentry-dsn",
        F,
        &["ingest.sentry.io", "sentry.io/"],
        Anywhere(r"https://([0-9a-f]{32})(?::[0-9a-f]{32})?@[a-z0-9.]*sentry\.io/[0-9]+"),
    )
    .examples(&["https://{hex:32}@o1.ingest.sentry.io/42"], &["https://sentry.io/organizations"]),
    Rule::new(
        "sentry-legacy-token",
        F,
        &["sentry"],
        Given(r"sentry", r"[0-9a-f]{64}"),
    )
    .entropy(3.0)
    .examples(&["SENTRY_AUTH={hex:64}"], &["sentry: on"]),
    Rule::new(
        "dynatrace-token",
        F,
        &["dt0"],
        Token(r"dt0[a-zA-Z][0-9]{2}\.[A-Z0-9a-z]{24}\.[A-Z0-9a-z]{64}\b"),
    )
    .examples(&["dt0c01.{B32:24}.{B32:64}"], &["dt0c01"]),
    Rule::new(
        "sumologic-key",
        F,
        &["sumo"],
        Given(r"sumo", r"su[A-Za-z0-9]{12}|[a-z0-9]{64}"),
    )
    .entropy(3.0)
    .check(|key| shape::digits(key) > 0)
    .examples(
        &["SUMO_ACCESS_KEY={low:64}", "sumologic_access_id=su{an:12}"],
        &["sumOfSquares2 = sumOfSquares2;"],
    ),
    Rule::new(
        "snyk-token",
        F,
        &["snyk"],
        Given(r"snyk", r"[0-9a-f]{8}-[0-9a-f-]{27}"),
    )
    .examples(&["SNYK_TOKEN={uuid}"], &["snyk: on"]),
    Rule::new(
        "sonar-token",
        F,
        &["sqp_", "sqa_", "squ_"],
        Token(r"sq[pau]_[0-9a-f]{40}\b"),
    )
    .entropy(3.0)
    .examples(&["sqp_{hex:40}"], &["sqp_x"]),
    Rule::new(
        "sonar-legacy-token",
        F,
        &["sonar"],
        Given(r"sonar", r"[a-z0-9]{40}"),
    )
    .entropy(3.0)
    .examples(
        &["sonar.login={hex:40}", "sonar.login', '{hex:40}"],
        &["sonar-scanner-2.5.0.tgz#{hex:40}"],
    ),
    Rule::new(
        "codecov-token",
        F,
        &["codecov"],
        Given(r"codecov", r"[a-z0-9]{32}|[0-9a-f]{8}-[0-9a-f-]{27}"),
    )
    .entropy(3.0)
    .examples(&["CODECOV_TOKEN={uuid}"], &["codecov: on"]),
    Rule::new(
        "honeycomb-key",
        F,
        &["hcaik_", "hcbik_", "x-honeycomb-team"],
        Token(
            r#"hc[ab]ik_[a-z0-9]{58}\b|(?i:x-honeycomb-team)["']?\s{0,3}[:=,]\s{0,3}["']?([A-Za-z0-9]{22,32})\b"#,
        ),
    )
    .any_case()
    .examples(&["hcaik_{low:58}", "x-honeycomb-team: {hex:32}"], &["x-honeycomb-team: KEY"]),
    Rule::new(
        "posthog-key",
        F,
        &["phx_", "phc_"],
        Token(r"ph[xc]_[A-Za-z0-9]{40,60}\b"),
    )
    .examples(&["phx_{an:43}"], &["phx_new"]),
    Rule::new(
        "rollbar-bugsnag",
        F,
        &[
            "rollbar",
            "bugsnag",
            "loggly",
            "papertrail",
            "logdna",
            "logzio",
            "splunk",
            "pagerduty",
            "opsgenie",
            "statuspage",
            "betterstack",
            "uptimerobot",
        ],
        Given(
            r"(?:rollbar|bugsnag|loggly|papertrail|logdna|logzio|splunk|pagerduty|opsgenie|statuspage|betterstack|uptimerobot)",
            r"[a-z0-9]{20,40}|[0-9a-f]{8}-[0-9a-f-]{27}",
        ),
    )
    .entropy(3.0)
    .check(shape::is_random)
    .examples(&["ROLLBAR_ACCESS={hex:32}"], &["rollbar: on"]),
    Rule::new(
        "launchdarkly-key",
        F,
        &["sdk-", "mob-"],
        Token(r"(?:sdk|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    )
    .examples(&["sdk-{uuid}"], &["sdk-tools"]),
    Rule::new(
        "launchdarkly-token",
        F,
        &["launchdarkly"],
        Given(r"launchdarkly", r"[a-z0-9=_-]{40}"),
    )
    .entropy(2.5)
    .examples(&["launchdarkly_key={url:40}"], &["launchdarkly: on"]),
    Rule::new(
        "dependency-track-key",
        F,
        &["odt_"],
        Token(r"odt_(?:[A-Za-z0-9]{8}_)?[A-Za-z0-9]{24,64}\b"),
    )
    .entropy(3.0)
    .examples(&["odt_{an:32}"], &["odt_x"]),
    Rule::new(
        "stackhawk-key",
        F,
        &["hawk."],
        Token(r"hawk\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}\b"),
    )
    .examples(&["hawk.{an:20}.{an:20}"], &["hawk.yml"]),
    Rule::new("axiom-token", F, &["xaat-", "xapt-"], Token(r"xa[ap]t-[0-9a-f]{8}-[0-9a-f-]{27}\b"))
        .examples(&["xaat-{uuid}"], &["xaat-x"]),
    Rule::new(
        "wakatime-key",
        F,
        &["waka_"],
        Token(r"waka_[0-9a-f]{8}-[0-9a-f-]{27}"),
    )
    .examples(&["waka_{uuid}"], &["waka_x"]),
];
