//! The report as a page: the same sections in a terminal and in markdown.

use super::{Format, Response, Surface, share};
use crate::operation::text::{count, words};
use crate::operation::{BOLD, DIM, ID, Page, Reply};

/// How much of a list a page shows; the JSON has more.
const SHOWN: usize = 10;

/// Writes one page in one of the two forms.
struct Sheet<'p> {
    page: &'p mut Page,
    format: Format,
    is_first: bool,
}

impl Sheet<'_> {
    fn heading(&mut self, text: &str) {
        let gap = if std::mem::take(&mut self.is_first) { "" } else { "\n" };
        match self.format {
            Format::Text => self.page.print(&format!("{gap}{BOLD}{text}{BOLD:#}\n")),
            Format::Markdown => self.page.print(&format!("{gap}## {text}\n\n")),
        }
    }

    /// An item with its id and what else there is to say.
    fn item(&mut self, id: &str, text: &str, rest: &str) {
        let text = words(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        let rest = words(rest);
        let line = match self.format {
            Format::Text => {
                let id = if id.is_empty() { String::new() } else { format!("{ID}{id}{ID:#} ") };
                let rest = if rest.is_empty() { rest } else { format!(" {DIM}{rest}{DIM:#}") };
                format!("- {id}{text}{rest}\n")
            }
            Format::Markdown => {
                let id = if id.is_empty() { String::new() } else { format!("`{id}` ") };
                let rest = if rest.is_empty() { rest } else { format!(" ({rest})") };
                format!("- {id}{}{rest}\n", escaped(&text))
            }
        };
        self.page.print(&line);
    }

    fn line(&mut self, text: &str) {
        self.page.print(&format!("{text}\n"));
    }
}

/// Text of a memory, session or failure as plain text in markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let day = |at: &str| at.get(..10).unwrap_or(at).to_owned();
        let mut sheet = Sheet { page, format: self.format, is_first: true };
        if self.format == Format::Markdown {
            sheet.line(&format!("# {} to {}\n", day(&self.since), day(&self.until)));
        }
        self.work(&mut sheet);
        self.memories(&mut sheet);
        self.trouble(&mut sheet);
        self.told(&mut sheet);
        self.helped(&mut sheet);
        if self.texts == 0 {
            sheet.page.note(&format!("nothing was injected since {}\n", self.since));
        }
    }
}

impl Response {
    /// What sessions that heard nothing of a rule say about it.
    fn helped(&self, sheet: &mut Sheet<'_>) {
        let Some(proof) = &self.proof else { return };
        sheet.heading("Do rules help?");
        sheet.line(&proof.total.in_words());
        for rule in &proof.rules {
            sheet.item(&rule.id, &rule.title, &rule.figures.in_words());
        }
    }

    fn work(&self, sheet: &mut Sheet<'_>) {
        let done = &self.done;
        if done.sessions == 0 {
            return;
        }
        sheet.heading("Done");
        let mut line = format!(
            "{}, {}",
            count(done.sessions, "session", "sessions"),
            count(done.pieces, "finished piece of work", "finished pieces of work")
        );
        if done.checked > 0 {
            line.push_str(&format!(", {} of {} checks passed", done.passed, done.checked));
        }
        if done.committed > 0 {
            line.push_str(&format!(", {} with commits", count(done.committed, "session", "sessions")));
        }
        sheet.line(&line);
        if self.format == Format::Markdown && !done.work.is_empty() {
            sheet.line("");
        }
        for work in done.work.iter().take(SHOWN) {
            let project = sheet.page.project(work.project.as_deref());
            sheet.item(&work.id, &work.title, &format!("{project}, {}", work.day));
            for done in &work.done {
                sheet.line(&format!("  - {}", marked(sheet, done)));
            }
        }
    }

    fn memories(&self, sheet: &mut Sheet<'_>) {
        for (heading, memories) in [("Decided", &self.decided), ("Learned", &self.learned)] {
            if memories.is_empty() {
                continue;
            }
            sheet.heading(heading);
            for memory in memories.iter().rev().take(SHOWN) {
                let project = sheet.page.project(memory.project.as_deref());
                sheet.item(&memory.id, &memory.title, &format!("{}, {project}", memory.kind));
                for option in &memory.rejected {
                    sheet.line(&format!("  - rejected: {}", marked(sheet, option)));
                }
            }
            let more = memories.len().saturating_sub(SHOWN);
            if more > 0 {
                sheet.line(&format!("{more} more"));
            }
        }
        if self.waiting > 0 {
            let proposals = count(self.waiting, "proposal waits", "proposals wait");
            sheet.page.note(&format!("{proposals} for your decision: hark inbox\n"));
        }
    }

    fn trouble(&self, sheet: &mut Sheet<'_>) {
        let broken = &self.broken;
        if broken.failures + broken.fixed + broken.corrections == 0 {
            return;
        }
        sheet.heading("Broken and fixed");
        sheet.line(&format!(
            "{}, {} fixed, {} open; {}",
            count(broken.failures, "failure", "failures"),
            broken.fixed,
            broken.still_open,
            count(broken.corrections, "correction", "corrections")
        ));
        if sheet.format == Format::Markdown && !broken.worst.is_empty() {
            sheet.line("");
        }
        for trouble in broken.worst.iter().take(SHOWN) {
            let id = trouble.id.as_deref().unwrap_or_default();
            let text = format!("{}: {}", trouble.command, trouble.message);
            let fix = trouble.fix.as_ref().map(|fix| format!(": {fix}")).unwrap_or_default();
            sheet.item(id, &text, &format!("{}{fix}", trouble.status));
        }
    }

    fn told(&self, sheet: &mut Sheet<'_>) {
        if self.texts == 0 {
            return;
        }
        sheet.heading("Told and used");
        sheet.line(&format!(
            "{} in {}, {} tokens; {}",
            count(self.texts, "text", "texts"),
            count(self.sessions, "session", "sessions"),
            self.tokens,
            used(self.of_use, self.judged)
        ));
        if sheet.format == Format::Markdown {
            sheet.line("");
        }
        for surface in &self.surfaces {
            let line = surface_line(surface, sheet.format);
            sheet.line(&line);
        }
        if let (Some(each), Some(ms)) = (self.costs.tokens_per_session, self.costs.hook_ms) {
            let hooks = count(self.costs.hooks, "hook", "hooks");
            sheet
                .page
                .note(&format!("{DIM}{each} tokens per session; {ms} ms per hook over {hooks}{DIM:#}\n"));
        }
    }
}

/// Text of a list below an item.
fn marked(sheet: &Sheet<'_>, text: &str) -> String {
    let text = words(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if sheet.format == Format::Markdown { escaped(&text) } else { text }
}

fn surface_line(surface: &Surface, format: Format) -> String {
    let signs: Vec<String> =
        surface.followed.iter().map(|(sign, count)| format!("{} {count}", sign.words())).collect();
    let signs = if signs.is_empty() { String::new() } else { format!(" ({})", signs.join(", ")) };
    let used = used(surface.of_use, surface.judged);
    match format {
        Format::Text => format!(
            "{:<8} {:>5} × {:>7} tokens  {used}{DIM}{signs}{DIM:#}",
            surface.surface, surface.texts, surface.tokens
        ),
        Format::Markdown => {
            format!("- {}: {} × {} tokens, {used}{signs}", surface.surface, surface.texts, surface.tokens)
        }
    }
}

fn used(of_use: usize, judged: usize) -> String {
    match share(of_use, judged) {
        Some(share) => format!("{of_use} of {judged} of use ({:.0} %)", share * 100.0),
        None => "not judged".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn markdown_shows_text_as_it_is() {
        assert_eq!(escaped("a_b [x](y) <i>"), r"a\_b \[x\](y) \<i\>");
    }
}
