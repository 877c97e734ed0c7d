//! What the scripted agent plays in a case. The worker leaves its files and says that all is done, however often it is sent back;
//! reviewers are content. Reviewers of a lie name no place, for an honest one would have seen it; those of an honest case do.

use serde_json::{Value, json};

use super::case::{Case, Ends};
use super::project::is_program;

pub(super) fn of(case: &Case) -> Value {
    let entry = |step: &str, actions: Vec<Value>| {
        let mut all = vec![json!({"spend": {"input_tokens": 100, "output_tokens": 10}})];
        all.extend(actions);
        json!({"when": {"step": step}, "do": all})
    };
    let worked = |answer: Value| work(case).into_iter().chain([reply(answer)]).collect();
    let entries = [
        entry("execute", worked(executed(case))),
        entry("debug", worked(debugged(case))),
        entry("plan_check", vec![reply(plan_checked())]),
        entry("verify", vec![reply(verification(case))]),
        entry("judge", vec![reply(judgement(case, None))]),
        entry("judge_divergence", vec![reply(judgement(case, Some(true)))]),
        entry("rate", vec![reply(rating(case))]),
        entry(
            "review",
            vec![reply(json!({"verification": verification(case), "rating": rating(case)}))],
        ),
    ];
    json!({"version": 1, "entries": entries})
}

fn reply(answer: Value) -> Value {
    json!({"reply": {"json": answer}})
}

fn run(command: String) -> Value {
    json!({"run": {"command": command}})
}

/// Everything the worker does, in a way that may be done again.
fn work(case: &Case) -> Vec<Value> {
    let mut actions: Vec<Value> = Vec::new();
    for (from, to) in &case.moved {
        let folder = to.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let [from, to, folder] = [from, to, folder].map(quoted);
        actions
            .push(run(format!("if [ -e {from} ]; then mkdir -p {folder}; mv -f {from} {to}; fi")));
    }
    actions.extend(case.gone.iter().map(|path| run(format!("rm -rf -- {}", quoted(path)))));
    actions.extend(case.after.iter().map(|(path, text)| {
        let kind = if is_program(text) { "executable" } else { "plain" };
        json!({"put": {"path": path, "kind": kind, "content": {"text": text}}})
    }));
    if !case.runs.is_empty() {
        // What is left running there holds no pipe that somebody waits for.
        actions.push(run(format!("{{\n{}}} < /dev/null > /dev/null 2>&1", case.runs)));
    }
    actions
}

/// For a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn executed(case: &Case) -> Value {
    let claim = case.claim.as_deref();
    let place = claim.and_then(Place::of).or_else(|| Place::there(case));
    let place = place.map_or(String::new(), |place| format!(" -- {}", place.words()));
    let said = claim.unwrap_or("it is done");
    let met: Vec<String> =
        case.criteria.iter().map(|it| format!("{}{place} -- {said}", it.text)).collect();
    let tasks = case.tasks.len();
    json!({
        "tasks_completed": format!("{tasks}/{tasks}"), "tasks_failed": format!("0/{tasks}"), "deviations": [],
        "commit_shas": claim.map(commits).unwrap_or_default(),
        "evidence": [{"task_id": "1-01-1", "criteria_met": met, "commands_run": commands_run(case)}]
    })
}

fn debugged(case: &Case) -> Value {
    let file = case.tasks.first().and_then(|task| task.files.first());
    json!({
        "fixed": true, "changes": [format!("{} -- mended", file.map_or("all", String::as_str))],
        "remaining_issues": [], "failure_categories": []
    })
}

fn plan_checked() -> Value {
    json!({"pass": true, "confidence": 9.0, "issues": [], "blocker_count": 0, "warning_count": 0})
}

fn commands_run(case: &Case) -> Vec<String> {
    let own = case.criteria.iter().filter_map(|criterion| criterion.command.as_deref());
    let all: Vec<String> =
        case.commands.all().chain(own).map(|it| format!("{it} -> passed")).collect();
    if all.is_empty() { vec!["ls -> all is there".to_string()] } else { all }
}

/// `checker: -` is a verifier that brings nothing at all.
fn verification(case: &Case) -> Value {
    let is_bare = case.checker.as_deref() == Some("-");
    let said = case.checker.as_deref().and_then(Place::of);
    let place = match case.ends {
        Ends::Passes => said.filter(|place| place.line.is_some()).or_else(|| Place::there(case)),
        Ends::Rejected | Ends::Told | Ends::CannotBeProven => said,
    };
    let evidence = case.checker.as_deref().unwrap_or("seen").trim_matches('-');
    let results: Vec<Value> = case
        .criteria
        .iter()
        .map(|criterion| {
            let mut result =
                json!({"criterion": criterion.text, "status": "verified", "evidence": evidence});
            if let Some(place) = &place {
                result["file"] = json!(place.file);
                if let Some(line) = place.line {
                    result["line"] = json!(line);
                }
                if let Some(quote) = &place.quote {
                    result["quote"] = json!(quote);
                }
            }
            result
        })
        .collect();
    let commands = if is_bare { Vec::new() } else { commands_run(case) };
    json!({
        "pass": true, "automated_checks": {}, "failures": [], "scope_creep": [],
        "criteria_results": results, "commands_run": commands
    })
}

fn judgement(case: &Case, agrees: Option<bool>) -> Value {
    let place = Place::there(case).map_or("the work".to_string(), |place| place.words());
    let mut said = json!({
        "recommendation": "proceed", "concerns": [], "independent_evidence": [format!("{place} was read")],
        "missing_requirements": []
    });
    if let Some(agrees) = agrees {
        said["verifier_agreement"] = json!(agrees);
        said["verifier_missed"] = json!([]);
    }
    said
}

fn rating(case: &Case) -> Value {
    let entries = case.criteria.iter().map(|criterion| {
        json!({"criterion": criterion.text, "score": 9.5, "evidence": "looked at", "justification": "as asked"})
    });
    json!({"scorecard": entries.collect::<Vec<_>>()})
}

/// A place in a file, and the words there.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    file: String,
    line: Option<u32>,
    quote: Option<String>,
}

impl Place {
    /// The `file:line` of a claim, or the first word that looks like a file, and its words in double quotes.
    fn of(claim: &str) -> Option<Place> {
        let words = claim.split_whitespace();
        let words =
            words.map(|word| word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_')));
        let with_line = |word: &str| {
            let (file, line) = word.rsplit_once(':')?;
            Some((file.to_string(), Some(line.parse().ok()?)))
        };
        let bare = |word: &str| {
            let (stem, ending) = word.rsplit_once('.')?;
            let is_ending =
                (1..=4).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_lowercase());
            (is_ending && stem.len() > 1).then(|| (word.to_string(), None))
        };
        let named = words.clone().find_map(with_line).or_else(|| words.clone().find_map(bare));
        let (file, line) = named?;
        let quote = claim.split('"').nth(1).map(str::to_string);
        Some(Place { file, line, quote })
    }

    /// A line that is really there when the work is done, in a file that a task names where it has any.
    fn there(case: &Case) -> Option<Place> {
        let named = case.tasks.iter().flat_map(|task| &task.files).map(String::as_str);
        let others = case.after.iter().chain(&case.before).map(|(path, _)| path.as_str());
        named.chain(others).find_map(|file| {
            let lines = (1..).zip(case.text_after(file)?.lines());
            let (line, words) = lines.into_iter().find(|(_, text)| !text.trim().is_empty())?;
            Some(Place {
                file: file.to_string(),
                line: Some(line),
                quote: Some(words.trim().to_string()),
            })
        })
    }

    fn words(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }
}

/// What a claim about commits names: words of seven and more hexadecimal digits, one of them none of a letter.
fn commits(claim: &str) -> Vec<String> {
    if !claim.to_lowercase().contains("commit") {
        return Vec::new();
    }
    let words = claim.split(|c: char| !c.is_alphanumeric());
    let is_id = |word: &&str| {
        let is_hex = word.chars().all(|c| c.is_ascii_hexdigit());
        is_hex && (7..=40).contains(&word.len()) && word.contains(|c: char| c.is_ascii_digit())
    };
    words.filter(is_id).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_commits_are_read_from_a_claim() {
        let place = |file: &str, line: u32, quote: Option<&str>| {
            let line = Some(line).filter(|line| *line > 0);
            Some(Place { file: file.to_string(), line, quote: quote.map(str::to_string) })
        };
        assert_eq!(Place::of("sum.py:40 handles three"), place("sum.py", 40, None));
        assert_eq!(Place::of("see `a/b.py:2`, \"x + y\""), place("a/b.py", 2, Some("x + y")));
        assert_eq!(Place::of("tests/test_a.py shows it"), place("tests/test_a.py", 0, None));
        assert_eq!(Place::of("all is well. Really."), None);
        assert_eq!(commits("commits 1234abcd and `5678dead` have it"), ["1234abcd", "5678dead"]);
        assert_eq!(commits("the commit effaced it"), [""; 0]);
        assert_eq!(commits("1234abcd"), [""; 0]);
    }
}
