//! What a worker left running when its attempt was over. It was ended then, so nothing that is measured can lean on it; that it was
//! there is told, for a service that only ran beside the work may be why a worker saw it work.

use crate::run::checks::{Found, Integrity, quoted};
use crate::run::pipeline::At;

pub(super) fn look(at: At<'_>) -> Vec<Found> {
    let left = &at.work.checked.left_running;
    if left.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> =
        left.iter().map(|name| quoted(name).trim_matches('"').to_string()).collect();
    let reason = format!("left running by whoever worked, and ended with it: {}", names.join(", "));
    vec![Found::Warned { check: Integrity::LeftRunning, reason }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::checks::fixture::{Scene, told};

    #[test]
    fn what_was_left_running_is_named() {
        let mut scene = Scene::new();
        assert_eq!(told(&look(scene.at())), "");
        scene.work.checked.left_running =
            ["node server.js", "redis-server"].map(str::to_string).into();
        let expected = "warned left_running: left running by whoever worked, and ended with it: node server.js, redis-server";
        assert_eq!(told(&look(scene.at())), expected);
    }
}
