//! Faults of the machine and the network: a full disk, a taken port, a registry that does not answer. No file of the
//! project is to blame.

use super::{Found, is_log};
use crate::failure::Class;

const FAULTS: &[(&str, Class)] = &[
    ("no space left on device", Class::Environment),
    ("enospc", Class::Environment),
    ("disk quota exceeded", Class::Environment),
    ("too many open files", Class::Environment),
    ("emfile", Class::Environment),
    ("cannot allocate memory", Class::Environment),
    ("cannot connect to the docker daemon", Class::Environment),
    ("read-only file system", Class::Environment),
    ("eaddrinuse", Class::Network),
    ("address already in use", Class::Network),
    ("port is already allocated", Class::Network),
    ("could not resolve host", Class::Network),
    ("temporary failure in name resolution", Class::Network),
    ("name or service not known", Class::Network),
    ("network is unreachable", Class::Network),
    ("failed to establish a new connection", Class::Network),
    ("getaddrinfo", Class::Network),
    ("eai_again", Class::Network),
    ("no such host", Class::Network),
    ("tls handshake timeout", Class::Network),
    ("connection reset by peer", Class::Network),
    ("503 service unavailable", Class::Network),
    ("502 bad gateway", Class::Network),
    ("unable to access 'https://", Class::Network),
    ("network request failed", Class::Network),
];

/// How a line begins in which a tool speaks of the network. Anything else may be what a tested program says.
const SPEAKERS: &[&str] = &[
    "error",
    "fatal",
    "npm err",
    "npm error",
    "pip",
    "go: ",
    "docker: ",
    "warning: retrying",
    "e: ",
    "w: ",
    "err:",
    "err_",
    "curl: ",
    "oserror",
    "cannot ",
    "failed to ",
    "could not ",
    "panic: listen",
    "[error] ",
    "> could not",
];

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    // A test that failed says so itself.
    if lines.iter().any(|l| l.trim_start().starts_with("--- FAIL: ") || l.trim_start().starts_with("● ")) {
        return;
    }
    for line in lines.iter().filter(|l| !l.starts_with("  ") && !is_log(l)) {
        let lower = line.trim().to_lowercase();
        let Some((_, class)) = FAULTS.iter().find(|(words, _)| lower.contains(words)) else { continue };
        let speaks = *class == Class::Environment
            || SPEAKERS.iter().any(|who| lower.starts_with(who))
            || lower.contains("bind: address already in use");
        if speaks {
            found.add(Some(*class), line.trim(), &[], &[]);
        }
        if !found.is_empty() {
            return;
        }
    }
}
