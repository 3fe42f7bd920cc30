//! Memory that a call frees is kept for the next one, and asked for in one piece.
//!
//! glibc's allocator returns memory to the system as soon as 128 kB lie free at the end of a heap, and a heap of another
//! thread than the first grows page by page: a system call for each page of the database that is read for the first
//! time. Other allocators do not mind what is done here.

use std::hint::black_box;

/// So much is mostly enough for what a thread reads and works with. None of it is touched, so none is occupied.
const RESERVE: usize = 16 * 1024 * 1024;

/// Blocks larger than the largest that was freed are not taken from a heap, and twice as much is kept.
const LARGEST: usize = 17 * 1024 * 1024;

/// Once, before any thread is started.
pub(crate) fn keep() {
    drop(black_box(Vec::<u8>::with_capacity(LARGEST)));
}

/// For each thread that works.
pub(crate) fn reserve() {
    drop(black_box(Vec::<u8>::with_capacity(RESERVE)));
}
