//! Key material: private key blocks and the secret keys of encryption tools.

use super::super::rule::Find::{Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::{pem, wallet};
use super::super::shape;

const F: Family = Family::Keys;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "private-key",
        F,
        &["-----BEGIN", "---- BEGIN"],
        Scan(pem::block),
    )
    .examples(
        &[
            "-----BEGIN RSA PRIVATE KEY-----\n{b64:64}\n{b64:64}\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{b64:70}\n{b64:30}",
            r#""key": "-----BEGIN PRIVATE KEY-----\n{b64:64}\n{b64:20}\n-----END PRIVATE KEY-----\n""#,
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{b64:64}\n=ab12\n-----END PGP PRIVATE KEY BLOCK-----",
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{b64:64}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        ],
        &[
            "-----BEGIN PUBLIC KEY-----\n{b64:64}\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\n{b64:64}\n-----END CERTIFICATE-----",
            "starts with -----BEGIN PRIVATE KEY----- and so on",
            "-----BEGIN EC PRIVATE KEY-----\n-----END EC PRIVATE KEY-----",
        ],
    ),
    Rule::new(
        "putty-private-key",
        F,
        &["PuTTY-User-Key-File-"],
        Scan(pem::putty),
    )
    .examples(
        &[
            "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 14\n{b64:64}\n{b64:64}\n",
        ],
        &["PuTTY-User-Key-File-2: ssh-rsa"],
    ),
    // "-----BEGIN" and the words of a private key header, in base64, at its three alignments.
    Rule::new(
        "private-key-base64",
        F,
        &["LS0tLS1CRUdJTi", "0tLS0tQkVHSU4g", "tLS0tLUJFR0lOI"],
        Token(
            r"[A-Za-z0-9+/]{20,80}(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW|IFBSSVZBVEUgS|gUFJJVkFURSBL)[A-Za-z0-9+/=]{64,}",
        ),
    )
    .examples(
        &["LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQp{an:80}"],
        &["LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1J{an:80}"],
    ),
    Rule::new(
        "age-secret-key",
        F,
        &["AGE-SECRET-KEY-"],
        Token(r"AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{58,}"),
    )
    .examples(&["AGE-SECRET-KEY-1QQQQPPPPZZZZRRRR{bech:42}"], &["AGE-SECRET-KEY-1"]),
    Rule::new(
        "wireguard-key",
        F,
        &["PrivateKey", "PresharedKey"],
        Token(r"(?:PrivateKey|PresharedKey)\s*=\s*([A-Za-z0-9+/]{42,43}=)"),
    )
    .examples(&["PrivateKey = {b64:43}="], &["PrivateKey = (none)"]),
    // Wallet keys: 32 bytes of hex after 0x. Transaction hashes look the same, so the words around them
    // decide.
    Rule::new(
        "secp256k1-private-key",
        F,
        &["0x"],
        Scan(wallet::key),
    )
    .entropy(3.0)
    .examples(&["private key 0x{hex:64}", "0x{hex:64} # the wallet"], &["tx 0x{hex:64} was mined"]),
    Rule::new(
        "ssh-host-base64-key",
        F,
        &["b3BlbnNzaC1rZXktdjEA"],
        Token(r"b3BlbnNzaC1rZXktdjEA[A-Za-z0-9+/=\s]{60,}"),
    )
    .check(|secret| !shape::is_filler(secret))
    .examples(&["b3BlbnNzaC1rZXktdjEA{an:90}"], &["b3BlbnNzaC1rZXktdjEA is how they begin"]),
];
