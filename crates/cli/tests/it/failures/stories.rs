//! Scripted stories, every program with its client: who is warned, and who is left alone.

use std::path::Path;

use hark_testkit::Home;

use super::clients::{Change, Session};
use super::programs::{PROGRAMS, Program};

/// A place in a story where somebody is about to act.
struct Moment {
    story: String,
    /// What the warning must hold; `None`: nothing must be said.
    wanted: Option<Vec<String>>,
    said: String,
}

impl Moment {
    fn is_right(&self) -> bool {
        match &self.wanted {
            Some(words) => words.iter().all(|word| self.said.contains(word)),
            None => self.said.is_empty(),
        }
    }
}

struct Teller<'h> {
    home: &'h Home,
    program: &'static Program,
    moments: Vec<Moment>,
    sessions: u32,
}

impl<'h> Teller<'h> {
    fn session(&mut self, folder: &Path) -> Session<'h> {
        self.sessions += 1;
        let id = format!("{}-{}", self.program.name.replace(' ', "-"), self.sessions);
        Session::new(self.home, self.program.host, &id, folder)
    }

    fn moment(&mut self, story: &str, wanted: Option<Vec<String>>, said: String) {
        let story = format!("{} ({}): {story}", self.program.name, self.program.host);
        self.moments.push(Moment { story, wanted, said });
    }

    fn breaking(&self) -> Change<'static> {
        Change { file: self.program.file, old: self.program.mended, new: self.program.broken }
    }

    fn mending(&self) -> Change<'static> {
        Change { file: self.program.file, old: self.program.broken, new: self.program.mended }
    }

    fn fail(&self, session: &mut Session<'_>, folder: &Path) -> String {
        let output = self.program.failing.replace("{root}", &folder.display().to_string());
        session.run(self.program.command, false, &output)
    }

    fn pass(&self, session: &mut Session<'_>) {
        session.run(self.program.command, true, self.program.passing);
    }

    /// What broke, and the new text of the fix as far as a warning shows it.
    fn with_fix(&self) -> Vec<String> {
        vec![self.program.message.to_owned(), "fixed by".to_owned(), self.program.file.to_owned()]
    }

    /// Two attempts in vain: what it cost makes it worth a warning.
    fn fail_at_length(&self, session: &mut Session<'_>, folder: &Path) {
        self.fail(session, folder);
        for attempt in ["first try\n", "second try\n"] {
            session.edit(&Change { file: self.program.file, old: self.program.broken, new: attempt });
            self.fail(session, folder);
        }
    }

    fn message(&self) -> Option<Vec<String>> {
        Some(vec![self.program.message.to_owned(), "failed".to_owned()])
    }

    fn was_cheap(&mut self, folder: &Path) {
        let mut first = self.session(folder);
        first.edit(&self.breaking());
        self.fail(&mut first, folder);
        let mut second = self.session(folder);
        let said = second.warned_running(self.program.command, false, self.program.failing);
        self.moment("it failed once and cost nothing", None, said);
    }

    fn stays_broken(&mut self, folder: &Path, other: &Path) {
        let mut first = self.session(folder);
        first.edit(&self.breaking());
        self.fail_at_length(&mut first, folder);
        let said = first.warned_editing(&self.mending());
        // Clients that hear nothing before a tool were told after it, in the same session.
        self.moment("the session that saw it knows it", None, said);
        first.prompt("perfect, nice work, everything is fine now!");
        self.fail(&mut first, folder);

        let mut third = self.session(folder);
        let output = self.program.failing.replace("{root}", &folder.display().to_string());
        let said = third.warned_running(self.program.command, false, &output);
        let wanted = self.message();
        self.moment("the command that failed is run again", wanted, said);
        let said = third.warned_running(self.program.command, false, &output);
        self.moment("once in a session", None, said);

        let mut stranger = self.session(other);
        let said = stranger.warned_editing(&self.breaking());
        self.moment("the same file of another project", None, said);
        let said = stranger.warned_running(self.program.command, true, self.program.passing);
        self.moment("the same command in another project", None, said);

        let mut elsewhere = self.session(folder);
        let said = elsewhere.warned_editing(&Change { file: "src/unrelated.txt", old: "a", new: "b" });
        self.moment("another file of the project", None, said);
        let said =
            elsewhere.warned_editing(&Change { file: self.program.file, old: "one = 1", new: "two = 2" });
        self.moment("another place in the file", None, said);
        let said = elsewhere.warned_running("git status", true, "clean");
        self.moment("another command", None, said);
    }

    fn mended(&mut self, folder: &Path) {
        let mut first = self.session(folder);
        first.edit(&self.breaking());
        self.fail_at_length(&mut first, folder);
        first.edit(&self.mending());
        self.pass(&mut first);

        let mut second = self.session(folder);
        let said = second.warned_running(self.program.command, true, self.program.passing);
        self.moment("the command was mended", None, said);
        let said = second.warned_editing(&Change {
            file: self.program.file,
            old: self.program.mended,
            new: "something else\n",
        });
        self.moment("mended, and something else is edited", None, said);
    }

    fn comes_back(&mut self, folder: &Path) {
        let mut first = self.session(folder);
        first.edit(&self.breaking());
        self.fail(&mut first, folder);
        first.edit(&self.mending());
        self.pass(&mut first);

        let mut second = self.session(folder);
        second.edit(&self.breaking());
        let said = self.fail(&mut second, folder);
        self.moment("it is back: the fix is told at once", Some(self.with_fix()), said);

        let mut third = self.session(folder);
        let output = self.program.failing.replace("{root}", &folder.display().to_string());
        let said = third.warned_running(self.program.command, false, &output);
        let wanted = self.message();
        self.moment("it is back and open", wanted, said);
    }
}

#[test]
fn stories_across_languages_and_clients() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let mut moments = Vec::new();
    for program in PROGRAMS {
        let mut teller = Teller { home: &home, program, moments: Vec::new(), sessions: 0 };
        let folder = |name: &str| home.root().join(program.name.replace(' ', "-")).join(name);
        teller.was_cheap(&folder("cheap"));
        teller.stays_broken(&folder("broken"), &folder("stranger"));
        teller.mended(&folder("mended"));
        teller.comes_back(&folder("back"));
        moments.extend(teller.moments);
    }
    let spoken = moments.iter().filter(|m| !m.said.is_empty()).count();
    let right = moments.iter().filter(|m| m.wanted.is_some() && m.is_right()).count();
    let wanted = moments.iter().filter(|m| m.wanted.is_some()).count();
    for moment in moments.iter().filter(|m| !m.is_right()) {
        #[expect(clippy::print_stderr, reason = "which stories went wrong")]
        {
            eprintln!("wrong: {}\n  wanted {:?}\n  said {:?}", moment.story, moment.wanted, moment.said);
        }
    }
    #[expect(clippy::print_stderr, reason = "the figures of this test")]
    {
        eprintln!("{} moments; {spoken} warnings, {right} right, {wanted} wanted", moments.len());
    }
    assert!(right * 100 >= spoken * 95, "precision: {right} of {spoken}");
    assert!(right * 100 >= wanted * 85, "recall: {right} of {wanted}");
    for moment in moments.iter().filter(|m| !m.said.is_empty()) {
        let tokens = hark_core::budget::estimate_tokens(&moment.said);
        assert!(tokens <= 120, "{tokens} tokens: {}", moment.said);
        assert!(
            moment.said.starts_with("<hark-memory") && moment.said.ends_with("</hark-memory>"),
            "{}",
            moment.said
        );
    }
}
