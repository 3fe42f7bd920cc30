//! What follows when a session got events from a transcript: title, times, status, summary and file,
//! as hooks would have left them.

use hark_core::session::{CheckpointBy, SessionStatus};
use hark_core::time::{DAY_MS, parse_span};

use crate::capture;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::summary;

/// Brings one session up to date with its events. Whatever learns from a whole session begins here:
/// it is called once after each reading that told something new about it, and again if it failed.
pub fn after_session(engine: &mut Engine, session: i64) -> Result<(), EngineError> {
    let now = engine.now();
    let stale = parse_span(&engine.config.sessions.stale).unwrap_or(DAY_MS);
    engine.store.write(now, |writer| {
        let mut stored = match writer.session(session) {
            Ok(Some(stored)) => stored,
            // Forgotten meanwhile.
            Ok(None) => return Ok(writer.settled(session)?),
            // Somebody's edit that cannot be read is never overwritten.
            Err(hark_store::StoreError::Unreadable { .. }) => return Ok(writer.settled(session)?),
            Err(e) => return Err(EngineError::from(e)),
        };
        if let Some((first, last)) = writer.span_of_events(session)? {
            stored.session.started = stored.session.started.min(first);
            stored.session.updated = stored.session.updated.max(last);
        }
        let last = stored.session.updated;
        let is_old = last < now.minus_millis(stale);
        let is_open = stored.session.status == SessionStatus::Open;
        if is_open && is_old && !(stored.session.has_substance() || stored.session.title.is_some()) {
            // Nothing to tell; but it stays known, lest it is read as new another time.
            stored.session.close(SessionStatus::Expired, last);
            writer.note_session(&stored)?;
        } else if is_open && is_old {
            writer.note_session(&stored)?;
            capture::machine_checkpoint(writer, session, CheckpointBy::Expiry, None, last)?;
        } else {
            let text = summary::extract(writer, session, &stored.session)?;
            if !is_open {
                stored.session.summarise(text);
            }
            if stored.session.has_substance() || stored.session.title.is_some() {
                writer.save_session(&stored)?;
            } else {
                writer.note_session(&stored)?;
            }
        }
        Ok(writer.settled(session)?)
    })
}
