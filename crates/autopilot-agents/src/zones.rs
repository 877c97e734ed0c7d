//! The time zones of a machine: the one its clock shows, and those that texts name. Handed to readers, so that these stay pure.

use jiff::tz::TimeZone;

/// Finds a zone by its name in the database, as in `Europe/Berlin`.
pub type Named = fn(&str) -> Option<TimeZone>;

#[derive(Debug, Clone)]
pub struct Zones {
    local: TimeZone,
    named: Named,
}

impl Zones {
    /// From the system's own database, read when a name is asked for. Without one, the local zone is UTC.
    pub fn of_this_machine() -> Zones {
        Zones { local: TimeZone::system(), named: |name| TimeZone::get(name).ok() }
    }

    pub fn of(local: TimeZone, named: Named) -> Zones {
        Zones { local, named }
    }

    pub(crate) fn local(&self) -> TimeZone {
        self.local.clone()
    }

    /// Abbreviations stand for several zones each, so of them only those of UTC are known.
    pub(crate) fn named(&self, name: &str) -> Option<TimeZone> {
        let is_utc = ["utc", "gmt", "z"].iter().any(|known| name.eq_ignore_ascii_case(known));
        if is_utc { Some(TimeZone::UTC) } else { (self.named)(name) }
    }
}
