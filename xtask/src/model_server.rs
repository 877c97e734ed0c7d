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
    while !server.is_over_within(LOOK) {
        let seen = server.requests();
        let settled = seen.iter().skip(told).take_while(|one| one.ending != Ending::Waiting);
        for one in settled {
            told += 1;
            println!("{told} {}", line(one));
        }
    }
    println!("served {:?}, beside the script {:?}", server.served(), server.served_beside());
    Ok(ExitCode::SUCCESS)
}

fn line(one: &Recorded) -> String {
    let Recorded { request, by, ending, usage } = one;
    format!("{} {}: {by:?}, {ending:?}, {usage:?}", request.method, request.path)
}
