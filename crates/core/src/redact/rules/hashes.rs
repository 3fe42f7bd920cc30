//! Password hashes and tickets: not the password, but all an attacker needs to find it offline.

use super::super::rule::Find::{Anywhere, Token};
use super::super::rule::{Family, Rule};

const F: Family = Family::Hashes;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "bcrypt-hash",
        F,
        &["$2a$", "$2b$", "$2y$", "$2x$"],
        Token(r"\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}"),
    )
    .examples(&["$2b$12${an:53}"], &["$2b$12$"]),
    Rule::new(
        "crypt-hash",
        F,
        &["$1$", "$5$", "$6$", "$8$", "$9$", "$y$", "$7$", "$apr1$"],
        Token(
            r"\$(?:1|5|6|7|8|9|y|apr1)\$(?:rounds=[0-9]+\$)?(?:[./A-Za-z0-9]{1,16}\$){1,2}[./A-Za-z0-9]{22,86}",
        ),
    )
    .examples(&["$6${an:8}${an:86}", "$1${an:8}${an:22}", "$apr1${an:8}${an:22}"], &["echo $1$2"]),
    Rule::new(
        "argon2-hash",
        F,
        &["$argon2", "$scrypt$", "$pbkdf2", "pbkdf2_sha"],
        Token(
            r"\$argon2(?:id|i|d)\$v=[0-9]+\$m=[0-9]+,t=[0-9]+,p=[0-9]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+|\$scrypt\$[^\s$]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+|\$pbkdf2[a-z0-9-]*\$[^\s$]+\$[^\s$]+\$[^\s$]+|pbkdf2_sha(?:1|256|512)\$[0-9]+\$[A-Za-z0-9]+\$[A-Za-z0-9+/=]+",
        ),
    )
    .examples(
        &[
            "$argon2id$v=19$m=65536,t=3,p=4${an:22}${an:43}",
            "pbkdf2_sha256$260000${an:22}${b64:43}=",
        ],
        &["$argon2id"],
    ),
    Rule::new(
        "kerberos-ticket",
        F,
        &["$krb5"],
        Token(r"\$krb5(?:asrep|tgs|pa)\$[0-9]{2}\$[^\s]{20,}"),
    )
    .examples(&["$krb5asrep$23$user@REALM:{hex:32}${hex:200}"], &["$krb5"]),
    Rule::new(
        "ntlm-hash",
        F,
        &[":::", "aad3b435b51404ee"],
        Anywhere(r"(?i)\b([0-9a-f]{32}:[0-9a-f]{32}):::"),
    )
    .examples(&["admin:500:{hex:32}:{hex:32}:::"], &["a:::b"]),
];
