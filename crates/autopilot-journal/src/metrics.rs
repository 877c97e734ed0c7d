//! `archive/metrics.json`, a list with the figures of every run (MET-1). Owns the file: what stands in an entry is the caller's, and an
//! entry of another version is kept as it is. One that cannot be read is set aside, never written over.

use autopilot_core::limits;
use serde_json::Value;

use crate::durable;
use crate::error::{Broken, JournalError};
use crate::folder::Folder;
use crate::set_aside::move_aside;

const NAME: &str = "metrics.json";

/// What is known of earlier runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsFile {
    /// The oldest first.
    pub entries: Vec<Value>,
    /// The file could not be used, and where it lies now.
    pub broken: Option<Broken>,
}

impl Folder {
    /// The entries of earlier runs; none where the file is missing. A file that is none of ours is moved to `damaged/`. Only who
    /// holds the lock may ask.
    pub fn take_metrics(&self) -> Result<MetricsFile, JournalError> {
        let path = self.metrics();
        let why = match durable::read(&path, limits::METRICS_BYTES_MAX) {
            Ok(None) => return Ok(MetricsFile::default()),
            Ok(Some(bytes)) => match serde_json::from_slice::<Vec<Value>>(&bytes) {
                Ok(entries) => return Ok(MetricsFile { entries, broken: None }),
                Err(error) => error.to_string(),
            },
            Err(error @ (JournalError::WrongKind { .. } | JournalError::TooLarge { .. })) => {
                error.to_string()
            }
            Err(error) => return Err(error),
        };
        let moved_to = Some(move_aside(self, &path, NAME)?);
        let broken = Some(Broken { moved_to, ..Broken::new(&path, why) });
        Ok(MetricsFile { entries: Vec::new(), broken })
    }

    /// Writes all entries; of too many the newest.
    pub fn write_metrics(&self, entries: &[Value]) -> Result<(), JournalError> {
        let bad =
            |error: serde_json::Error| JournalError::BadEvent { why: format!("{NAME}: {error}") };
        let surplus = entries.len().saturating_sub(limits::METRICS_RUNS_MAX);
        let mut kept = &entries[surplus..];
        loop {
            let mut bytes = serde_json::to_vec_pretty(kept).map_err(bad)?;
            bytes.push(b'\n');
            // Halved, so that it ends soon however large the oldest are.
            match kept {
                [_, .., _] if bytes.len() as u64 > limits::METRICS_BYTES_MAX => {
                    kept = &kept[kept.len() / 2..];
                }
                _ => return durable::write_atomically(&self.metrics(), &bytes),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn what_was_written_is_read_whatever_fields_it_has() {
        let scratch = Scratch::new();
        assert_eq!(scratch.folder.take_metrics().unwrap(), MetricsFile::default());
        let entries = vec![json!({"run_id": "run-1"}), json!({"version": 9, "new": [1, 2]})];
        scratch.folder.write_metrics(&entries).unwrap();
        assert_eq!(scratch.folder.take_metrics().unwrap(), MetricsFile { entries, broken: None });
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_kept_aside() {
        for text in ["{\"runs\": []}", "[{]", ""] {
            let scratch = Scratch::new();
            std::fs::write(scratch.folder.metrics(), text).unwrap();
            let found = scratch.folder.take_metrics().unwrap();
            let moved_to = found.broken.unwrap().moved_to.unwrap();
            assert_eq!(std::fs::read_to_string(&moved_to).unwrap(), text);
            assert!(moved_to.starts_with(scratch.folder.damaged()));
            scratch.folder.write_metrics(&[json!({"run_id": "run-1"})]).unwrap();
            assert_eq!(scratch.folder.take_metrics().unwrap().entries.len(), 1);
        }
    }

    #[test]
    fn the_oldest_runs_go_when_it_is_full() {
        let scratch = Scratch::new();
        let long = "x".repeat(usize::try_from(limits::METRICS_BYTES_MAX).unwrap() / 4);
        let entries: Vec<Value> = (0..6).map(|run| json!({"run_id": run, "text": long})).collect();
        scratch.folder.write_metrics(&entries).unwrap();
        let kept = scratch.folder.take_metrics().unwrap().entries;
        let ids: Vec<_> = kept.iter().map(|entry| entry["run_id"].as_u64().unwrap()).collect();
        assert_eq!(ids, [3, 4, 5]);
        let many: Vec<Value> = (0..limits::METRICS_RUNS_MAX + 1).map(|run| json!(run)).collect();
        scratch.folder.write_metrics(&many).unwrap();
        assert_eq!(scratch.folder.take_metrics().unwrap().entries, many[1..]);
    }
}
