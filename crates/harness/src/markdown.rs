//! Files of memories and sessions: what can be read is written so that it reads the same.

use hark_core::redact::{RedactOptions, Redactor};
use hark_core::{Clean, Raw, markdown};

fn clean(raw: Raw) -> Clean {
    Redactor::new(RedactOptions::default(), [7; 32]).clean(raw)
}

pub fn memory_file(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(memory) = markdown::parse(&text, &clean) else { return };
    let written = markdown::render(&memory);
    let again = markdown::parse(&written, &clean).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(markdown::render(&again), written, "written, read and written again");
    assert_eq!(again, memory, "{written}");
    let name = markdown::file_name(&memory);
    assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.'), "{name}");
}

pub fn session_file(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(session) = markdown::session::parse(&text, &clean) else { return };
    let written = markdown::session::render(&session);
    let again = markdown::session::parse(&written, &clean).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(markdown::session::render(&again), written, "written, read and written again");
    assert_eq!(again, session, "{written}");
    let name = markdown::session::file_name(&session);
    assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.'), "{name}");
}
