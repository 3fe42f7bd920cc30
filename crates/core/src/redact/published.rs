//! Keys that documentation and sample projects publish. Everyone has them, they protect nothing, and notes
//! about those projects quote them, so they stay.
//!
//! The list is the common allow-list of public secret scanners. It contains only whole values, never shapes,
//! and only as hashes, so that no scanner takes this file for a leak.

/// The first eight bytes of each value's BLAKE3 hash, sorted. Entries without a comment: Google keys in the
/// repositories of Firebase's SDKs.
const SAMPLES: &[u64] = &[
    0x1fd8_7719_ff89_0fa1,
    0x325d_a84d_0218_73ca,
    0x3ea0_c69a_cc2a_a5cd,
    0x3f0e_e704_b533_f908,
    0x3f81_09b6_85c6_ea5f,
    0x444c_6a11_3e72_6eee,
    0x4d82_4fe5_90f7_4d6d,
    0x7aab_d92f_9a54_37a1,
    0x8b28_601b_80f6_386a,
    0x9499_c13b_b15f_6862, // a GUID in project templates
    0x971a_6c5a_ae0e_34fa, // Algolia: DocSearch on documentation sites
    0xb377_30c1_fe2a_3979, // NuGet: the documentation of packageSourceCredentials
    0xba64_1ef5_52f0_0642,
    0xbd0d_9b66_84d8_02f7,
    0xc927_7f7e_6ab3_6388,
    0xe0dd_3895_587a_5c78, // NuGet: the documentation of packageSourceCredentials
    0xe2bb_a36a_dfa4_b44d,
    0xec7d_3d70_8696_1773,
    0xefc1_cace_7459_1068,
    0xf2ef_98fc_df59_1ad3,
];

pub(super) fn is_sample(secret: &[u8]) -> bool {
    (11..=39).contains(&secret.len()) && SAMPLES.binary_search(&fingerprint(secret)).is_ok()
}

fn fingerprint(secret: &[u8]) -> u64 {
    let hash = blake3::hash(secret);
    u64::from_be_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_known_values_are_on_it() {
        assert!(SAMPLES.is_sorted());
        // The placeholder key of Firebase's Android SDK.
        let sample = ["AIzaSy", "abcdefghijklmnopqrstuvwxyz", "1234567"].concat();
        assert!(is_sample(sample.as_bytes()));
        assert!(!is_sample(&sample.as_bytes()[1..]));
    }
}
