//! The scripted model for people: started by hand, tells where it is, and then each request as it was answered.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use autopilot_testkit::model_server::{Bounds, Ending, ModelServer, Recorded, Script};

/// Between two looks at the book. A person does not notice it.
const LOOK: Duration = Duration::from_millis(200);
/// Whoever plays with it for an hour asks more often than a test.
const REQUESTS_MAX: usize = 10_000;

pub(crate) fn serve(script: &Path, seconds: u32) -> Result<ExitCode> {
    let text = std::fs::read_to_string(script)
        .with_context(|| format!("cannot read {}", script.display()))?;
    let script = Script::from_json(&text).with_context(|| script.display().to_string())?;
    let life_max = Duration::from_secs(seconds.into());
    let bounds = Bounds { requests_max: REQUESTS_MAX, life_max, ..Bounds::default() };
    let server = ModelServer::bounded(script, bounds)?;
    println!("{}", server.url());
    let mut told = 0;
    while !server.is_over() {
        let settled =
            |seen: &[Recorded]| seen.get(told).is_some_and(|one| one.ending != Ending::Waiting);
        if !server.wait_until(LOOK, settled) {
            continue;
        }
        if let Some(one) = server.requests().get(told) {
            let request = &one.request;
            let path = format!("{} {}", request.method, request.path);
            println!("{} {path}: {:?}, {:?}, {:?}", told + 1, one.by, one.ending, one.usage);
        }
        told += 1;
    }
    println!("served {:?}, beside the script {:?}", server.served(), server.served_beside());
    Ok(ExitCode::SUCCESS)
}
