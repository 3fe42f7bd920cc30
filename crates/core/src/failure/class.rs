//! Classes of failures.

use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($variant:ident = $name:literal, $doc:literal;)*) => {
        /// The kind of problem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Class { $(#[doc = $doc] $variant,)* }

        impl Class {
            pub const ALL: &'static [Class] = &[$(Class::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Class::$variant => $name,)* }
            }
        }
    };
}

classes! {
    Syntax = "syntax", "code that does not parse";
    Type = "type", "mismatched types";
    Name = "name", "an undefined name";
    Import = "import", "a missing module or header";
    Test = "test", "a failed assertion";
    Value = "value", "an invalid value: key, index, null, arithmetic";
    Io = "io", "a missing file or folder";
    Permission = "permission", "a missing permission";
    Network = "network", "a problem with a connection or port";
    Dependency = "dependency", "conflicting or missing packages";
    Link = "link", "a link error";
    Lint = "lint", "a broken lint or format rule";
    Timeout = "timeout", "a timeout";
    Memory = "memory", "out of memory, or an invalid memory access";
    Crash = "crash", "a crash";
    Environment = "environment", "the machine: a full disk, no free file handles, a service that does not run";
    Command = "command", "a missing or misused command";
    Other = "other", "anything else";
}

impl Class {
    pub fn from_name(word: &str) -> Option<Self> {
        Class::ALL.iter().copied().find(|class| class.name() == word)
    }

    /// Whether the fault lies outside the project, so that none of its files is to blame.
    pub const fn is_about_surroundings(self) -> bool {
        matches!(self, Class::Network | Class::Environment | Class::Command | Class::Dependency)
    }

    /// Classifies the name of an exception or the words of a message, in any programming language.
    pub fn of(text: &str) -> Class {
        const WORDS: &[(&str, Class)] = &[
            ("no space left on device", Class::Environment),
            ("enospc", Class::Environment),
            ("too many open files", Class::Environment),
            ("emfile", Class::Environment),
            ("docker daemon", Class::Environment),
            ("modulenotfounderror", Class::Import),
            ("importerror", Class::Import),
            ("cannot find module", Class::Import),
            ("can't resolve", Class::Import),
            ("unresolved import", Class::Import),
            ("failed to resolve import", Class::Import),
            ("could not resolve \"", Class::Import),
            ("import cycle", Class::Import),
            ("no required module", Class::Import),
            ("classnotfoundexception", Class::Import),
            ("noclassdeffounderror", Class::Import),
            (".h: no such file", Class::Import),
            (".hpp: no such file", Class::Import),
            ("assertionerror", Class::Test),
            ("assertionfailederror", Class::Test),
            ("assertion `left", Class::Test),
            ("assertion failed", Class::Test),
            ("comparisonfailure", Class::Test),
            ("expected:<", Class::Test),
            ("expect(", Class::Test),
            ("permissionerror", Class::Permission),
            ("permission denied", Class::Permission),
            ("eacces", Class::Permission),
            ("eperm", Class::Permission),
            ("operation not permitted", Class::Permission),
            ("accessdenied", Class::Permission),
            ("filenotfounderror", Class::Io),
            ("filenotfoundexception", Class::Io),
            ("nosuchfileexception", Class::Io),
            ("enoent", Class::Io),
            ("isadirectoryerror", Class::Io),
            ("no such file or directory", Class::Io),
            ("timeouterror", Class::Timeout),
            ("timed out", Class::Timeout),
            ("deadline exceeded", Class::Timeout),
            ("exceeded timeout", Class::Timeout),
            ("connectionerror", Class::Network),
            ("connectionrefused", Class::Network),
            ("connection refused", Class::Network),
            ("econnrefused", Class::Network),
            ("econnreset", Class::Network),
            ("eaddrinuse", Class::Network),
            ("address already in use", Class::Network),
            ("etimedout", Class::Network),
            ("enotfound", Class::Network),
            ("eai_again", Class::Network),
            ("no such host", Class::Network),
            ("could not resolve host", Class::Network),
            ("port is already allocated", Class::Network),
            ("network is unreachable", Class::Network),
            ("unknownhostexception", Class::Network),
            ("addresssanitizer", Class::Memory),
            ("outofmemory", Class::Memory),
            ("heap out of memory", Class::Memory),
            ("memoryerror", Class::Memory),
            ("stack overflow", Class::Memory),
            ("stackoverflow", Class::Memory),
            ("recursionerror", Class::Memory),
            ("maximum call stack", Class::Memory),
            ("segmentation fault", Class::Crash),
            ("core dumped", Class::Crash),
            ("undefined reference", Class::Link),
            ("undefined symbols", Class::Link),
            ("linker command failed", Class::Link),
            ("linking with", Class::Link),
            ("multiple definition", Class::Link),
            ("syntaxerror", Class::Syntax),
            ("indentationerror", Class::Syntax),
            ("taberror", Class::Syntax),
            ("syntax error", Class::Syntax),
            ("parsing error", Class::Syntax),
            ("unexpected token", Class::Syntax),
            ("unexpected end of", Class::Syntax),
            ("expected ';'", Class::Syntax),
            ("';' expected", Class::Syntax),
            ("expected one of", Class::Syntax),
            ("unclosed delimiter", Class::Syntax),
            ("unterminated", Class::Syntax),
            ("nameerror", Class::Name),
            ("referenceerror", Class::Name),
            ("is not defined", Class::Name),
            ("undefined:", Class::Name),
            ("undeclared", Class::Name),
            ("not declared", Class::Name),
            ("cannot find symbol", Class::Name),
            ("cannot find name", Class::Name),
            ("cannot find value", Class::Name),
            ("cannot find function", Class::Name),
            ("unresolved reference", Class::Name),
            ("no member named", Class::Name),
            ("attributeerror", Class::Type),
            ("typeerror", Class::Type),
            ("mismatched types", Class::Type),
            ("incompatible type", Class::Type),
            ("is not assignable", Class::Type),
            ("does not exist on type", Class::Type),
            ("cannot use", Class::Type),
            ("classcastexception", Class::Type),
            ("trait bound", Class::Type),
            ("borrow", Class::Type),
            ("keyerror", Class::Value),
            ("indexerror", Class::Value),
            ("valueerror", Class::Value),
            ("zerodivision", Class::Value),
            ("unicode", Class::Value),
            ("rangeerror", Class::Value),
            ("nullpointer", Class::Value),
            ("nil pointer", Class::Value),
            ("out of range", Class::Value),
            ("out of bounds", Class::Value),
            ("illegalargument", Class::Value),
            ("illegalstate", Class::Value),
            ("numberformat", Class::Value),
            ("unwrap()", Class::Value),
            ("overflow", Class::Value),
            ("divide by zero", Class::Value),
            ("eresolve", Class::Dependency),
            ("no matching distribution", Class::Dependency),
            ("could not find a version", Class::Dependency),
            ("version solving failed", Class::Dependency),
            ("no matching package", Class::Dependency),
            ("failed to select a version", Class::Dependency),
            ("unable to locate package", Class::Dependency),
            ("could not resolve dependencies", Class::Dependency),
            ("peer dep", Class::Dependency),
            ("404 not found", Class::Dependency),
            ("command not found", Class::Command),
            ("not recognized as", Class::Command),
            ("unrecognized argument", Class::Command),
            ("unexpected argument", Class::Command),
            ("unknown option", Class::Command),
            ("invalid option", Class::Command),
            ("missing script", Class::Command),
            ("must be provided", Class::Command),
            ("not formatted", Class::Lint),
            ("would reformat", Class::Lint),
            ("panicked", Class::Crash),
            ("panic:", Class::Crash),
        ];
        let lower = text.to_ascii_lowercase();
        WORDS.iter().find(|(word, _)| lower.contains(word)).map_or(Class::Other, |(_, class)| *class)
    }
}
