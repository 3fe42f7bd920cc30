//! MinHash: a few numbers per text, to look up near-duplicates.

use super::words::Statement;

/// How many numbers a text has. Two texts that share half of their words have one in common nine times out of
/// ten.
pub const BANDS: usize = 8;
const ROWS: usize = 2;

/// The numbers of a text within `scope` (for example a project and a kind): texts in different scopes never
/// match. Empty for a text without significant words.
pub fn bands(scope: &str, text: &str) -> Vec<i64> {
    let statement = Statement::of(text);
    let mut least = [u64::MAX; BANDS * ROWS];
    let mut is_empty = true;
    for key in statement.keys() {
        is_empty = false;
        let hash = hash(0xcbf2_9ce4_8422_2325, key.as_bytes());
        for (at, slot) in least.iter_mut().enumerate() {
            *slot = (*slot).min(mix(hash ^ (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        }
    }
    if is_empty {
        return Vec::new();
    }
    let seed = hash(0x8422_2325_cbf2_9ce4, scope.as_bytes());
    let rows = least.chunks(ROWS).enumerate();
    rows.map(|(band, rows)| {
        let folded = rows.iter().fold(mix(seed ^ band as u64), |state, row| mix(state ^ row));
        // 48 bits are plenty and take less space in an index.
        (folded >> 16).cast_signed()
    })
    .collect()
}

fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Mixes the bits of a number.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
