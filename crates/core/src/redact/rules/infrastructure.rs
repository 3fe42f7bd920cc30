//! Names that open nothing but show an attacker where to look: accounts, buckets, shops, recipients. Public
//! scanners report them; anyone who wants to remember them can keep them
//! ([`Redactor::keeping_infrastructure`](super::super::Redactor::keeping_infrastructure)).
//!
//! Only unambiguous spellings are listed: an account in an ARN, a URL to the storage service. `s3://logs`,
//! `gs://logs`, buckets in ARNs and in prose stay.

use super::super::rule::Find::{Anywhere, Token};
use super::super::rule::{Family, Rule};
use super::super::shape;

const F: Family = Family::Infrastructure;

pub(super) const RULES: &[Rule] = &[
    // An account number turns a leaked role name into a target.
    Rule::new(
        "aws-account-id",
        F,
        &["arn:aws", "account_id", "account-id", "accountid"],
        Token(
            r#"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:([0-9]{12}):|(?i:account_?-?id["']?\s*[:=]\s*["']?)([0-9]{12})\b"#,
        ),
    )
    .any_case()
    .check(|id| !matches!(id, b"123456789012" | b"000000000000" | b"012345678901"))
    .examples(
        &["arn:aws:iam::{dig:12}:role/ci", "aws_account_id={dig:12}"],
        &["arn:aws:iam::aws:policy/Reader", "arn:aws:iam::123456789012:role/x"],
    ),
    // Bucket names are global: knowing one is enough to probe it or, once deleted, to take it over. In an ARN
    // it is the subject of a policy, and a policy without it says nothing.
    Rule::new(
        "bucket-name",
        F,
        &["s3.amazonaws.com/", "storage.googleapis.com/"],
        Anywhere(
            r"(?:^|[^A-Za-z0-9.-])(?:s3\.amazonaws|storage\.googleapis)\.com/([a-z0-9][a-z0-9._-]{2,62})",
        ),
    )
    .examples(
        &["https://s3.amazonaws.com/fake-bucket/x", "https://storage.googleapis.com/fake-bucket/o"],
        &["arn:aws:s3:::fake-bucket/*", "arn:aws:s3:::${name}", "https://storage.googleapis.com/", "the bucket is s3://acme-logs"],
    ),
    // A store's own domain names the tenant that the token next to it opens.
    Rule::new("shopify-domain", F, &[".myshopify.com"], Anywhere(r"\b([a-z0-9][a-z0-9-]*)\.myshopify\.com"))
        .check(|shop| !shape::is_stand_in(shop) && !shop.starts_with(b"your"))
        .examples(&["shop-77.myshopify.com"], &["https://your-store.myshopify.com"]),
    Rule::new(
        "age-recipient",
        F,
        &["age1"],
        Token(r"age1[02-9ac-hj-np-z]{58}\b"),
    )
    .examples(&["age1{bechlow:58}"], &["age1 and age2"]),
];
