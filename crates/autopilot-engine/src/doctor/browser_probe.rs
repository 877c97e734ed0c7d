//! Is there a browser that renders a page without a screen? Only visual checks need one, so nothing here blocks a run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autopilot_core::limits;

use super::{Check, CheckState};
use crate::machine::Machine;
use crate::process::{self, Ending, Environment, Order};

const TOPIC: &str = "browser";

const NAMES: [&str; 8] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "chromium-headless-shell",
    "chrome-headless-shell",
];

/// On macOS browsers are not on PATH.
const APPLICATIONS: [&str; 3] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/// The page computes what is looked for: a browser that only copies its input does not pass. Without quotes and spaces,
/// because Chromium 148 takes an address with them on its command line for nothing and prints an empty page.
const PAGE: &str = "data:text/html,<p id=answer>none</p><script>answer.textContent=6*7</script>";
const RENDERED: &str = ">42</p>";

pub fn browser(machine: &Machine) -> Check {
    browser_within(machine, limits::BROWSER_TIME_MAX)
}

pub(super) fn browser_within(machine: &Machine, time_max: Duration) -> Check {
    let mut first_failure = None;
    for program in candidates(machine) {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match render(machine, &program, time_max) {
            Ok(()) => return Check::good(TOPIC, format!("{name} rendered a page")),
            Err(why) => {
                first_failure.get_or_insert(format!("{name} {why}"));
            }
        }
    }
    match first_failure {
        Some(why) => Check::new(TOPIC, CheckState::Broken, why)
            .fix("install another Chromium; only visual checks need it"),
        None => Check::new(TOPIC, CheckState::Missing, "no Chromium, Chrome or Edge found")
            .fix("install chromium; only visual checks need it"),
    }
}

/// Every browser once: several names are often links to one program.
fn candidates(machine: &Machine) -> Vec<PathBuf> {
    let on_path = NAMES.iter().filter_map(|name| process::find_program(name, machine.path()));
    let applications = APPLICATIONS.iter().map(PathBuf::from).filter(|path| path.is_file());
    let mut seen = BTreeSet::new();
    let is_new = |path: &PathBuf| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
    on_path.chain(applications).filter(is_new).collect()
}

fn render(machine: &Machine, program: &Path, time_max: Duration) -> Result<(), String> {
    let profile = tempfile::Builder::new().prefix("autopilot-browser-").tempdir();
    let profile = profile.map_err(|error| format!("has no temporary profile: {error}"))?;
    let mut arguments = vec![
        "--headless".to_owned(),
        "--disable-gpu".into(),
        "--disable-quic".into(),
        "--no-first-run".into(),
        "--disable-background-networking".into(),
        "--disable-component-update".into(),
        "--disable-sync".into(),
        format!("--user-data-dir={}", profile.path().display()),
    ];
    if rustix::process::geteuid().is_root() {
        // Chromium refuses to start its own sandbox as root.
        arguments.push("--no-sandbox".into());
    }
    arguments.extend(["--dump-dom".into(), PAGE.into()]);
    let environment = Environment::listed(machine);
    let order = Order::new(program, profile.path(), environment, time_max);
    let finished = process::run(order.arguments(arguments))
        .map_err(|error| format!("did not start: {error}"))?;
    let last = finished.stderr.last_lines().pop().map_or(String::new(), |line| format!(": {line}"));
    match finished.ending {
        Ending::Exited(0) if finished.stdout.text().contains(RENDERED) => Ok(()),
        Ending::Exited(0) => Err("did not render the page".into()),
        Ending::Exited(code) => Err(format!("ended with exit code {code}{last}")),
        Ending::Signalled(signal) => Err(format!("was ended by signal {signal}{last}")),
        Ending::TimedOut => Err(format!("did not render a page within {} s", time_max.as_secs())),
    }
}
