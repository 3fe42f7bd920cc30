//! Whether rules help: sessions in which a rule was told, compared with sessions that were drawn to hear nothing of it.

use crate::id::MemoryId;
use crate::session::SessionId;

/// Whether a session hears nothing of a rule. It is the same at every match in the session, and nobody can predict it
/// without the key.
pub fn is_silent(rule: &MemoryId, session: &SessionId, key: &[u8; 32], share: f32) -> bool {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(rule.as_bytes());
    hasher.update(session.as_bytes());
    let hash = hasher.finalize();
    let mut first = [0; 4];
    first.copy_from_slice(&hash.as_bytes()[..4]);
    f64::from(u32::from_le_bytes(first)) / f64::from(u32::MAX) < f64::from(share.clamp(0.0, 1.0))
}
