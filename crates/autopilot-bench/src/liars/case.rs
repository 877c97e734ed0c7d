//! A case of the liar bench, read from its text: what a tiny project is before a phase, what a worker leaves there, and how the
//! phase has to end. A case that is not whole is refused with its line; what is made of it is `project`'s and `script`'s.

use std::collections::BTreeSet;

/// One phase and the worker that does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// The name of its file, without the ending.
    pub(crate) name: String,
    pub(crate) sentence: String,
    pub(crate) ends: Ends,
    /// The file that has to be named; none where the fact is about no file.
    pub(crate) names: Option<String>,
    /// Words of which one has to stand in what is said.
    pub(crate) facts: Vec<String>,
    pub(crate) commands: Commands,
    pub(crate) tasks: Vec<Task>,
    pub(crate) criteria: Vec<Criterion>,
    /// What the worker says of its work, where that is the lie.
    pub(crate) claim: Option<String>,
    /// What the verifier says it saw, where that matters.
    pub(crate) checker: Option<String>,
    pub(crate) before: Vec<(String, String)>,
    pub(crate) moved: Vec<(String, String)>,
    pub(crate) gone: Vec<String>,
    pub(crate) after: Vec<(String, String)>,
    /// What the worker runs when its files are in place.
    pub(crate) runs: String,
}

/// How the phase has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// A lie with which no phase passes.
    Rejected,
    /// A lie that the report has to tell of.
    Told,
    /// A lie that nobody could know without a hidden check or a person.
    CannotBeProven,
    /// No lie.
    Passes,
}

impl Ends {
    pub(crate) fn is_lie(self) -> bool {
        self != Ends::Passes
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Commands {
    pub(crate) compile: Option<String>,
    pub(crate) lint: Option<String>,
    pub(crate) test: Option<String>,
    pub(crate) build: Option<String>,
}

impl Commands {
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        let all = [&self.compile, &self.lint, &self.test, &self.build];
        all.into_iter().flatten().map(String::as_str)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Criterion {
    pub(crate) text: String,
    pub(crate) command: Option<String>,
    /// Another one, which only the engine knows.
    pub(crate) hidden: Option<String>,
}

impl Case {
    /// Whether a file with this path lies in the project when the worker is done.
    pub(crate) fn text_after(&self, path: &str) -> Option<&str> {
        let of = |list: &'_ [(String, String)], path: &str| {
            list.iter().position(|(known, _)| known == path)
        };
        if let Some(at) = of(&self.after, path) {
            return Some(&self.after[at].1);
        }
        if self.gone.iter().any(|gone| gone == path) {
            return None;
        }
        if self.moved.iter().any(|(from, _)| from == path) {
            return None;
        }
        let from = self.moved.iter().find(|(_, to)| to == path).map(|(from, _)| from.as_str());
        let at = of(&self.before, from.unwrap_or(path))?;
        Some(&self.before[at].1)
    }

    /// What the case itself says, for screens and reports repeat it.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let tasks = self.tasks.iter().map(|task| task.name.as_str());
        let criteria = self.criteria.iter().map(|criterion| criterion.text.as_str());
        let said = self.claim.iter().chain(&self.checker).map(String::as_str);
        tasks.chain(criteria).chain(said.filter(|said| *said != "-"))
    }

    pub(crate) fn read(name: &str, text: &str) -> Result<Case, String> {
        let mut head = Head::default();
        let mut body = Body::default();
        let mut lines = (1_usize..).zip(text.lines()).peekable();
        while let Some((number, line)) = lines.next_if(|(_, line)| !line.starts_with("=== ")) {
            head.line(line).map_err(|why| format!("line {number}: {why}"))?;
        }
        while let Some((number, line)) = lines.next() {
            let mut text = String::new();
            while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("=== ")) {
                text.push_str(line);
                text.push('\n');
            }
            body.section(&line["=== ".len()..], &text)
                .map_err(|why| format!("line {number}: {why}"))?;
        }
        whole(name, head, body)
    }
}

/// What stands before the first section.
#[derive(Default)]
struct Head {
    sentence: Option<String>,
    is: Option<String>,
    ends: Option<String>,
    names: Option<String>,
    facts: Vec<String>,
    commands: Commands,
    tasks: Vec<Task>,
    criteria: Vec<Criterion>,
    claim: Option<String>,
    checker: Option<String>,
}

impl Head {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        if line.is_empty() {
            return Ok(());
        }
        if self.sentence.is_none() {
            self.sentence = Some(line.to_string());
            return Ok(());
        }
        let (key, value) =
            line.split_once(':').ok_or_else(|| format!("{line:?} is no `key: value`"))?;
        let value = value.trim().to_string();
        if value.is_empty() {
            return Err(format!("`{key}:` has no value"));
        }
        let single = match key {
            "is" => &mut self.is,
            "ends" => &mut self.ends,
            "names" => &mut self.names,
            "claims" => &mut self.claim,
            "checker" => &mut self.checker,
            "compile" => &mut self.commands.compile,
            "lint" => &mut self.commands.lint,
            "test" => &mut self.commands.test,
            "build" => &mut self.commands.build,
            _ => return self.several(key, &value),
        };
        match single.replace(value) {
            Some(_) => Err(format!("`{key}:` stands there twice")),
            None => Ok(()),
        }
    }

    fn several(&mut self, key: &str, value: &str) -> Result<(), String> {
        let (first, second) = match value.split_once('|') {
            Some((first, second)) => (first.trim(), Some(second.trim())),
            None => (value, None),
        };
        let listed = |text: &str| {
            text.split(',')
                .map(|one| one.trim().to_string())
                .filter(|one| !one.is_empty())
                .collect()
        };
        match key {
            "fact" => self.facts = listed(value),
            "task" => {
                let files: Vec<String> = second.map(listed).unwrap_or_default();
                if first.is_empty() || files.is_empty() {
                    return Err("a task has a name, `|` and the files it changes".to_string());
                }
                self.tasks.push(Task { name: first.to_string(), files });
            }
            "criterion" => self.criteria.push(Criterion {
                text: first.to_string(),
                command: second.filter(|command| !command.is_empty()).map(str::to_string),
                hidden: None,
            }),
            "hidden" => {
                let criterion = self.criteria.last_mut();
                let criterion = criterion.ok_or("`hidden:` belongs below a criterion")?;
                criterion.hidden = Some(value.to_string());
            }
            _ => return Err(format!("there is no key `{key}`")),
        }
        Ok(())
    }

    fn ends(&self) -> Result<Ends, String> {
        match (self.is.as_deref(), self.ends.as_deref()) {
            (Some("honest"), None | Some("passes")) => Ok(Ends::Passes),
            (Some("lie"), Some("rejected")) => Ok(Ends::Rejected),
            (Some("lie"), Some("told")) => Ok(Ends::Told),
            (Some("lie"), Some("cannot be proven")) => Ok(Ends::CannotBeProven),
            (is, ends) => Err(format!(
                "`is: {}` cannot have `ends: {}`",
                is.unwrap_or("-"),
                ends.unwrap_or("-")
            )),
        }
    }
}

/// The files before and after, and what is run.
#[derive(Default)]
struct Body {
    before: Vec<(String, String)>,
    moved: Vec<(String, String)>,
    gone: Vec<String>,
    after: Vec<(String, String)>,
    runs: Option<String>,
}

impl Body {
    fn section(&mut self, opening: &str, text: &str) -> Result<(), String> {
        let (word, rest) = opening.trim().split_once(' ').unwrap_or((opening.trim(), ""));
        // Blank lines before the next section are there for the eye.
        let text = match text.trim_end() {
            "" => String::new(),
            kept => format!("{kept}\n"),
        };
        let has_text = !text.is_empty();
        match word {
            "before" => put(&mut self.before, path(rest)?, text)?,
            "after" => put(&mut self.after, path(rest)?, text)?,
            "gone" if has_text => return Err("nothing can stand below `gone`".to_string()),
            "gone" => self.gone.push(path(rest)?),
            "moved" if has_text => return Err("nothing can stand below `moved`".to_string()),
            "moved" => {
                let (from, to) = rest.split_once("->").ok_or("`moved` is PATH -> PATH")?;
                self.moved.push((path(from)?, path(to)?));
            }
            "runs" if !rest.is_empty() || !has_text => {
                return Err("`runs` stands alone, with shell lines below it".to_string());
            }
            "runs" => self.runs.get_or_insert_default().push_str(&text),
            _ => return Err(format!("there is no section `{word}`")),
        }
        Ok(())
    }

    /// What is moved or deleted has to be there.
    fn check(&self) -> Result<(), String> {
        let known: BTreeSet<&str> = self.before.iter().map(|(path, _)| path.as_str()).collect();
        let is_there = |path: &str| {
            known.contains(path) || known.iter().any(|file| file.starts_with(&format!("{path}/")))
        };
        let taken = self.gone.iter().chain(self.moved.iter().map(|(from, _)| from));
        match taken.into_iter().find(|path| !is_there(path)) {
            Some(path) => Err(format!("{path} is not among the files before")),
            None if self.before.is_empty() => Err("there are no files before".to_string()),
            None => Ok(()),
        }
    }
}

fn put(files: &mut Vec<(String, String)>, path: String, text: String) -> Result<(), String> {
    if files.iter().any(|(known, _)| *known == path) {
        return Err(format!("{path} stands there twice"));
    }
    files.push((path, text));
    Ok(())
}

/// A path inside the project and nothing else.
fn path(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    match !text.contains('\\') && text.split('/').all(is_plain) {
        true => Ok(text.to_string()),
        false => Err(format!("{text:?} is no path inside the project")),
    }
}

fn whole(name: &str, head: Head, body: Body) -> Result<Case, String> {
    let ends = head.ends()?;
    body.check()?;
    let needs = |has: bool, what: &str| if has { Ok(()) } else { Err(format!("it has no {what}")) };
    needs(!head.tasks.is_empty(), "`task:`")?;
    needs(!head.criteria.is_empty(), "`criterion:`")?;
    let is_counted = matches!(ends, Ends::Rejected | Ends::Told);
    needs(head.names.is_some() || !is_counted, "`names:`")?;
    needs(!head.facts.is_empty() || !is_counted, "`fact:`")?;
    Ok(Case {
        name: name.to_string(),
        sentence: head.sentence.unwrap_or_default(),
        ends,
        names: head.names.filter(|names| names != "-"),
        facts: head.facts,
        commands: head.commands,
        tasks: head.tasks,
        criteria: head.criteria,
        claim: head.claim,
        checker: head.checker,
        before: body.before,
        moved: body.moved,
        gone: body.gone,
        after: body.after,
        runs: body.runs.unwrap_or_default(),
    })
}

#[cfg(test)]
#[path = "case_tests.rs"]
mod tests;
