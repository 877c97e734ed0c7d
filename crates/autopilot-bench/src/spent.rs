//! Clocks: one that all processes share, and the time this thread spent on a processor, which other work on the machine does not
//! change.

use rustix::time::{ClockId, Timespec, clock_gettime};

pub(crate) fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

pub(crate) fn processor_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// Of all threads of this process, those that have ended too; not of its children.
pub(crate) fn of_process_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ProcessCPUTime))
}

fn nanoseconds(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let rest = u64::try_from(time.tv_nsec).unwrap_or_default();
    seconds * 1_000_000_000 + rest
}
