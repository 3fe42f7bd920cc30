//! Exchanges, market data and banking. Most of their keys can be recognised only by the name before them.

use super::super::rule::Find::Given;
use super::super::rule::{Family, Rule};

const F: Family = Family::Payment;

pub(super) const RULES: &[Rule] = &[
    Rule::new("coinbase-key", F, &["coinbase"], Given(r"coinbase", r"[a-z0-9_-]{64}"))
        .entropy(3.0)
        .examples(&["coinbase_secret={url:63}x"], &["coinbase: on"]),
    Rule::new("kraken-key", F, &["kraken"], Given(r"kraken", r"[a-z0-9/=_+-]{80,90}"))
        .entropy(3.5)
        .examples(&["kraken_key = {b64:86}=="], &["kraken: on"]),
    Rule::new("kucoin-key", F, &["kucoin"], Given(r"kucoin", r"[0-9a-f]{24}|[0-9a-f]{8}-[0-9a-f-]{27}"))
        .examples(&["kucoin_key: {hex:24}", "kucoin: {uuid}"], &["kucoin: on"]),
    Rule::new(
        "finance-api-key",
        F,
        &["bittrex", "finicity", "finnhub", "plaid", "freshbooks", "alphavantage"],
        Given(r"(?:bittrex|finicity|finnhub|plaid|freshbooks|alphavantage)", r"[a-z0-9]{20,64}"),
    )
    .entropy(3.0)
    .check(super::super::shape::is_random)
    .examples(&["finnhub_token = {low:20}", "plaid_id: {low:24}"], &["plaid: a pattern of squares"]),
];
