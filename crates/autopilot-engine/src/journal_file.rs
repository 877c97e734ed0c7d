//! Reads the events of a run from a file that lies anywhere: a journal, whose chain is checked, or the lines that `journal export`
//! and `run --json` print, which have no hashes. Nothing but the file is looked at.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use autopilot_core::limits;
use autopilot_core::problem::Problem;
use autopilot_core::run::event::Event;
use autopilot_journal::{Record, RunId, read_file};
use serde_json::Value;

/// The run's name and its events from the first.
pub fn read(path: &Path) -> Result<(String, Vec<Record<Event>>), Problem> {
    let mut lines = open(path)?;
    let first = next_line(&mut lines, path)?.unwrap_or_default();
    let value: Value = serde_json::from_slice(&first).unwrap_or_default();
    let Some(run) = value["event"]["definition"]["run"].as_str() else {
        return Err(no_journal(path, "its first line is no run_started event"));
    };
    if value.get("hash").is_some() {
        let id = RunId::new(run).map_err(|error| no_journal(path, &error.to_string()))?;
        let journal = read_file(path, &id).map_err(|error| error.problem())?;
        return Ok((run.to_string(), journal.records));
    }
    let mut records = vec![exported(&first, 0, path)?];
    while let Some(line) = next_line(&mut lines, path)? {
        records.push(exported(&line, records.len() as u64, path)?);
    }
    Ok((run.to_string(), records))
}

fn open(path: &Path) -> Result<BufReader<std::io::Take<File>>, Problem> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let bytes = file.metadata().map_err(|error| unreadable(path, &error))?.len();
    if bytes > limits::JOURNAL_BYTES_MAX {
        return Err(no_journal(path, &format!("it has {bytes} bytes, more than any journal")));
    }
    Ok(BufReader::new(file.take(bytes)))
}

/// Without its newline; None at the end.
fn next_line(lines: &mut impl BufRead, path: &Path) -> Result<Option<Vec<u8>>, Problem> {
    let mut line = Vec::new();
    let bytes_max = limits::RECORD_LINE_BYTES_MAX as u64 + 1;
    let read = lines.take(bytes_max).read_until(b'\n', &mut line);
    let read = read.map_err(|error| unreadable(path, &error))?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok((read > 0).then_some(line))
}

fn exported(line: &[u8], number: u64, path: &Path) -> Result<Record<Event>, Problem> {
    let wrong = |what: String| no_journal(path, &format!("line {}: {what}", number + 1));
    let mut line: Value =
        serde_json::from_slice(line).map_err(|error| wrong(format!("no JSON: {error}")))?;
    let event: Event = serde_json::from_value(line["event"].take()).map_err(|error| {
        // What else could have stood there is a long list.
        let said = error.to_string();
        let said = said.split(", expected").next().unwrap_or_default();
        wrong(format!("no event of this autopilot: {said}"))
    })?;
    match (line["seq"].as_u64(), line["at"].as_u64()) {
        (Some(seq), Some(at)) if seq == number => Ok(Record { seq, at, event }),
        (Some(seq), Some(_)) => Err(wrong(format!("it has the event {seq} instead of {number}"))),
        _ => Err(wrong("it has no seq or no at".to_string())),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::usage(
        format!("{} cannot be read: {error}", path.display()),
        "the events of the run are to be read from it",
        "name a file that can be read, or a run",
    )
}

fn no_journal(path: &Path, what: &str) -> Problem {
    Problem::usage(
        format!("{} is no journal: {what}", path.display()),
        "a run can be followed only from its first event, and without a gap",
        "make one of a run: autopilot journal export > events.jsonl",
    )
}
