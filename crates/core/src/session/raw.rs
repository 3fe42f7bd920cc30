//! A session that was read from JSON and has not passed redaction, and its conversion to one that has.

use super::{Checkpoint, FileTouch, Pointer, Session, Summary, UnknownSection};
use crate::redact::{Clean, Raw, Unredacted};

impl Unredacted for FileTouch<Raw> {
    type Redacted = FileTouch;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> FileTouch {
        FileTouch {
            path: self.path.redacted(clean),
            op: self.op,
            from: self.from.redacted(clean),
            edits: self.edits,
            first: self.first,
            last: self.last,
        }
    }
}

impl Unredacted for Checkpoint<Raw> {
    type Redacted = Checkpoint;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Checkpoint {
        Checkpoint { at: self.at, by: self.by, note: self.note.redacted(clean) }
    }
}

impl Unredacted for Pointer<Raw> {
    type Redacted = Pointer;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Pointer {
        Pointer { to: self.to.redacted(clean), label: self.label.redacted(clean) }
    }
}

impl Unredacted for Summary<Raw> {
    type Redacted = Summary;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Summary {
        Summary { text: self.text.redacted(clean), extracted: self.extracted }
    }
}

impl Unredacted for UnknownSection<Raw> {
    type Redacted = UnknownSection;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> UnknownSection {
        UnknownSection { heading: self.heading.redacted(clean), text: self.text.redacted(clean) }
    }
}

impl Unredacted for Session<Raw> {
    type Redacted = Session;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Session {
        Session {
            id: self.id,
            host: self.host.redacted(clean),
            host_session: self.host_session.redacted(clean),
            project: self.project.redacted(clean).flatten(),
            parent: self.parent.redacted(clean),
            status: self.status,
            title: self.title.redacted(clean),
            goal: self.goal.redacted(clean),
            done: self.done.redacted(clean),
            pending: self.pending.redacted(clean),
            work: self.work.redacted(clean),
            decisions: self.decisions.redacted(clean),
            plans: self.plans.redacted(clean),
            references: self.references.redacted(clean),
            files: self.files.redacted(clean),
            checkpoints: self.checkpoints.redacted(clean),
            turns: self.turns.redacted(clean),
            summary: self.summary.redacted(clean),
            branch: self.branch.redacted(clean),
            head_start: self.head_start.redacted(clean),
            head_end: self.head_end.redacted(clean),
            folder: self.folder.redacted(clean),
            transcript: self.transcript.redacted(clean),
            started: self.started,
            updated: self.updated,
            ended: self.ended,
            tool_calls: self.tool_calls,
            unknown: self.unknown.redacted(clean),
            unknown_sections: self.unknown_sections.redacted(clean),
        }
    }
}
