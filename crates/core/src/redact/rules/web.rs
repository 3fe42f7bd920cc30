//! Credentials by their place on the web: tokens, URLs, headers, commands.

use super::super::rule::Find::{Anywhere, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::{header, jwt, url};
use super::super::shape;

const F: Family = Family::Web;

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "jwt",
        F,
        &["eyJ"],
        Scan(jwt::token),
    )
    .whole(jwt::is_whole)
    .examples(
        &[
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJmYWtlIn0.{url:43}",
            "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJmYWtlIn0.{url:43}",
        ],
        &["eyJ and more", "eyJhbGciOiJIUzI1NiJ9"],
    ),
    // A token encoded once more, as in Kubernetes secrets.
    Rule::new(
        "jwt-base64",
        F,
        &["ZXlK"],
        Token(r"ZXlK[A-Za-z0-9+/_-]{100,}={0,2}"),
    )
    .entropy(3.5)
    .examples(&["ZXlK{an:160}"], &["ZXlKx"]),
    Rule::new(
        "url-password",
        F,
        &["://"],
        Scan(url::userinfo),
    )
    .examples(
        &[
            "postgres://app:fake-{an:8}@db.test:5432/x",
            "https://user:fakePass1@host.test/",
            "mongodb+srv://u:p%40ss-fake@c0.test/x",
        ],
        &[
            "https://example.test/a:b@c",
            "postgres://user:$PASSWORD@db/x",
            "https://localhost:8080/@types/node",
            "http://user:<password>@host",
        ],
    ),
    Rule::new(
        "url-secret-parameter",
        F,
        &["key=", "api_key=", "apikey=", "access_key="],
        Anywhere(r"[?&](?:api_?|access_?)?key=([A-Za-z0-9_-]{20,100})\b"),
    )
    .entropy(3.0)
    .check(|key| shape::digits(key) >= 2 && !shape::is_stand_in(key) && !shape::is_wordy(key))
    .examples(&["https://maps.test/api?key={an:39}"], &["?key=some-sort-order-of-things"]),
    Rule::new(
        "authorization-header",
        F,
        &["authorization"],
        Scan(header::authorization),
    )
    .examples(
        &[
            "Authorization: Bearer {an:40}",
            r#""Authorization": "Basic dXNlcjpmYWtlLXBhc3M5""#,
            "authorization: token {hex:40}",
        ],
        &[
            "the authorization header is required",
            "Authorization: Bearer <token>",
            "Authorization: Bearer $MY_KEY",
            "authorization: Bearer XXXXXXXXXXXX",
        ],
    ),
    Rule::new(
        "bearer-token",
        F,
        &["bearer "],
        Scan(header::bearer),
    )
    .examples(&["Bearer {an:40}"], &["Bearer token required", "bearer authentication is used"]),
    Rule::new("basic-credentials", F, &["basic "], Scan(header::basic)).examples(
        &["Basic dXNlcjpmYWtlLXBhc3M5", "'basic dXNlcjpmYWtlLXBhc3M5'"],
        &["basic understanding of", "Basic QWxhZGRpbg==", "basic authentication"],
    ),
    Rule::new(
        "session-cookie",
        F,
        &["cookie"],
        Scan(header::cookie),
    )
    .examples(
        &["Cookie: sessionid={hex:32}; theme=dark", "Set-Cookie: PHPSESSID={low:26}1; path=/"],
        &["Cookie: theme=dark", "cookie: consent"],
    ),
    Rule::new(
        "session-value",
        F,
        &["JSESSIONID=", "PHPSESSID=", "sessionid=", "connect.sid=", "ASP.NET_SessionId="],
        Token(
            r"(?i)(?:JSESSIONID|PHPSESSID|sessionid|connect\.sid|ASP\.NET_SessionId)=([A-Za-z0-9%._!-]{16,})",
        ),
    )
    .any_case()
    .entropy(3.0)
    .check(|value| shape::digits(value) > 0)
    .examples(&["JSESSIONID={HEX:32}"], &["sessionid=abc"]),
    Rule::new(
        "network-credential",
        F,
        &["NetworkCredential", "PasswordAuthentication", "HTTPBasicAuth"],
        Token(
            r#"(?:NetworkCredential|PasswordAuthentication|HTTPBasicAuth)\(\s*["'][^"'\n]*["']\s*,\s*["']([^"'\n]{4,})["']"#,
        ),
    )
    .check(|password| !shape::is_stand_in(password) && !shape::is_reference(password))
    .examples(
        &[r#"new NetworkCredential("me", "hunter99")"#],
        &["new NetworkCredential(user, password)"],
    ),
    Rule::new(
        "windows-password",
        F,
        &["ConvertTo-SecureString", "net user ", "net use "],
        Anywhere(concat!(
            r#"(?i)convertto-securestring(?:\s+-string)?\s+["']([^"'$\s]{4,})["']"#,
            r#"|["']([^"'$\s]{4,})["']\s*\|\s*convertto-securestring"#,
            r"|\bnet user\s+\S+\s+([^\s/*]\S{4,})\s+/add",
            r"|\bnet use\s+\S+\s+/user:\S+\s+([^\s/*]\S{4,})",
        )),
    )
    .check(|password| !shape::is_stand_in(password) && !shape::is_reference(password))
    .examples(
        &[
            r#"ConvertTo-SecureString "hunter99" -AsPlainText -Force"#,
            "net user svc hunter99 /add",
            r"net use \\host\share /user:corp\svc hunter99",
        ],
        &["ConvertTo-SecureString $password -AsPlainText", "net user svc * /add"],
    ),
    Rule::new(
        "sql-password",
        F,
        &["IDENTIFIED BY"],
        Token(r#"(?i)identified by(?: password)?\s+['"]([^'"\n]{4,})['"]"#),
    )
    .any_case()
    .check(|password| !shape::is_stand_in(password) && !shape::is_reference(password))
    .examples(&["CREATE USER app IDENTIFIED BY 'hunter99'"], &["identified by its name"]),
    Rule::new(
        "jdbc-oracle-password",
        F,
        &["jdbc:oracle:"],
        Token(r"jdbc:oracle:[a-z0-9]+:[A-Za-z0-9_$#]+/([^\s@/\x22']{3,})@"),
    )
    .check(|password| !shape::is_stand_in(password) && !shape::is_reference(password))
    .examples(&["jdbc:oracle:thin:app/hunter99@//db.test:1521/x"], &["jdbc:oracle:thin:@//db.test:1521/x"]),
    Rule::new("openssl-passphrase", F, &["pass:"], Token(r"pass:([^\s$'\x22<{]{6,})"))
        .check(|password| shape::digits(password) > 0 && !shape::is_stand_in(password))
        .examples(&["openssl rsa -passin pass:hunter99"], &["-passin pass:$PASS", "pass: 12"]),
];
