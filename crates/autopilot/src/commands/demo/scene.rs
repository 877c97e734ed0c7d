//! Reads the scene files of the sample: what a scripted agent does and says, as text that is pleasant to change. What the parts
//! mean for a project is `sample`'s.
//!
//! A line `@@ word …` begins a part, and the lines up to the next one are its text:
//!
//! - `@@ step execute task=2-01-1 round=1`: what follows is done there; task and round may be left out
//! - `@@ write PATH`, `@@ replace PATH` and `@@ with`: an edit
//! - `@@ reply`: the answer, in JSON
//!
//! What stands before the first of them is for the reader.

use autopilot_agents::script::{Action, Reply, When};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Step(When),
    Do(Action),
}

/// The parts in order, or what is wrong with the text.
pub(super) fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut found = Vec::new();
    let mut replaced: Option<(String, String)> = None;
    for (head, body) in blocks(text) {
        let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
        let outside = false;
        let part = match (word, replaced.take()) {
            ("step", None) => Part::Step(when(rest)?),
            ("write", None) => {
                Part::Do(Action::Write { path: rest.into(), text: format!("{body}\n"), outside })
            }
            ("replace", None) => {
                replaced = Some((rest.into(), body));
                continue;
            }
            ("with", Some((path, from))) => {
                Part::Do(Action::Replace { path, from, to: body, outside })
            }
            ("reply", None) => {
                let json = serde_json::from_str(&body).map_err(|error| format!("{head}: {error}"));
                Part::Do(Action::Reply(Reply::Json(json?)))
            }
            _ => return Err(format!("not understood here: @@ {head}")),
        };
        found.push(part);
    }
    match replaced {
        None => Ok(found),
        Some((path, _)) => Err(format!("nothing replaces the text of {path}")),
    }
}

/// Heads without their mark, and bodies without the empty lines around them.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("@@ "), blocks.last_mut()) {
            (Some(head), _) => blocks.push((head, Vec::new())),
            (None, Some((_, body))) => body.push(line),
            (None, None) => {}
        }
    }
    let trimmed = |body: Vec<&str>| body.join("\n").trim_matches('\n').to_string();
    blocks.into_iter().map(|(head, body)| (head, trimmed(body))).collect()
}

fn when(words: &str) -> Result<When, String> {
    let mut when = When::default();
    for word in words.split(' ') {
        match word.split_once('=') {
            None => when.step = Some(word.to_string()),
            Some(("task", task)) => when.task = Some(task.to_string()),
            Some(("round", round)) => {
                let number = round.parse().map_err(|_| format!("no round: {round}"))?;
                when.round = Some(number);
            }
            Some(_) => return Err(format!("not understood in a step: {word}")),
        }
    }
    Ok(when)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_steps_edits_and_answers() {
        let text = "For the reader.\n\n@@ step execute task=2-01-1 round=2\n@@ write a.txt\none\n\ntwo\n\n\
            @@ replace b.txt\n  old\n@@ with\n  new\n@@ reply\n{\"a\": 1}\n";
        let outside = false;
        let expected = vec![
            Part::Step(When {
                phase: None,
                step: Some("execute".into()),
                task: Some("2-01-1".into()),
                round: Some(2),
            }),
            Part::Do(Action::Write { path: "a.txt".into(), text: "one\n\ntwo\n".into(), outside }),
            Part::Do(Action::Replace {
                path: "b.txt".into(),
                from: "  old".into(),
                to: "  new".into(),
                outside,
            }),
            Part::Do(Action::Reply(Reply::Json(serde_json::json!({"a": 1})))),
        ];
        assert_eq!(parts(text), Ok(expected));
    }

    #[test]
    fn a_fault_is_named() {
        let check = |text: &str, expected: &str| {
            let said = parts(text).unwrap_err();
            assert!(said.starts_with(expected), "{said}");
        };
        check("@@ fly", "not understood here: @@ fly");
        check("@@ with\na", "not understood here: @@ with");
        check("@@ replace a\nb\n@@ write c\nd", "not understood here: @@ write c");
        check("@@ replace a\nb", "nothing replaces the text of a");
        check("@@ step plan round=x", "no round: x");
        check("@@ step plan colour=red", "not understood in a step: colour=red");
        check("@@ reply\n{", "reply: ");
    }
}
