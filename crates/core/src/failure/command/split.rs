//! Splits a shell line into simple commands. Not a shell: it knows quotes, operators and here-documents,
//! nothing more.

/// How a command is connected to the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// The first one, or after `;` or a new line.
    Then,
    And,
    Or,
    Pipe,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) tie: Tie,
    pub(super) words: Vec<String>,
    /// Files that receive its output.
    pub(super) writes: Vec<String>,
}

/// Longer lines are scripts, of which only the beginning is examined.
const MOST_BYTES: usize = 4_000;
const MOST_COMMANDS: usize = 24;

pub(super) fn split(line: &str) -> Vec<Simple> {
    let mut end = line.len().min(MOST_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    Splitter { rest: line[..end].chars().peekable(), done: Vec::new(), now: fresh(Tie::Then), word: None }
        .run()
}

fn fresh(tie: Tie) -> Simple {
    Simple { tie, words: Vec::new(), writes: Vec::new() }
}

struct Splitter<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    done: Vec<Simple>,
    now: Simple,
    word: Option<String>,
}

impl Splitter<'_> {
    fn run(mut self) -> Vec<Simple> {
        while let Some(c) = self.rest.next() {
            if self.done.len() >= MOST_COMMANDS {
                break;
            }
            match c {
                '\'' | '"' => self.quoted(c),
                '\\' => match self.rest.next() {
                    Some('\n') | None => {}
                    Some(next) => self.word.get_or_insert_default().push(next),
                },
                '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                '\n' | ';' => self.close(Tie::Then),
                '&' if self.rest.next_if_eq(&'&').is_some() => self.close(Tie::And),
                '&' if self.rest.peek() == Some(&'>') => {}
                '&' => self.close(Tie::Then),
                '|' if self.rest.next_if_eq(&'|').is_some() => self.close(Tie::Or),
                '|' => {
                    self.rest.next_if_eq(&'&');
                    self.close(Tie::Pipe);
                }
                '>' => self.redirect(),
                '<' if self.rest.next_if_eq(&'<').is_some() => self.here_document(),
                '<' => {
                    self.end_word();
                    self.skip_blanks();
                    self.bare_word();
                }
                '(' | ')' | '{' | '}' if self.word.is_none() => {}
                ')' => self.end_word(),
                c if c.is_whitespace() => self.end_word(),
                c => self.word.get_or_insert_default().push(c),
            }
        }
        self.close(Tie::Then);
        self.done
    }

    fn quoted(&mut self, quote: char) {
        let word = self.word.get_or_insert_default();
        while let Some(c) = self.rest.next() {
            match c {
                c if c == quote => return,
                '\\' if quote == '"' => word.extend(self.rest.next()),
                c => word.push(c),
            }
        }
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.now.words.push(word);
        }
    }

    fn close(&mut self, tie: Tie) {
        self.end_word();
        let simple = std::mem::replace(&mut self.now, fresh(tie));
        if simple.words.is_empty() && simple.writes.is_empty() {
            // There was no command; the connection to the previous one stays.
            return;
        }
        self.done.push(simple);
    }

    /// `> file`, `>> file`, `2>&1`: the number in front is not a word of the command.
    fn redirect(&mut self) {
        if self.word.as_deref().is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit())) {
            self.word = None;
        } else {
            self.end_word();
        }
        self.rest.next_if_eq(&'>');
        self.rest.next_if_eq(&'|');
        if self.rest.next_if_eq(&'&').is_some() {
            while self.rest.next_if(|c| c.is_ascii_digit() || *c == '-').is_some() {}
            return;
        }
        self.skip_blanks();
        if let Some(file) = self.bare_word().filter(|file| !file.starts_with("/dev/")) {
            self.now.writes.push(file);
        }
    }

    fn skip_blanks(&mut self) {
        while self.rest.next_if(|c| *c == ' ' || *c == '\t').is_some() {}
    }

    fn bare_word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | ')')) {
            if !matches!(c, '\'' | '"') {
                word.push(c);
            }
        }
        Some(word).filter(|w| !w.is_empty())
    }

    /// Skips what is not a command.
    fn here_document(&mut self) {
        self.end_word();
        if self.rest.next_if_eq(&'<').is_some() {
            self.skip_blanks();
            self.bare_word();
            return;
        }
        self.rest.next_if_eq(&'-');
        self.skip_blanks();
        let Some(mark) = self.bare_word() else { return };
        // The rest of this line still belongs to the command.
        let mut tail = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            tail.push(c);
        }
        self.rest.next();
        let mut line = String::new();
        for c in self.rest.by_ref() {
            if c == '\n' {
                if line.trim() == mark {
                    break;
                }
                line.clear();
            } else {
                line.push(c);
            }
        }
        let mut behind = split(&tail).into_iter();
        if let Some(first) = behind.next() {
            self.now.words.extend(first.words);
            self.now.writes.extend(first.writes);
        }
        self.close(Tie::Then);
        self.done.extend(behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line).iter().map(|s| format!("{:?} {}", s.tie, s.words.join("·"))).collect()
    }

    #[test]
    fn commands_of_a_line() {
        assert_eq!(
            words("cd /w/app && A=1 cargo test 'a b' 2>&1 | tail -20 || true; echo \"x; y\""),
            ["Then cd·/w/app", "And A=1·cargo·test·a b", "Pipe tail·-20", "Or true", "Then echo·x; y"]
        );
        assert_eq!(words("# only talk\nmake \\\n -j4 &"), ["Then make·-j4"]);
    }

    #[test]
    fn here_documents_are_not_commands() {
        let found = split("cat > src/a.py <<'EOF'\nrm -rf x && pytest\nEOF\npytest -q > out.txt");
        assert_eq!(found[0].writes, ["src/a.py"]);
        assert_eq!(found[0].words, ["cat"]);
        assert_eq!(found[1].words, ["pytest", "-q"]);
        assert_eq!(found.len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split(line in "\\PC{0,200}|[a-z<>&|;'\"\\\\\\n ]{0,80}") {
            let _ = split(&line);
        }
    }
}
