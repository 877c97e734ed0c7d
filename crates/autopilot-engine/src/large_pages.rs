//! Memory in large pieces, for a thread that is about to fill megabytes of it within a millisecond. A system gives memory a page of
//! 4 KB at a time, when it is first touched, and giving takes longer than filling; Linux gives 2 MB at once where it is asked to.

/// The size of a large page on every machine we build for.
const PAGE: usize = 2 << 20;
/// The system's allocator keeps no greater pieces for later.
const BYTES_MAX: usize = 12 << 20;

/// Asks for large pages below the next `bytes` that the calling thread allocates. It is a wish: where nobody hears it, or another
/// allocator is in use, everything works as before.
pub(crate) fn for_the_next(bytes: usize) {
    let bytes = bytes.next_multiple_of(PAGE).min(BYTES_MAX);
    // What is given back stays with the allocator up to twice the greatest piece that was, hence the first.
    drop(untouched(bytes + 2 * PAGE));
    let block = untouched(bytes + PAGE);
    let gap = block.as_ptr().align_offset(PAGE);
    advise(&block, gap, bytes);
    drop(block);
    // Large pages begin at whole multiples. What lies before the first is never touched, and so is no memory.
    std::mem::forget(untouched(gap.saturating_sub(ALLOCATORS_OWN)));
}

/// What the allocator writes around a piece of memory.
const ALLOCATORS_OWN: usize = 64;

/// Memory that nobody has written to, so that it is only an address.
fn untouched(bytes: usize) -> Vec<u8> {
    std::hint::black_box(Vec::with_capacity(bytes))
}

#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the call takes a bare address; it is one inside of `block`, and what lies there is not changed by the advice"
)]
fn advise(block: &Vec<u8>, from: usize, bytes: usize) {
    use rustix::mm::{Advice, madvise};

    assert!(from + bytes <= block.capacity(), "{from} + {bytes} beyond {}", block.capacity());
    let start = block.as_ptr().wrapping_add(from).cast_mut().cast();
    // SAFETY: all of it lies in memory that `block` owns. The advice says how pages are to be given; it takes none away.
    let heard = unsafe { madvise(start, bytes, Advice::LinuxHugepage) };
    // A system without large pages gives small ones.
    let _ = heard;
}

#[cfg(not(target_os = "linux"))]
fn advise(_: &[u8], _: usize, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_afterwards_holds_what_is_put_there() {
        for bytes in [0, 1, PAGE, 3 * PAGE + 1, usize::MAX / 2] {
            for_the_next(bytes.min(BYTES_MAX * 2));
            let pieces: Vec<Vec<u8>> =
                (0u8..200).map(|number| vec![number; 1 << (number % 16)]).collect();
            let is_whole = |(number, piece): (usize, &Vec<u8>)| {
                piece.len() == 1 << (number % 16)
                    && piece.iter().all(|byte| usize::from(*byte) == number)
            };
            assert!(pieces.iter().enumerate().all(is_whole), "{bytes}");
        }
    }
}
