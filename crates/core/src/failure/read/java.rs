//! Java, Kotlin and Scala: exceptions with their stacks, as Maven and Gradle report them.

use super::Found;
use crate::failure::Class;

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some((file, message)) = maven(trimmed) {
            symbol_of(message, &lines[at + 1..], file, found);
        } else if let Some((file, message)) = javac(trimmed) {
            symbol_of(message, &lines[at + 1..], file, found);
        } else if let Some((test, message)) = surefire(trimmed) {
            let file = format!("{}.java", test.split('.').next().unwrap_or(test));
            let name = test.rsplit('.').next().unwrap_or(test);
            found.add(Some(Class::Test), message, &[&file], &[name]);
        } else if let Some(rest) = trimmed.strip_suffix(" FAILED").filter(|r| r.contains(" > ")) {
            let test = rest.rsplit(" > ").next().unwrap_or(rest).trim_end_matches("()");
            let body = &lines[at + 1..lines.len().min(at + 8)];
            if let Some(message) = body.iter().map(|l| l.trim()).find(|l| exception(l)) {
                let (frames, _) = stack(body);
                let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
                found.add(Some(Class::Test), short(message), &frames, &[test]);
            }
        } else if (exception(trimmed)
            && !lines[at.saturating_sub(2)..at].iter().any(|l| l.ends_with(" FAILED")))
            || trimmed.starts_with("Exception in thread ")
        {
            let message = trimmed
                .split_once("\" ")
                .filter(|_| trimmed.starts_with("Exception in"))
                .map_or(trimmed, |(_, m)| m);
            let (frames, symbols) = stack(&lines[at + 1..]);
            if !frames.is_empty() {
                let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
                found.add(None, short(message), &frames, &symbols);
            }
        }
    }
}

/// `src/A.java:12: error: cannot find symbol`, with the symbol on a line of its own below the code.
fn javac(line: &str) -> Option<(&str, &str)> {
    let (place, message) = line.split_once(": error: ")?;
    let (file, number) = place.rsplit_once(':')?;
    let is_java = [".java", ".kt", ".scala"].iter().any(|ending| file.ends_with(ending));
    (is_java && number.bytes().all(|b| b.is_ascii_digit())).then_some((file, message))
}

/// A compiler error with the symbol that it is about: without it, all of them are alike.
fn symbol_of(message: &str, behind: &[&str], file: &str, found: &mut Found<'_>) {
    let own = behind.iter().take(6).map(|l| l.trim_start().trim_start_matches("[ERROR] ").trim());
    let symbol = own
        .take_while(|l| javac(l).is_none() && !l.contains(".java:["))
        .find_map(|l| l.strip_prefix("symbol:").map(str::trim));
    let class = match Class::of(message) {
        Class::Other => Class::Type,
        class => class,
    };
    let class = if message.ends_with(" expected") { Class::Syntax } else { class };
    match symbol {
        Some(symbol) => {
            let name = symbol.rsplit(' ').next().unwrap_or(symbol).split('(').next().unwrap_or(symbol);
            found.add(Some(class), &format!("{message}: {symbol}"), &[file], &[name]);
        }
        None => found.add(Some(class), message, &[file], &[]),
    }
}

/// `[ERROR] /p/src/main/java/A.java:[10,5] cannot find symbol`
fn maven(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("[ERROR] ")?;
    let (file, rest) = rest.split_once(":[")?;
    let (_, message) = rest.split_once("] ")?;
    Some((file, message))
}

/// `[ERROR]   FooTest.testBar:12 expected:<1> but was:<2>`
fn surefire(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("[ERROR]")?.trim_start();
    let (head, message) = rest.split_once(' ')?;
    let (test, number) = head.split_once(':')?;
    let is_test = test.contains('.')
        && !test.contains('/')
        && number.bytes().all(|b| b.is_ascii_digit())
        && !number.is_empty();
    is_test.then_some((test, message.trim_start_matches("» ")))
}

/// `java.lang.NullPointerException: …`, `Caused by: …`
fn exception(line: &str) -> bool {
    let name = line.strip_prefix("Caused by: ").unwrap_or(line).split([':', ' ']).next().unwrap_or("");
    name.matches('.').count() >= 2
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || b == b'$')
        && (name.ends_with("Exception") || name.ends_with("Error") || name.ends_with("Failure"))
}

/// Without the package of the exception.
fn short(message: &str) -> &str {
    let message = message.strip_prefix("Caused by: ").unwrap_or(message);
    let end = message.find([':', ' ']).unwrap_or(message.len());
    message[..end].rfind('.').map_or(message, |dot| &message[dot + 1..])
}

/// `at com.foo.Bar.baz(Bar.java:12)` is `com/foo/Bar.java`, wherever the source folder is.
fn stack<'a>(lines: &[&'a str]) -> (Vec<String>, Vec<&'a str>) {
    let (mut files, mut symbols) = (Vec::new(), Vec::new());
    for line in lines.iter().map(|l| l.trim_start()).skip_while(|l| !l.starts_with("at ")).take(40) {
        let Some(rest) = line.strip_prefix("at ") else { break };
        let Some((path, place)) = rest.split_once('(') else { continue };
        let Some(name) = place
            .split(':')
            .next()
            .filter(|n| n.ends_with(".java") || n.ends_with(".kt") || n.ends_with(".scala"))
        else {
            continue;
        };
        let path = path.rsplit('/').next().unwrap_or(path);
        const OTHERS: &[&str] = &[
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "org.junit",
            "org.gradle",
            "org.apache.maven",
            "kotlin.",
            "org.opentest4j",
            "org.springframework",
            "org.mockito",
            "org.assertj",
        ];
        if OTHERS.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let mut parts: Vec<&str> = path.split('.').collect();
        if let Some(method) = parts.pop()
            && symbols.len() < 2
        {
            symbols.push(method);
        }
        parts.pop();
        files.push(if parts.is_empty() { name.to_owned() } else { format!("{}/{name}", parts.join("/")) });
    }
    (files, symbols)
}
