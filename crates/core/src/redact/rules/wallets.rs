//! Wallets: the key is the money.

use super::super::rule::Find::{Anywhere, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::{seed, wallet};
use super::super::shape;

const F: Family = Family::Keys;

pub(super) const SEED_PHRASE: &str = "seed-phrase";

pub(super) const RULES: &[Rule] = &[
    // Unannounced phrases are found without a keyword: see `seed::alone`.
    Rule::new(
        SEED_PHRASE,
        F,
        &["mnemonic", "seed", "recovery phrase", "secret phrase", "backup phrase", "recovery words", "12 words", "24 words"],
        Scan(seed::announced),
    )
    .examples(
        &[
            "mnemonic: army van defense carry jealous true garbage claim echo media make crunch",
            "my seed words\n1. army\n2. van\n3. defense\n4. carry\n5. jealous\n6. true\n7. garbage\n8. claim\n9. echo\n10. media\n11. make\n12. crunch",
            r#"MNEMONIC=["army","van","defense","carry","jealous","true","garbage","claim","echo","media","make","crunch"]"#,
        ],
        &["seed the database with twelve users", "mnemonic: a word that is easy to remember", "the random seed is 42"],
    ),
    Rule::new(
        "extended-private-key",
        F,
        &["xprv", "yprv", "zprv", "tprv"],
        Token(r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{95,112}\b"),
    )
    .examples(&["xprv9s21ZrQH143K{an58:95}"], &["xprv is the prefix"]),
    Rule::new(
        "wallet-import-format",
        F,
        &["bitcoin", "btc", "wif", "litecoin", "dogecoin", "wallet"],
        Scan(wallet::import_format),
    )
    .entropy(4.0)
    .examples(&["bitcoin key: 5K{an58:49}"], &["wallet.open(path)"]),
    Rule::new("nostr-key", F, &["nsec1"], Token(r"nsec1[02-9ac-hj-np-z]{58}\b"))
        .examples(&["nsec1{bechlow:58}"], &["nsec1 is a prefix"]),
    Rule::new(
        "stellar-secret",
        F,
        &["stellar", "soroban"],
        Anywhere(r"(?i:stellar|soroban)[^\n]{0,60}?\b(S[A-Z2-7]{55})\b"),
    )
    .check(|key| shape::digits(key) >= 3)
    .examples(&["stellar secret: S{B32:49}234567"], &["stellar lab"]),
    // The bytes of a key pair, as its tools write it to a file.
    Rule::new(
        "solana-keypair",
        F,
        &["solana", "keypair", "id.json"],
        Anywhere(r"(?is)(?:solana|keypair|id\.json)[^\[]{0,80}(\[\s*(?:[0-9]{1,3}\s*,\s*){63}[0-9]{1,3}\s*\])"),
    )
    .examples(
        &[
            "solana keypair [12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78,90,12,34,56,78]",
        ],
        &["solana [1,2,3]"],
    ),
];
