//! Which processor a thread runs on. Makes two threads run at once where the system would run them one after the other.

/// The one the calling thread runs on. Where that cannot be known, all are the same one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Processor(usize);

#[cfg(target_os = "linux")]
impl Processor {
    pub(crate) fn of_this_thread() -> Processor {
        Processor(rustix::thread::sched_getcpu())
    }

    /// Moves the calling thread away from it, if it is there; whether it is elsewhere then. Most systems start a thread on a
    /// processor that has nothing to do; virtual machines that are packed densely let it wait for the one that started it.
    pub(crate) fn leave(self) -> bool {
        use rustix::thread::{sched_getaffinity, sched_setaffinity};

        if Processor::of_this_thread() != self {
            return true;
        }
        let Ok(allowed) = sched_getaffinity(None) else { return false };
        let mut others = allowed;
        others.unset(self.0);
        let is_elsewhere = others.count() > 0 && sched_setaffinity(None, &others).is_ok();
        if is_elsewhere {
            // From now on the system may move it again as it likes; refused, it stays where it is, which costs only time.
            let _ = sched_setaffinity(None, &allowed);
        }
        is_elsewhere
    }
}

#[cfg(not(target_os = "linux"))]
impl Processor {
    pub(crate) fn of_this_thread() -> Processor {
        Processor(0)
    }

    pub(crate) fn leave(self) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_leaves_a_processor_only_for_another_one() {
        let allowed = || rustix::thread::sched_getaffinity(None).unwrap();
        let (before, here) = (allowed(), Processor::of_this_thread());
        assert_eq!(here.leave(), before.count() > 1);
        assert_eq!(allowed(), before, "afterwards it may run wherever it might before");
    }
}
