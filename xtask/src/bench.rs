//! `bench readers`: how long autopilot takes to read roadmaps, beside the best peer and beside the cheapest program there is,
//! all in one interleaved run. Absolute times mean little on a busy machine; the ratios of one run do.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::release;
use expectations::Figures;
use measure::{Subject, Timing};
use projects::Project;

pub(crate) mod agents;
mod expectations;
pub(crate) mod liars;
mod measure;
mod memory;
mod peer;
mod projects;
pub(crate) mod run;

/// One roadmap, read by both.
struct Row {
    project: Project,
    ours: Timing,
    peers: Timing,
    our_phases: Option<usize>,
    peer_phases: Option<usize>,
}

pub(crate) fn readers(binary: Option<PathBuf>) -> Result<ExitCode> {
    let autopilot = match binary {
        Some(binary) => binary,
        None => release::build()?,
    };
    let peer = peer::installed()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let projects = projects::make(folder.path())?;

    println!("looking at each output once, so that no error is timed as a success");
    let mut rows = Vec::new();
    for project in projects {
        let ours = Subject::autopilot(&autopilot, &project.folder);
        let peers = peer.subject(&project.folder);
        let (ours, our_output) = ours.looked_at()?;
        let (peers, peer_output) = peers.looked_at()?;
        if !ours.ran() {
            bail!("autopilot ended with {} on {}", ours.exit(), project.name);
        }
        let our_phases = counted(&our_output, "id");
        let peer_phases = counted(&peer_output, "number");
        rows.push(Row { project, ours, peers, our_phases, peer_phases });
    }
    let mut floor = Subject::floor()?.looked_at()?.0;
    let mut start = Subject::version(&autopilot).looked_at()?.0;

    for round in 1..=measure::ROUNDS {
        println!("round {round} of {}", measure::ROUNDS);
        floor.measure()?;
        start.measure()?;
        for row in &mut rows {
            row.ours.measure()?;
            row.peers.measure_within_budget()?;
        }
    }
    print!("\n{}", table(&floor, &start, &rows));
    let peak = peak_at(&autopilot, &rows, 1_000);
    let figures = Figures::new(&floor, &start, &rows, peak);
    Ok(show(&figures.judged()))
}

/// Prints every expectation; fails when one is not met.
fn show(judged: &[(String, bool)]) -> ExitCode {
    println!();
    for (sentence, met) in judged {
        println!("{}  {sentence}", if *met { "PASS" } else { "FAIL" });
    }
    if judged.iter().all(|(_, met)| *met) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How many entries of `phases` in a JSON document have `key`; `None` where there is no such list.
fn counted(output: &[u8], key: &str) -> Option<usize> {
    let document: serde_json::Value = serde_json::from_slice(output).ok()?;
    let phases = document.get("phases")?.as_array()?;
    Some(phases.iter().filter(|phase| phase.get(key).is_some()).count())
}

fn peak_at(autopilot: &Path, rows: &[Row], phases: usize) -> Option<u64> {
    let row = rows.iter().find(|row| row.project.generated == Some(phases))?;
    match memory::peak_kib(Subject::autopilot(autopilot, &row.project.folder)) {
        Ok(peak) => Some(peak),
        Err(error) => {
            eprintln!("peak memory was not measured: {error:#}");
            None
        }
    }
}

fn table(floor: &Timing, start: &Timing, rows: &[Row]) -> String {
    let names = rows.iter().map(|row| row.project.name.chars().count());
    let wide = names.max().unwrap_or(0).max(27);
    let mut text = format!(
        "{:<wide$} {:>10} {:>5} {:>7} {:>12} {:>5} {:>6} {:>7} {:>8}\n",
        "median", "autopilot", "exit", "phases", "peer", "exit", "rounds", "phases", "ratio"
    );
    for (name, timing) in [("the cheapest program (true)", floor), ("autopilot --version", start)] {
        text += &format!("{name:<wide$} {:>7.2} ms {:>5}\n", timing.median_ms(), timing.exit());
    }
    let number = |count: Option<usize>| count.map_or("-".into(), |count| count.to_string());
    for row in rows {
        let (ours, peers) = (row.ours.median_ms(), row.peers.median_ms());
        text += &format!(
            "{:<wide$} {ours:>7.2} ms {:>5} {:>7} {peers:>9.2} ms {:>5} {:>6} {:>7} {:>7.1}x\n",
            row.project.name,
            row.ours.exit(),
            number(row.our_phases),
            row.peers.exit(),
            row.peers.rounds(),
            number(row.peer_phases),
            peers / ours,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_counted_in_the_document_and_not_in_its_text() {
        let count = |text: &str| counted(text.as_bytes(), "id");
        assert_eq!(count(r#"{"phases": [{"id": "1"}, {"id": "2"}, {"name": "\"id\""}]}"#), Some(2));
        assert_eq!(count(r#"{"error": {"id": 1}}"#), None);
        assert_eq!(count("error: no roadmap"), None);
    }
}
