//! Text for people: data for standard output, remarks for standard error.

use anstyle::{AnsiColor, Style};

use crate::project::names::Names;

pub const DIM: Style = Style::new().dimmed();
pub const BOLD: Style = Style::new().bold();
pub const ID: Style = AnsiColor::Cyan.on_default();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const WARN: Style = AnsiColor::Yellow.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// What a command prints. It always contains styles; the command line removes them where there is no terminal.
pub struct Page {
    text: String,
    notes: String,
    width: Option<usize>,
    names: Names,
}

impl Page {
    /// `width` is that of the terminal; `None` where lines must not be cut.
    pub fn new(width: Option<usize>) -> Page {
        Page { text: String::new(), notes: String::new(), width, names: Names::default() }
    }

    /// What projects are called; without it, by the last part of their keys.
    #[must_use]
    pub fn with_names(mut self, names: Names) -> Page {
        self.names = names;
        self
    }

    /// What people call the project with this key.
    pub fn project(&self, key: Option<&str>) -> String {
        key.map_or_else(|| "everywhere".to_owned(), |key| self.names.of(key))
    }

    pub fn print(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A remark that is not data.
    pub fn note(&mut self, text: &str) {
        self.notes.push_str(text);
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn notes(&self) -> &str {
        &self.notes
    }

    /// Cuts `text` so that `used` more columns still fit on the line.
    pub fn fit(&self, text: &str, used: usize) -> String {
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(width) = self.width else { return one_line };
        let room = width.saturating_sub(used).max(MIN_ROOM);
        if columns(&one_line) <= room {
            return one_line;
        }
        let mut cut = String::new();
        let mut taken = 0;
        for c in one_line.chars() {
            taken += columns(c.encode_utf8(&mut [0; 4]));
            if taken > room - 1 {
                break;
            }
            cut.push(c);
        }
        format!("{}…", cut.trim_end())
    }
}

/// A title is never cut to less, however narrow the terminal.
const MIN_ROOM: usize = 20;

/// How wide a terminal shows `text`: East Asian characters and emoji take two columns.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|c| match u32::from(c) {
            0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60
            | 0xffe0..=0xffe6
            | 0x1f300..=0x1faff
            | 0x20000..=0x3fffd => 2,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_cut_at_the_width_of_the_terminal() {
        let page = Page::new(Some(60));
        assert_eq!(page.fit("short", 30), "short");
        let cut = page.fit(&"word ".repeat(20), 30);
        assert!(cut.ends_with('…') && cut.chars().count() <= 30, "{cut}");
        let wide = page.fit(&"漢".repeat(40), 30);
        assert!(columns(&wide) <= 30, "{wide}");
        assert_eq!(Page::new(None).fit(&"word ".repeat(20), 30).len(), 99);
    }
}
