//! The rules, as tables: one file per family, each row with examples that prove it.
//!
//! Order matters in only one way: when findings overlap, the earlier row names the placeholder. So families
//! with distinctive shapes come first, and names with values come last.

mod ai;
mod chat;
mod cloud;
mod commands;
mod finance;
mod hashes;
mod infra;
mod infrastructure;
mod keys;
mod marketing;
mod monitoring;
mod named;
mod packages;
mod payment;
mod personal;
mod saas;
#[cfg(test)]
mod tests;
mod vcs;
mod wallets;
mod web;

use std::sync::LazyLock;

use super::rule::{Row, Rule};

/// The one rule that can be turned off.
pub(super) const EMAIL: &str = personal::EMAIL;
/// Rules whose findings do not come from their keywords alone.
pub(super) const SEED_PHRASE: &str = wallets::SEED_PHRASE;
pub(super) const VENDOR_TOKEN: &str = named::VENDOR_TOKEN;

static ALL: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let families: [&'static [Rule]; 19] = [
        keys::RULES,
        wallets::RULES,
        cloud::RULES,
        infra::RULES,
        vcs::RULES,
        ai::RULES,
        chat::RULES,
        payment::RULES,
        finance::RULES,
        packages::RULES,
        monitoring::RULES,
        marketing::RULES,
        saas::RULES,
        infrastructure::RULES,
        hashes::RULES,
        web::RULES,
        commands::RULES,
        named::RULES,
        personal::RULES,
    ];
    families.into_iter().flatten().map(Row::new).collect()
});

pub(super) fn all() -> &'static [Row] {
    &ALL
}

/// The row of an existing rule.
pub(super) fn row(name: &str) -> usize {
    ALL.iter().position(|row| row.name == name).unwrap_or(ALL.len() - 1)
}
