//! Hooks: any bytes on stdin give an event, and the reply is one JSON object or nothing.

use hark_hosts::HOSTS;
use hark_hosts::hook::{self, MOST_CHARS, Moment, Say};
use serde_json::Value;

/// Event names that clients pass on the command line, besides the one in their JSON.
const EVENTS: &[Option<&str>] = &[None, Some("SessionStart"), Some("UserPromptSubmit"), Some("PreToolUse")];

pub fn hooks(input: &[u8]) {
    let long = "x\u{202e}\"\\\n".repeat(MOST_CHARS);
    for host in HOSTS {
        for event in EVENTS {
            let event = hook::read(host, *event, input, &|_| None);
            let _ = Moment::ALL.iter().filter(|moment| event.hears_at(**moment)).count();
            for say in [
                Say::Nothing,
                Say::Context("a\"b".to_owned()),
                Say::Deny("no".to_owned()),
                Say::Ask("may it?".to_owned()),
            ] {
                answer(&event.answer(&say), host.id);
            }
        }
        let event = hook::read(host, None, input, &|_| None);
        if event.hears() {
            answer(&event.answer(&Say::Context(long.clone())), host.id);
        }
    }
}

fn answer(text: &str, host: &str) {
    // Quotes and line ends take two bytes each when escaped.
    assert!(text.len() < 8 * MOST_CHARS, "{host}: {} bytes", text.len());
    if !text.is_empty() {
        let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{host}: {e}: {text}"));
        assert!(value.is_object(), "{host}: {text}");
    }
}
