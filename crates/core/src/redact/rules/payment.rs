//! Payment providers and card numbers.

use std::ops::Range;

use super::super::rule::Find::{Anywhere, Given, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::card;

const F: Family = Family::Payment;

/// `test_` begins half the functions in any test suite, so compiling a regex for it is not worth the cost.
fn lob(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let from = at + if text[at + 5..].starts_with(b"pub_") { 9 } else { 5 };
    let hex = text[from..].iter().take(64).take_while(|b| b.is_ascii_hexdigit()).count();
    if hex == (if from == at + 5 { 35 } else { 31 }) {
        out.push(at..from + hex);
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "stripe-key",
        F,
        &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        Token(r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}\b"),
    )
    .examples(&["sk_live_{an:24}", "rk_test_{an:99}"], &["sk_live_", "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx"]),
    Rule::new("stripe-webhook-secret", F, &["whsec_"], Token(r"whsec_[A-Za-z0-9+/=]{24,}"))
        .entropy(3.0)
        .examples(&["whsec_{an:32}"], &["whsec_..."]),
    Rule::new(
        "square-token",
        F,
        &["sq0atp-", "sq0csp-", "EAAA"],
        Token(r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}|EAAA[A-Za-z0-9_-]{56,64}"),
    )
    .entropy(3.0)
    .examples(&["sq0atp-{url:22}", "sq0csp-{url:43}", "EAAA{url:60}"], &["sq0atp-x"]),
    Rule::new(
        "paypal-braintree-token",
        F,
        &["access_token$"],
        Token(r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    )
    .examples(&["access_token$production${low:16}${hex:32}"], &["access_token$x"]),
    Rule::new("adyen-key", F, &["AQE"], Token(r"AQE[a-z]hmfxK[A-Za-z0-9+/=_-]{60,}"))
        .entropy(3.5)
        .examples(&["AQEyhmfxK{an:90}"], &["AQEx"]),
    Rule::new(
        "flutterwave-key",
        F,
        &["FLWSECK", "FLWPUBK"],
        Token(r"(?i)FLW(?:SECK|PUBK)(?:_TEST)?-[a-h0-9]{12,32}(?:-X)?\b"),
    )
    .any_case()
    .examples(&["FLWSECK_TEST-{hex:32}-X", "FLWSECK_TEST-{hex:12}"], &["FLWSECK_TEST-x"]),
    Rule::new(
        "paddle-key",
        F,
        &["pdl_"],
        Token(r"pdl_(?:live_|sdbx_)?apikey_[a-z0-9]{20,30}_[A-Za-z0-9]{16,30}_[A-Za-z0-9]{3}\b"),
    )
    .examples(&["pdl_live_apikey_{low:26}_{an:22}_{an:3}"], &["pdl_live_apikey_x"]),
    Rule::new(
        "mollie-key",
        F,
        &["mollie"],
        Anywhere(r"(?i)mollie[^\n]{0,40}?\b((?:live|test)_[A-Za-z0-9]{30})\b"),
    )
    .entropy(3.5)
    .examples(&["mollie: live_{an:30}"], &["mollie live_view"]),
    Rule::new("razorpay-key", F, &["rzp_"], Token(r"rzp_(?:live|test)_[A-Za-z0-9]{14}\b"))
        .examples(&["rzp_live_{an:14}"], &["rzp_live_"]),
    Rule::new("paystack-key", F, &["sk_"], Token(r"sk_(?:live|test)_[0-9a-f]{40}\b"))
        .examples(&["sk_live_{hex:40}"], &["sk_live"]),
    Rule::new(
        "gocardless-token",
        F,
        &["gocardless"],
        Given(r"gocardless", r"(?:live|sandbox)_[a-z0-9_=-]{40}"),
    )
    .examples(&["gocardless_token = live_{url:40}"], &["gocardless: on"]),
    Rule::new(
        "plaid-token",
        F,
        &["access-sandbox-", "access-development-", "access-production-", "public-sandbox-"],
        Token(r"access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}"),
    )
    .examples(&["access-sandbox-{uuid}"], &["access-sandbox-x"]),
    Rule::new("duffel-token", F, &["duffel_"], Token(r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"))
        .examples(&["duffel_test_{url:43}"], &["duffel_test_x"]),
    Rule::new("shippo-token", F, &["shippo_"], Token(r"shippo_(?:live|test)_[0-9a-fA-F]{40}\b"))
        .examples(&["shippo_live_{hex:40}"], &["shippo_live_x"]),
    Rule::new("easypost-key", F, &["EZAK", "EZTK"], Token(r"EZ[AT]K[A-Za-z0-9]{54}\b"))
        .examples(&["EZAK{an:54}"], &["EZAK"]),
    Rule::new("lob-key", F, &["live_", "test_"], Scan(lob))
        .entropy(3.0)
        .examples(&["test_{hex:35}", "live_pub_{hex:31}"], &["test_x"]),
    Rule::new("card-number", F, &["card", "visa", "mastercard", "amex"], Scan(card::named)).examples(
        &["card number: 4242 4242 4242 4242", "\"cardNumber\": \"4242424242424242\""],
        &["card 1234 5678 1234 5678", "postcards: 12"],
    ),
    // Groups of four, as on a card, suffice without any word; versions and ids are not written like that.
    Rule::new("card-number-grouped", F, &["4", "5", "3"], Scan(card::grouped))
        .examples(&["4242-4242-4242-4242"], &["4242-4242-4242-4243"]),
];
