//! Secrets recognised only by their name. Last, because every other rule says more.

use std::ops::Range;

use super::super::encoded;
use super::super::rule::Find::{Anywhere, Scan, Token};
use super::super::rule::{Family, Rule};
use super::super::scan::assignment;
use super::super::shape;

const F: Family = Family::Named;

pub(super) const VENDOR_TOKEN: &str = "vendor-token";

/// The word around a keyword, if it looks like a token.
fn vendor_token(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
    let start = at - text[at.saturating_sub(64)..at].iter().rev().take_while(is_part).count();
    let end = at + text[at..].iter().take(256).take_while(is_part).count();
    if encoded::is_vendor_token(&text[start..end]) {
        out.push(start..end);
    }
}

pub(super) const RULES: &[Rule] = &[
    // Most are found without a keyword: see `encoded::long_words`.
    Rule::new(VENDOR_TOKEN, F, &["_pat_", "_api_", "_secret_", "_live_", "_token_"], Scan(vendor_token))
        .examples(
            &["acme_pat_aB3dE5gH7j{an:32}", "use acme_live_aB3dE5gH7j{an:40} here"],
            &["acme_pat_{hex:40}", "test_api_of_a_module_with_a_very_long_name"],
        ),
    Rule::new(
        "password",
        F,
        &[
            "passw", "passphrase", "passcode", "pwd", "pass", "psw", "psk", "pw:", "pw=", "pw =", "pw\"", "pw'", "pw is",
        ],
        Scan(assignment::password),
    )
    .examples(
        &[
            "PASSWORD=fake-pw-99",
            "db_password: fakePw99",
            r#""adminPassword": "letmein99!""#,
            r#"{\"password\": \"fake-pw-99\"}"#,
            "--password fake-pw-99",
            "Server=db;Uid=sa;Pwd=fakepw;",
            "<Password>fake-pw-99</Password>",
            "the password is hunter2-fake",
            r#"const password = "correct9horse";"#,
            r#"if password == "fake-pw-99":"#,
            "machine h.test login me password fakepw",
            r#"<add key="dbPassword" value="fake-pw-99"/>"#,
            "REACT_APP_AUTH_PASS=fakeduke",
            r#"password: string = "fake-pw-99""#,
            "password: |\n  fake-pw-99\n",
            r#"password = SecretStr("fake-pw-99")"#,
            "pw: hunter99",
            "db_pw=hunter99",
            r#"psk="fake pw 99x""#,
            "psk=fakepw99",
        ],
        &[
            "Password: required",
            "password: string",
            "password=$DB_PASSWORD",
            r#"password = os.environ["X"]"#,
            "password: ${X}",
            "password = get_password()",
            "password=password",
            "Password must be at least 8 characters",
            "PASS: test_redaction_1",
            "connect(user=user, password=secret_value)",
            r#"placeholder="Enter password""#,
            "--password-stdin",
            "pwd = (char *) p;",
            r#"passwordLabel:"Password:""#,
            "password: <your-password>",
            "echo 'password = '.$p['x']",
            "passwordLength: 12",
            r#"test_pass "login works""#,
            r#"test_pass "login-2""#,
            "pw = width2 * 3",
            "pw: u32,",
        ],
    ),
    Rule::new(
        "secret",
        F,
        &[
            "secret", "token", "key", "credential", "creds", "jwt", "bearer", "_pat=", "_pat:", "_pat ", "_pat\"", "pat:",
            "pat=",
        ],
        Scan(assignment::secret),
    )
    .examples(
        &[
            "API_KEY={an:32}",
            r#""apiKey": "{hex:32}""#,
            "secret_key = '{an:40}'",
            r#"const token = "{an:24}""#,
            "--token {hex:40}",
            "<ApiToken>{low:20}7</ApiToken>",
            r#""name": "x_token", "value": "{an:32}""#,
            "x_token := `{an:32}`",
            "client_secret: {hex:40}",
            r#"env("APP_KEY", "{an:32}")"#,
            "access_token={an:32}&x=1",
            r#"\"secret\": \"{an:32}\""#,
            "jwt:\n  secret: '{hex:32}'",
            "api_token: >-\n    {an:32}\n",
            r#"let token = String::from("{an:32}");"#,
            "aws_session_token = {b64:200}==",
            "MY_PAT={an:40}",
        ],
        &[
            "max_tokens=4096",
            "token_count: 450",
            "tokenizer = cl100k",
            "api_key: ${API_KEY}",
            "secret: <your-secret>",
            "token = parse_token2(x)",
            "public_key: {b64:40}",
            "secret_name: my-app-secret-2",
            "token: Token::Ident",
            "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
            "access_token=MY_ACCESS_TOKEN",
            "key_size = Cipher256.key_size",
            "next_token: {b64:40}",
            "token_url='https://x.test/oauth2/token'",
            "api_key = config.api_key2",
            "credentialsId: '{uuid}'",
            "import { apiKey1 } from './keys2'",
            "API_KEY=your-api-key-1234567890",
            "github.com/golang-jwt/jwt v3.2.2+incompatible h1:{b64:43}=",
            "github.com/acme/jwt v0.0.0-20240102030405-9fceb02d0ae5/go.mod h1:{b64:43}=",
        ],
    ),
    Rule::new(
        "service-key",
        F,
        &[
            "adobe",
            "alibaba",
            "aliyun",
            "bitbucket",
            "cloudflare",
            "confluent",
            "contentful",
            "discord",
            "droneci",
            "etsy",
            "fastly",
            "gitter",
            "intercom",
            "looker",
            "mattermost",
            "rapidapi",
            "travis",
            "zendesk",
            "okta",
            "twilio",
            "amazon",
            "stripe",
            "spotify",
            "shodan",
            "virustotal",
            "circleci",
            "trello",
            "auth0",
            "github",
            "gitlab",
            "netlify",
            "linear",
            "yandex",
            "zoho",
            "baidu",
            "wechat",
            "steam",
            "riot",
            "lastfm",
            "openweather",
            "mapquest",
            "azure",
            "supabase",
            "firebase",
        ],
        Scan(assignment::service),
    )
    .examples(
        &["TRAVIS_ACCESS={low:22}", "cloudflare_global: {hex:37}"],
        &["travis: on", "github_sha = short", "stripe.version = 2023-10-16"],
    ),
    Rule::new(
        "secret-key-base",
        F,
        &["SECRET_KEY", "secret_key_base", "django-insecure-"],
        Anywhere(
            r#"(?i)secret_key(?:_base)?["']?\s*[:=]\s*["']([^"'\n]{24,})["']|(django-insecure-[!-~]{20,}?)["']"#,
        ),
    )
    .entropy(3.0)
    .check(|key| !shape::is_stand_in(key) && !shape::is_reference(key))
    .examples(&["SECRET_KEY = 'django-insecure-{an:20}^&*({an:20}'"], &["SECRET_KEY = 'todo'"]),
    Rule::new(
        "wordpress-key",
        F,
        &["AUTH_KEY", "AUTH_SALT", "LOGGED_IN_KEY", "LOGGED_IN_SALT", "NONCE_KEY", "NONCE_SALT"],
        Token(r#"(?:AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)["']\s*,\s*(?:'([^'\n]{24,})'|"([^"\n]{24,})")"#),
    )
    .entropy(3.5)
    .check(|key| !shape::is_stand_in(key) && shape::digits(key) > 1)
    .examples(
        &["define('SECURE_AUTH_SALT', '{an:20}%^ {an:40}');"],
        &["define('AUTH_KEY', 'put your unique phrase here');"],
    ),
    Rule::new(
        "client-bundle-user",
        F,
        &["REACT_APP_", "VITE_", "NEXT_PUBLIC_"],
        Anywhere(
            r"\b(?:REACT_APP|VITE|NEXT_PUBLIC)_[A-Z_]*USER(?:NAME)?\s*=\s*([A-Za-z0-9@._-]{3,})",
        ),
    )
    .check(|user| !shape::is_stand_in(user))
    .examples(&["REACT_APP_GUEST_USERNAME=fakeguest"], &["REACT_APP_USER=$USER"]),
];
