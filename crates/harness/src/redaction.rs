//! Redaction never fails, reports where it found what, and finds nothing in its own output.

use hark_core::Raw;
use hark_core::redact::{RedactOptions, Redactor};

pub fn redaction(input: &[u8]) {
    let text = String::from_utf8_lossy(input).into_owned();
    let redactor = Redactor::new(RedactOptions::default(), [7; 32]);
    for redactor in [redactor.clone(), redactor.keeping_infrastructure()] {
        let (clean, findings) = redactor.clean_with_findings(Raw::new(text.clone()));
        for finding in &findings {
            let inside = finding.start <= finding.end && finding.end <= text.len();
            let whole = inside && text.is_char_boundary(finding.start) && text.is_char_boundary(finding.end);
            assert!(whole, "{finding:?} in {} bytes", text.len());
        }
        let once = clean.into_string();
        assert!(
            findings.is_empty() == (once == text),
            "{} findings, but the text says otherwise",
            findings.len()
        );
        let (again, findings) = redactor.clean_with_findings(Raw::new(once.clone()));
        assert_eq!(again.as_str(), once, "a second time finds {findings:?}");
    }
}
