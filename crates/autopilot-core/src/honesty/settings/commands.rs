//! What a command runs, and whether another one in its place runs less or lets a failure pass.

/// What a command looks after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Care {
    Tests,
    Lint,
}

impl Care {
    pub(super) fn told(self) -> &'static str {
        match self {
            Care::Tests => "tests",
            Care::Lint => "lint or type checks",
        }
    }
}

/// Programs by the words they are started with.
const RUNNERS: [(&[&str], Care); 53] = [
    (&["jest"], Care::Tests),
    (&["vitest"], Care::Tests),
    (&["mocha"], Care::Tests),
    (&["ava"], Care::Tests),
    (&["jasmine"], Care::Tests),
    (&["karma"], Care::Tests),
    (&["cypress"], Care::Tests),
    (&["playwright"], Care::Tests),
    (&["pytest"], Care::Tests),
    (&["tox"], Care::Tests),
    (&["nox"], Care::Tests),
    (&["unittest"], Care::Tests),
    (&["manage.py", "test"], Care::Tests),
    (&["cargo", "test"], Care::Tests),
    (&["cargo", "nextest"], Care::Tests),
    (&["go", "test"], Care::Tests),
    (&["npm", "test"], Care::Tests),
    (&["npm", "t"], Care::Tests),
    (&["yarn", "test"], Care::Tests),
    (&["pnpm", "test"], Care::Tests),
    (&["bun", "test"], Care::Tests),
    (&["deno", "test"], Care::Tests),
    (&["node", "--test"], Care::Tests),
    (&["make", "test"], Care::Tests),
    (&["make", "check"], Care::Tests),
    (&["just", "test"], Care::Tests),
    (&["phpunit"], Care::Tests),
    (&["pest"], Care::Tests),
    (&["composer", "test"], Care::Tests),
    (&["rspec"], Care::Tests),
    (&["rake", "test"], Care::Tests),
    (&["rails", "test"], Care::Tests),
    (&["dotnet", "test"], Care::Tests),
    (&["mvn", "test"], Care::Tests),
    (&["mvn", "verify"], Care::Tests),
    (&["gradle", "test"], Care::Tests),
    (&["gradlew", "test"], Care::Tests),
    (&["gradlew", "check"], Care::Tests),
    (&["ctest"], Care::Tests),
    (&["bats"], Care::Tests),
    (&["eslint"], Care::Lint),
    (&["tsc"], Care::Lint),
    (&["biome"], Care::Lint),
    (&["cargo", "clippy"], Care::Lint),
    (&["go", "vet"], Care::Lint),
    (&["golangci-lint"], Care::Lint),
    (&["ruff"], Care::Lint),
    (&["flake8"], Care::Lint),
    (&["mypy"], Care::Lint),
    (&["pyright"], Care::Lint),
    (&["pylint"], Care::Lint),
    (&["phpstan"], Care::Lint),
    (&["rubocop"], Care::Lint),
];

/// Words that throw a failure away.
const EXCUSES: [&[&str]; 8] = [
    &["||", "true"],
    &["||", ":"],
    &["||", "exit", "0"],
    &["||", "echo"],
    &[";", "true"],
    &[";", "exit", "0"],
    &["set", "+e"],
    &["--passwithnotests"],
];

/// Options by which a runner leaves tests out.
const NARROWING: [&str; 17] = [
    "-k",
    "-m",
    "--ignore",
    "--ignore-glob",
    "--deselect",
    "--testpathignorepatterns",
    "--testnamepattern",
    "--exclude",
    "--skip",
    "-skip",
    "-run",
    "-short",
    "--grep",
    "-dskiptests",
    "-dmaven.test.skip",
    "--lib",
    "--onlychanged",
];

/// A command as lower-case words, with `;` apart.
fn words(command: &str) -> Vec<String> {
    let spaced = command.replace(';', " ; ").replace("||", " || ").replace("&&", " && ");
    // Nobody writes a command of more words than these by hand.
    spaced
        .split_whitespace()
        .take(400)
        .map(|word| word.trim_matches(['"', '\'']).to_ascii_lowercase())
        .collect()
}

fn has(words: &[String], run: &[&str]) -> bool {
    words.windows(run.len()).any(|window| window.iter().zip(run).all(|(word, part)| word == part))
}

/// The programs a command starts that look after something. A word may come with a folder or a script's suffix.
pub(super) fn runners(command: &str) -> Vec<(&'static str, Care)> {
    let words = words(command);
    let words: Vec<String> = words
        .iter()
        .filter(|word| !matches!(word.as_str(), "run" | "exec" | "-w" | "--workspaces"))
        .map(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            let is_script = name.starts_with("test:") || name.starts_with("test-");
            if is_script { "test".to_string() } else { name.to_string() }
        })
        .collect();
    // `echo "no jest here"` starts none.
    if words.first().is_some_and(|word| word == "echo") && !words.contains(&"&&".to_string()) {
        return Vec::new();
    }
    let found = RUNNERS.iter().filter(|(run, _)| has(&words, run));
    found.map(|(run, care)| (run[0], *care)).collect()
}

/// What throws failures away in the new command and did not in the old one.
pub(super) fn new_excuse(old: &str, new: &str) -> Option<String> {
    let (old, new) = (words(old), words(new));
    let found = EXCUSES.iter().find(|run| has(&new, run) && !has(&old, run));
    found.map(|run| run.join(" "))
}

/// The option or path that makes a runner leave tests out, where the old command had none such.
pub(super) fn new_narrowing(old: &str, new: &str) -> Option<String> {
    if !runners(new).iter().any(|(_, care)| *care == Care::Tests) {
        return None;
    }
    let (old, new) = (words(old), words(new));
    let option = |word: &String| word.split('=').next().unwrap_or(word).to_string();
    // `python -m pytest` names a module.
    let is_module = |at: usize| at > 0 && new[at - 1].starts_with("python");
    let count =
        |words: &[String], name: &str| words.iter().filter(|word| option(word) == name).count();
    let found = new.iter().enumerate().find(|(at, word)| {
        let name = option(word);
        NARROWING.contains(&name.as_str())
            && !is_module(*at)
            && count(&new, &name) > count(&old, &name)
    });
    if let Some((_, word)) = found {
        return Some(word.clone());
    }
    let is_path = |word: &&String| {
        word.contains(".test.")
            || word.contains(".spec.")
            || word.contains("::")
            || word.ends_with(".py")
    };
    if old.iter().any(|word| is_path(&word)) || old.is_empty() {
        return None;
    }
    new.iter().find(is_path).cloned()
}

/// Numbers that options of a command set: at least so much coverage, at most so many warnings.
pub(super) fn lowered_threshold(old: &str, new: &str) -> Option<String> {
    const LEAST: [&str; 5] = [
        "--cov-fail-under",
        "--fail-under",
        "--fail-under-lines",
        "--coverage-threshold",
        "--lines",
    ];
    const MOST: [&str; 1] = ["--max-warnings"];
    let (old, new) = (words(old), words(new));
    for name in LEAST {
        let (Some(had), has) = (number(&old, name), number(&new, name)) else { continue };
        if has.is_none_or(|has| has < had) {
            return Some(told(name, had, has));
        }
    }
    for name in MOST {
        let (Some(had), has) = (number(&old, name), number(&new, name)) else { continue };
        if has.is_none_or(|has| has > had) {
            return Some(told(name, had, has));
        }
    }
    let strict = [&["-d", "warnings"][..], &["--strict"][..]];
    let lost = strict.into_iter().find(|run| has(&old, run) && !has(&new, run) && !new.is_empty());
    lost.map(|run| format!("{} is gone", run.join(" ")))
}

fn told(name: &str, had: f64, has: Option<f64>) -> String {
    match has {
        Some(has) => format!("{name} is {has} where it was {had}"),
        None => format!("{name}, which was {had}, is gone"),
    }
}

fn number(words: &[String], name: &str) -> Option<f64> {
    words.iter().enumerate().find_map(|(at, word)| {
        let rest = word.strip_prefix(name)?;
        let value = rest
            .strip_prefix('=')
            .or_else(|| rest.is_empty().then(|| words.get(at + 1).map_or("", String::as_str)))?;
        value.parse().ok()
    })
}
