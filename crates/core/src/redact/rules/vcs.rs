//! Version control hosts and related services.

use super::super::rule::Find::{Anywhere, Given, Token};
use super::super::rule::{Family, Rule};

const F: Family = Family::Vcs;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "github-token",
        F,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        Token(r"gh[pousr]_[A-Za-z0-9]{36,}"),
    )
    .entropy(3.0)
    .examples(
        &["ghp_{an:36}", "https://ghs_{an:36}@github.com/a/b", r"\nghp_{an:36}"],
        &["ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "ghp_short"],
    ),
    Rule::new("github-app-jwt", F, &["ghs_"], Token(r"ghs_[0-9]+_eyJ[A-Za-z0-9_.-]{40,}"))
        .examples(&["ghs_12345_eyJ{an:60}"], &["ghs_12345_x"]),
    Rule::new(
        "github-fine-grained-pat",
        F,
        &["github_pat_"],
        Token(r"github_pat_[A-Za-z0-9_]{60,}"),
    )
    .entropy(3.0)
    .examples(&["github_pat_{an:22}_{an:59}"], &["github_pat_x"]),
    Rule::new(
        "gitlab-token",
        F,
        &[
            "glpat-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
            "glwt-",
        ],
        Token(
            r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_-]{20,300}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?",
        ),
    )
    .entropy(3.0)
    .examples(
        &["glpat-{url:20}", "glptt-{hex:40}", "glcbt-64_{url:20}"],
        &["glpat-abc", "glpat-xxxxxxxxxxxxxxxxxxxx"],
    ),
    Rule::new(
        "gitlab-runner-registration",
        F,
        &["GR1348941"],
        Token(r"GR1348941[A-Za-z0-9_-]{20,50}"),
    )
    .entropy(3.0)
    .examples(&["GR1348941{url:20}"], &["GR1348941xxxxxxxxxxxxxxxxxxxx"]),
    Rule::new(
        "gitlab-session",
        F,
        &["_gitlab_session="],
        Token(r"_gitlab_session=([0-9a-z]{32})"),
    )
    .entropy(3.0)
    .examples(&["_gitlab_session={hex:32}"], &["_gitlab_session=x"]),
    Rule::new(
        "bitbucket-app-password",
        F,
        &["ATBB"],
        Token(r"ATBB[A-Za-z0-9]{32}\b"),
    )
    .examples(&["ATBB{an:32}"], &["ATBB"]),
    Rule::new(
        "atlassian-token",
        F,
        &["ATATT3", "ATCTT3"],
        Token(r"AT[AC]TT3[A-Za-z0-9_=-]{60,250}"),
    )
    .entropy(3.5)
    .examples(&["ATATT3{url:180}=AB12CD34"], &["ATATT3x"]),
    Rule::new(
        "atlassian-legacy-token",
        F,
        &["jira", "confluence", "atlassian"],
        Given(r"(?:jira|confluence|atlassian)", r"[a-z0-9]{20}[0-9a-f]{4}"),
    )
    .entropy(3.5)
    .examples(&["jira_token = {low:20}{hex:4}"], &["jira: open"]),
    Rule::new(
        "sourcegraph-token",
        F,
        &["sgp_", "slk_", "sgd_"],
        Token(
            r"(?i)sgp_(?:local_|[0-9a-f]{16}_)?[0-9a-f]{40}\b|slk_[0-9a-f]{64}\b|sgd_[0-9a-f]{64}\b",
        ),
    )
    .entropy(3.0)
    .examples(&["sgp_{hex:40}", "sgp_local_{hex:40}"], &["sgp_x"]),
    Rule::new(
        "segment-token",
        F,
        &["sgp_"],
        Token(r"sgp_[A-Za-z0-9]{64}\b"),
    )
    .entropy(3.0)
    .examples(&["sgp_{an:64}"], &["sgp_x"]),
    Rule::new(
        "sourcegraph-legacy-token",
        F,
        &["sourcegraph"],
        Anywhere(r"(?i)sourcegraph[^\n]{0,60}?\b([0-9a-f]{40})\b"),
    )
    .entropy(3.0)
    .examples(&["sourcegraph token {hex:40}"], &["sourcegraph 5.1"]),
    Rule::new(
        "codeclimate-token",
        F,
        &["codeclimate", "CC_TEST_REPORTER_ID"],
        Given(r"(?:codeclimate|cc_test_reporter_id)", r"[0-9a-f]{64}"),
    )
    .examples(&["CC_TEST_REPORTER_ID={hex:64}"], &["codeclimate: on"]),
    Rule::new(
        "gitea-forge-token",
        F,
        &["gitea", "forgejo", "gogs"],
        Given(r"(?:gitea|forgejo|gogs)", r"[0-9a-f]{40}"),
    )
    .examples(&["GITEA_TOKEN={hex:40}"], &["gitea: 1.21"]),
];
