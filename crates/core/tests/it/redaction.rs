//! What redaction promises, beyond the rules: types, placeholders, idempotence, and what it
//! leaves alone.

use hark_core::redact::{self, Clean, Raw, RedactOptions, Redactor};
use proptest::prelude::*;

fn redactor() -> Redactor {
    Redactor::new(RedactOptions::default(), [42; 32])
}

fn clean(text: &str) -> String {
    redactor().clean(Raw::new(text)).into_string()
}

/// Built at run time, so that no scanner mistakes this file for a leak.
fn fake_token(seed: u8) -> String {
    let body: String = (0..36u8)
        .map(|i| {
            let alphabet = b"aZ3bY4cX5dW6eV7fU8gT9hS";
            char::from(alphabet[usize::from(i.wrapping_mul(7).wrapping_add(seed)) % alphabet.len()])
        })
        .collect();
    format!("gh{}_{body}", 'p')
}

#[test]
fn raw_does_not_show_itself() {
    assert_eq!(format!("{:?}", Raw::new("hunter2")), "Raw(7 bytes)");
}

#[test]
fn clean_is_text_and_serialises_as_such() {
    let clean = Clean::trusted_constant("fine");
    assert_eq!(clean.len(), 4);
    assert_eq!(serde_json::to_string(&clean).expect("a string serialises"), "\"fine\"");
    assert_eq!(Clean::default().as_str(), "");
}

#[test]
fn redactor_can_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Redactor>();
}

#[test]
fn one_secret_one_placeholder() {
    let (one, two) = (fake_token(1), fake_token(2));
    let text = clean(&format!("{one} {two} {one}"));
    let parts: Vec<&str> = text.split(' ').collect();
    assert_eq!(parts[0], parts[2]);
    assert_ne!(parts[0], parts[1]);
    assert!(parts[0].starts_with("[REDACTED:github-token:"), "{text}");
    assert_eq!(parts[0].len(), "[REDACTED:github-token:abcdef]".len());
}

#[test]
fn context_survives() {
    let text = clean("export DB_PASSWORD='hunter2-fake' # local");
    assert!(text.starts_with("export DB_PASSWORD='[REDACTED:password:"), "{text}");
    assert!(text.ends_with("]' # local"), "{text}");
}

#[test]
fn placeholders_are_left_alone_wherever_they_stand() {
    for around in
        ["password={}", "token: \"{}\"", "Authorization: Bearer {}", "https://u:{}@host/", "--api-key {}"]
    {
        let once = clean(&around.replace("{}", &fake_token(3)));
        assert_eq!(clean(&once), once);
        assert_eq!(once.matches("[REDACTED:").count(), 1, "{once}");
    }
}

#[test]
fn private_spans_win_over_everything() {
    let token = fake_token(4);
    let text = clean(&format!("a <private>x {token}\ny <PRIVATE>z</private></private> b {token}"));
    assert!(text.starts_with("a [PRIVATE] b [REDACTED:github-token:"), "{text}");
    assert_eq!(clean("a <private>rest"), "a [PRIVATE]");
}

#[test]
fn options_switch_addresses_and_spans_off() {
    let off = Redactor::new(RedactOptions { emails: false, private_spans: false }, [0; 32]);
    let text = "jane@corp.dev <private>x</private>";
    assert_eq!(off.clean(Raw::new(text)).as_str(), text);
    assert_eq!(clean(text).matches('[').count(), 2);
}

#[test]
fn names_of_infrastructure_can_be_kept() {
    let text = "role arn:aws:iam::918273645546:role/ci reads https://s3.amazonaws.com/acme-logs for acme-77.myshopify.com";
    assert_eq!(clean(text).matches("[REDACTED:").count(), 3);
    let keeping = redactor().keeping_infrastructure();
    assert_eq!(keeping.clean(Raw::new(text)).as_str(), text);
    let token = fake_token(6);
    assert!(!keeping.clean(Raw::new(token.as_str())).contains(&token));
}

#[test]
fn a_google_key_is_one_wherever_it_stands() {
    let key = ["AI", "zaSyD9fK3mQ7xW1pL5vB8nR2tY6uH0jG4cE-d"].concat();
    for around in ["{}", "  {}\n", "key={}", "\\n{}\\n", "maps ({})", "https://maps.test/js?key={}&v=3"] {
        let text = clean(&around.replace("{}", &key));
        assert!(!text.contains(&key), "{text}");
    }
}

#[test]
fn a_cut_does_not_split_a_placeholder() {
    let text = clean(&format!("key {} here", fake_token(7)));
    let close = text.find(']').expect("a placeholder");
    assert_eq!(redact::cut_at(&text, close), 4);
    assert_eq!(redact::cut_at(&text, close + 1), close + 1);
    assert_eq!(redact::cut_at(&text, 4), 4);
    assert_eq!(redact::cut_at("[REDACTED:none] x", 5), 5);
}

#[test]
fn findings_point_into_the_input() {
    let token = fake_token(5);
    let text = format!("é {token} <private>ü</private> pwd: 'x9-fake-x9'");
    let (_, findings) = redactor().clean_with_findings(Raw::new(text.as_str()));
    let found: Vec<(&str, &str)> = findings.iter().map(|f| (f.rule, &text[f.start..f.end])).collect();
    assert_eq!(
        found,
        [("github-token", token.as_str()), ("private", "<private>ü</private>"), ("password", "x9-fake-x9"),]
    );
}

#[test]
fn a_megabyte_of_keywords_is_not_quadratic() {
    let started = std::time::Instant::now();
    for word in [
        "password=",
        "token ",
        "secret_key: ",
        "eyJ",
        "://",
        "-----BEGIN RSA PRIVATE KEY-----",
        "@",
        "<private",
        "curl -u ",
        "kind: Secret\n",
        "ghp_aB3\n",
        "ghp_aB3d\nE5gH7j\n",
        "%41",
        "\\u0041",
        "\"a\" + ",
        "\"\n \"",
        "a\\\n",
        "\u{200b}a",
        "QUtJ",
        "seed ",
        "army van ",
        "mysql -pa ",
        ":5432:",
        "&code=",
    ] {
        let text = word.repeat(1_000_000 / word.len());
        let _ = clean(&text);
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cleaning_twice_changes_nothing(text in any_text()) {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn only_findings_change(text in any_text()) {
        let (clean, findings) = redactor().clean_with_findings(Raw::new(text.as_str()));
        let mut rest = clean.as_str();
        let mut at = 0;
        for finding in &findings {
            let kept = &text[at..finding.start];
            prop_assert!(rest.starts_with(kept), "{kept:?} is not at {rest:?}");
            rest = &rest[kept.len()..];
            prop_assert!(rest.starts_with('['), "no placeholder at {rest:?}");
            let close = rest.find(']').expect("a placeholder closes");
            rest = &rest[close + 1..];
            at = finding.end;
        }
        prop_assert_eq!(rest, &text[at..]);
    }

    #[test]
    fn found_secrets_are_gone(seed in 0u8..255, before in ".{0,40}", after in "[ \\n\"',;].{0,40}") {
        let token = fake_token(seed);
        let text = clean(&format!("{before} {token}{after}"));
        prop_assert!(!text.contains(&token), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn wrapped_secrets_are_gone_whole(
        seed in 0u8..255,
        cut in 8usize..32,
        joint in prop::sample::select(vec!["\n", "\n    ", "\r\n", "\\\n", "\" + \"", "\" +\n  \"", "\u{200b}", "\u{2060}"]),
        before in "[a-z ]{0,30}",
    ) {
        let token = fake_token(seed);
        let (one, two) = token.split_at(cut);
        let text = clean(&format!("{before}\nt = \"{one}{joint}{two}\"\n"));
        prop_assert!(!text.contains(one) && !text.contains(two), "{text}");
    }
}

/// Arbitrary text, salted with the words, quotes and shapes that rules look for.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => ".{0,12}".boxed(),
        2 => "[A-Za-z0-9_/+=-]{8,48}".boxed(),
        1 => (0u8..255).prop_map(fake_token).boxed(),
        4 => prop::sample::select(vec![
            "password=", "\"password\": \"", "token: ", "api_key='", "secret", " = ", "\": \"", "'", "\"", "\\n", "\n", ";",
            "://user:", "@host/", "Authorization: Bearer ", "eyJhbGciOiJIUzI1NiJ9.eyJ", "-----BEGIN RSA PRIVATE KEY-----\n",
            "-----END RSA PRIVATE KEY-----", "<private>", "</private>", "AKIA", "ghp_", "[REDACTED:jwt:abcdef]", "[PRIVATE]",
            "[REDACTED:password:", "]", "curl -u a:", "--token ", "kind: Secret\ndata:\n  a: ", "$", "{", "}", "é", "😀", "@corp.dev",
            "\\u0041", "\\/", "%41", "%5f", "%2F", "\u{200b}", "\u{ad}", "\u{feff}", "\" + \"", "' . '", "\"\n  \"", "\\\n", "\r\n  ", "\n> ", "&#95;",
            "mysql -p", ":5432:a:b:", "curl -su a:", "mnemonic ", "army van defense carry jealous true garbage claim echo media make crunch",
            "Z2hwX2FaM2JZNGNYNWRXNmVWN2ZVOGdUOWhTMGFaM2JZNGNYNWRXNg==", "echo x | chpasswd", "?code=", "vault operator unseal ",
            "Cookie: sid=", "card 4242 4242 4242 4242", "AccountKey=", "<add key=\"p_token\" value=\"", " is ", ",", "sk-proj-", "1",
        ]).prop_map(str::to_owned).boxed(),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}
