//! Updates a session after it received events from a transcript: title, times, status, summary and file, as
//! hooks would have left them.

use hark_core::session::{CheckpointBy, SessionStatus};
use hark_core::time::{DAY_MS, parse_span};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::capture;
use crate::{summary, turns};

/// Brings one session up to date with its events. Everything that learns from a whole session starts here:
/// this runs once after each read that added something, and again if it failed.
pub fn after_session(engine: &mut Engine, session: i64) -> Result<(), EngineError> {
    let now = engine.now();
    let stale = parse_span(&engine.config.sessions.stale).unwrap_or(DAY_MS);
    engine.store.write(now, |writer| {
        let mut stored = match writer.session(session) {
            Ok(Some(stored)) => stored,
            // It was forgotten in the meantime.
            Ok(None) => return Ok(writer.settled(session)?),
            // Never overwrite a hand-edited file that cannot be parsed.
            Err(hark_store::StoreError::Unreadable { .. }) => return Ok(writer.settled(session)?),
            Err(e) => return Err(EngineError::from(e)),
        };
        if let Some((first, last)) = writer.span_of_events(session)? {
            stored.session.started = stored.session.started.min(first);
            stored.session.updated = stored.session.updated.max(last);
        }
        // Turns that hooks reported are known already, and say more: tools may change files without naming them.
        for turn in turns::all(writer, session)? {
            if !stored.session.turns.iter().any(|known| known.at == turn.at) {
                stored.session.add_turn(turn);
            }
        }
        let last = stored.session.updated;
        let is_old = last < now.minus_millis(stale);
        let is_open = stored.session.status == SessionStatus::Open;
        if is_open && is_old && !(stored.session.has_substance() || stored.session.title.is_some()) {
            // It has nothing to report, but stays known so that it is not read as new again.
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
