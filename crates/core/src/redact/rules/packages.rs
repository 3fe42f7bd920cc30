//! Package registries and artifact stores.

use super::super::rule::Find::{Anywhere, Given, Token};
use super::super::rule::{Family, Rule};
use super::super::shape;

const F: Family = Family::Packages;

/// Old keys have no checksum and hardly a fixed length; words that happen to begin alike are readable.
fn not_a_word(key: &[u8]) -> bool {
    shape::digits(&key[3..]) > 0 || !shape::is_wordy(key)
}

pub(super) const RULES: &[Rule] = &[
    Rule::new("npm-token", F, &["npm_"], Token(r"npm_[A-Za-z0-9]{36}\b"))
        .examples(&["npm_{an:36}"], &["npm_config_registry"]),
    Rule::new(
        "npmrc-auth",
        F,
        &["_authToken", "_auth", "_password"],
        Token(r#"_(?:authToken|auth|password)\s?=\s{0,3}["']?([A-Za-z0-9+/=_-]{8,})"#),
    )
    .fillers()
    .check(|secret| !shape::is_reference(secret) && secret.len() >= 12)
    .examples(
        &["//registry.test/:_authToken={uuid}", "_auth={b64:40}="],
        &["//registry.test/:_authToken=${NPM_TOKEN}"],
    ),
    Rule::new("pypi-token", F, &["pypi-AgE"], Token(r"pypi-AgE[A-Za-z0-9_-]{50,}"))
        .examples(&["pypi-AgEIcHlwaS5vcmc{url:100}"], &["pypi-AgE"]),
    Rule::new("pyx-token", F, &["pyx-sk-", "pyx-"], Token(r"pyx-(?:sk-)?[A-Za-z0-9_-]{40,}"))
        .entropy(3.5)
        .examples(&["pyx-sk-{url:60}"], &["pyx-client"]),
    Rule::new("rubygems-token", F, &["rubygems_"], Token(r"rubygems_[0-9a-f]{48}\b"))
        .examples(&["rubygems_{hex:48}"], &["rubygems_version"]),
    Rule::new("crates-io-token", F, &["cio"], Token(r"cio[A-Za-z0-9]{32}\b"))
        .entropy(3.5)
        .check(|token| shape::digits(token) > 0 && shape::has_both_cases(token))
        .examples(&["cio{an:32}"], &["ciochina"]),
    Rule::new("nuget-key", F, &["oy2"], Token(r"oy2[a-z0-9]{43}\b")).examples(&["oy2{low:43}"], &["oy2x"]),
    Rule::new("clojars-token", F, &["CLOJARS_"], Token(r"(?i)CLOJARS_[a-z0-9]{60}\b"))
        .any_case()
        .examples(&["CLOJARS_{low:60}"], &["CLOJARS_USER"]),
    Rule::new("dockerhub-token", F, &["dckr_pat_", "dckr_oat_"], Token(r"dckr_[po]at_[A-Za-z0-9_-]{24,36}"))
        .examples(&["dckr_pat_{url:27}"], &["dckr_pat_x"]),
    Rule::new(
        "artifactory-key",
        F,
        &[
            "AKC", "AP0", "AP1", "AP2", "AP3", "AP4", "AP5", "AP6", "AP7", "AP8", "AP9", "APA", "APB", "APC",
            "APD", "APE", "APF",
        ],
        Anywhere(r#"(?:^|[\s=:"'>,(]|\\[nrt])(AKC[A-Za-z0-9]{10,}|AP[0-9A-F][A-Za-z0-9]{8,})\b"#),
    )
    .fillers()
    .check(not_a_word)
    .examples(&["AKCp{an:69}", "=AKC{an:12}", "AP6{an:20}"], &["APACHELICENSE", "APEndpointFoo"]),
    Rule::new("artifactory-reference-token", F, &["cmVmd"], Token(r"cmVmd[A-Za-z0-9]{59}\b"))
        .entropy(3.5)
        .examples(&["cmVmd{an:59}"], &["cmVmd"]),
    Rule::new(
        "jfrog-token",
        F,
        &["jfrog", "artifactory", "bintray", "xray"],
        Given(r"(?:jfrog|artifactory|bintray|xray)", r"[a-z0-9]{64}|[a-z0-9]{73}|[0-9a-f]{40}"),
    )
    .entropy(3.0)
    .examples(&["jfrog_token={low:64}"], &["xray: on"]),
    Rule::new(
        "sidekiq-secret",
        F,
        &["contribsys"],
        Token(r#"(?i)contribsys__com["']?\s*[:=]\s*["']?([0-9a-f]{8}:[0-9a-f]{8})\b"#),
    )
    .any_case()
    .examples(&["BUNDLE_GEMS__CONTRIBSYS__COM={hex:8}:{hex:8}"], &["gems.contribsys.com"]),
    Rule::new(
        "gradle-plugin-key",
        F,
        &["gradle.publish."],
        Token(r"gradle\.publish\.(?:key|secret)\s*=\s*([A-Za-z0-9]{32,48})\b"),
    )
    .examples(&["gradle.publish.secret={an:48}"], &["gradle.publish.key="]),
    Rule::new(
        "hackage-hex-key",
        F,
        &["hex_api_key", "HEX_API_KEY"],
        Token(r#"(?i)hex_api_key["']?\s*[:=]\s*["']?([0-9a-f]{32})\b"#),
    )
    .any_case()
    .examples(&["HEX_API_KEY={hex:32}"], &["HEX_API_KEY="]),
    Rule::new(
        "nuget-config-password",
        F,
        &["ClearTextPassword"],
        Anywhere(r#"(?i)<add\s+key="(?:cleartext)?password"\s+value="([^"%$\r\n]{6,})""#),
    )
    .examples(
        &[r#"<add key="ClearTextPassword" value="fake-{an:12}" />"#],
        &[r#"<add key="ClearTextPassword" value="%NUGET_PASSWORD%" />"#],
    ),
];
