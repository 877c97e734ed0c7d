//! The folders in which what the book shows is played. Each is made once; every command gets a copy at the same place, so that none
//! finds what another one left.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use tempfile::TempDir;

use super::super::PROGRAM;
use super::super::demo;

/// What the commands of the book and the sample project need, and nothing else: no agent, no browser.
const PROGRAMS: [&str; 27] = [
    "sh", "git", "awk", "cat", "chmod", "cp", "cut", "dirname", "env", "find", "grep", "head",
    "jq", "ls", "make", "mkdir", "mktemp", "mv", "rm", "sed", "sleep", "sort", "tail", "tr",
    "true", "uniq", "wc",
];
/// A line that names it has Python too. For the others the demo would choose it, and take twice as long.
const WITH_PYTHON: &str = "--lang python";
/// A run of the sample takes a few seconds; this is for a machine that is busy otherwise.
const TIME_MAX: Duration = Duration::from_secs(180);

const TASKS: &str = "# Recipes\n\n## Read recipes\n- [ ] a recipe is a text file with a title\n- [ ] a file without a title is named\n\n\
                     ## Find recipes\n- [ ] by a word of the title\n- [ ] by an ingredient\n";
const PRD: &str = include_str!("prd.json");
/// What the agent of the stages `task` and `idea` plays.
const SCRIPT: &str = include_str!("script.json");
const SCRIPTED: &str =
    "{\"agent\": \"scripted\", \"script\": \"../script.json\", \"min_verify_time\": 0}\n";
const TASK: &str =
    "add count.sh, which prints how many recipes there are\n\nEvery file below recipes/ is one.\n";
const TYPING_MISTAKES: &str = "{\n  \"model_profile\": \"best\",\n  \"comit_docs\": false,\n  \"project\": { \"commands\": { \"test\": \"sh tests/all.sh\" } }\n}\n";
const IDENTITY: &str =
    "[user]\n\tname = you\n\temail = you@example.org\n[init]\n\tdefaultBranch = main\n";

/// How a stage is made: from which other one, in which folder of the home commands are typed, and by which commands.
struct Recipe {
    name: &'static str,
    from: &'static str,
    folder: &'static str,
    made_by: &'static str,
}

const RECIPES: [Recipe; 11] = [
    // The demo's project after its run, whose branch is not merged.
    Recipe { name: "done", from: "", folder: "bookmarks", made_by: "" },
    Recipe { name: "merged", from: "done", folder: "bookmarks", made_by: "autopilot merge" },
    // The same project before any run.
    Recipe {
        name: "start",
        from: "done",
        folder: "bookmarks",
        made_by: "cd .. && git clone -q bookmarks new && git -C new remote remove origin && rm -rf bookmarks .local && mv new bookmarks",
    },
    Recipe {
        name: "half",
        from: "start",
        folder: "bookmarks",
        made_by: "autopilot run 1-2 --merge",
    },
    // A run of the first two phases that was killed in the middle.
    Recipe {
        name: "stopped",
        from: "start",
        folder: "bookmarks",
        made_by: "AUTOPILOT_FAULT=git.after:60:kill autopilot run 1-2 || :",
    },
    Recipe {
        name: "mistaken",
        from: "start",
        folder: "bookmarks",
        made_by: "cp ~/typing-mistakes.json .planning/config.json",
    },
    Recipe { name: "empty", from: "", folder: "your-project", made_by: "" },
    Recipe {
        name: "tasks",
        from: "empty",
        folder: "your-project",
        made_by: "cp ~/tasks.md . && printf 'test:\\n\\ttrue\\n' > Makefile && git init -q && git add -A && git commit -qm start",
    },
    // Somebody's project without planning files, and an agent that knows what to do.
    Recipe {
        name: "task",
        from: "empty",
        folder: "your-project",
        made_by: "mkdir recipes && echo tea > recipes/tea && echo soup > recipes/soup && printf 'test:\\n\\tls recipes\\n' > Makefile && git init -q && git add -A && git commit -qm start && mkdir -p ~/.config/autopilot && cp ~/scripted.json ~/.config/autopilot/config.json",
    },
    Recipe {
        name: "idea",
        from: "empty",
        folder: "your-project",
        made_by: "printf 'test:\\n\\tsh test.sh\\n' > Makefile && echo true > test.sh && cp ~/task.md notes.md && git init -q && git add -A && git commit -qm start && mkdir -p ~/.config/autopilot && cp ~/scripted.json ~/.config/autopilot/config.json",
    },
    Recipe {
        name: "stories",
        from: "empty",
        folder: "your-project",
        made_by: "cp ~/prd.json . && printf 'test:\\n\\ttrue\\nlint:\\n\\teslint .\\n' > Makefile && git init -q",
    },
];

/// Commands that only look: after one of them the copy serves for the next. Copying takes longer than most commands do.
const LOOKING: [&str; 8] = ["agents", "diff", "logs", "plan", "replay", "show", "status", "why"];

pub(super) struct Stages {
    around: TempDir,
    /// The stage whose copy lies in the home as it was made.
    untouched: RefCell<Option<String>>,
}

impl Stages {
    /// All of them, ready to be copied.
    pub(super) fn new() -> Stages {
        let stages = Stages { around: tempfile::tempdir().unwrap(), untouched: RefCell::default() };
        let programs = stages.around.path().join("programs");
        fs::create_dir(&programs).unwrap();
        fs::create_dir(stages.around.path().join("temporary")).unwrap();
        let path = std::env::var("PATH").unwrap();
        for name in PROGRAMS {
            let found = std::env::split_paths(&path).map(|place| place.join(name));
            let found = found.into_iter().find(|file| file.is_file());
            let found = found.unwrap_or_else(|| panic!("the book's commands need {name}"));
            std::os::unix::fs::symlink(found, programs.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(PROGRAM, programs.join("autopilot")).unwrap();
        let python = stages.around.path().join("python");
        fs::create_dir(&python).unwrap();
        std::os::unix::fs::symlink(interpreter(), python.join("python3")).unwrap();
        let shown = format!("```markdown\n{TASKS}```\n");
        assert!(super::pages::text("start.md").contains(&shown), "start.md shows other tasks");
        for recipe in &RECIPES {
            stages.make(recipe);
        }
        stages
    }

    fn home(&self) -> PathBuf {
        self.around.path().join("home")
    }

    fn make(&self, recipe: &Recipe) {
        match recipe.from {
            "" => {
                fs::create_dir_all(self.home()).unwrap();
                let files = [
                    (".gitconfig", IDENTITY),
                    ("tasks.md", TASKS),
                    ("prd.json", PRD),
                    ("script.json", SCRIPT),
                    ("scripted.json", SCRIPTED),
                    ("task.md", TASK),
                    ("typing-mistakes.json", TYPING_MISTAKES),
                ];
                for (name, text) in files {
                    fs::write(self.home().join(name), text).unwrap();
                }
                match recipe.name {
                    "done" => demo::kept_in(&self.home(), recipe.folder),
                    _ => fs::create_dir(self.home().join(recipe.folder)).unwrap(),
                }
            }
            from => self.put(from),
        }
        if !recipe.made_by.is_empty() {
            let made = self.sh(recipe.folder, recipe.made_by);
            assert_eq!(made.code, 0, "stage {}: {made:?}", recipe.name);
        }
        let kept = self.around.path().join(recipe.name);
        fs::rename(self.home(), kept).unwrap();
    }

    /// Lays a copy of a stage where the home is.
    fn put(&self, name: &str) {
        if self.home().exists() {
            fs::remove_dir_all(self.home()).unwrap();
        }
        let copy = format!("cp -a {name} home");
        let ended = BuiltCommand::new("sh", self.around.path()).run(&["-c", &copy]).unwrap();
        assert_eq!(ended.code, 0, "there is no stage {name}: {ended:?}");
    }

    /// Types a command on a fresh copy of a stage; gives back both streams in one, and the home as `~`.
    pub(super) fn play(&self, name: &str, line: &str) -> Ended {
        let recipe = RECIPES.iter().find(|recipe| recipe.name == name);
        let recipe = recipe.unwrap_or_else(|| panic!("there is no stage {name}: {line}"));
        if self.untouched.replace(None).as_deref() != Some(name) {
            self.put(name);
        }
        let mut ended = self.sh(recipe.folder, &format!("exec 2>&1\n{line}"));
        let is_looking = |word: &str| line.starts_with(&format!("autopilot {word}"));
        if LOOKING.iter().any(|word| is_looking(word)) && !line.contains('>') {
            self.untouched.replace(Some(name.to_string()));
        }
        let home = self.home().display().to_string();
        ended.stdout = ended.stdout.replace(&home, "~");
        ended
    }

    /// The name of the only run of a stage, for `RUN` in a command.
    pub(super) fn run_of(&self, name: &str) -> String {
        let ended = self.play(name, "autopilot why");
        let name = ended.stdout.lines().next().and_then(|line| line.strip_prefix("run "));
        name.unwrap_or_else(|| panic!("no run: {ended:?}")).to_string()
    }

    fn sh(&self, folder: &str, line: &str) -> Ended {
        let home = self.home();
        let around = self.around.path().display();
        let path = match line.contains(WITH_PYTHON) {
            true => format!("{around}/programs:{around}/python"),
            false => format!("{around}/programs"),
        };
        BuiltCommand::new("sh", &home.join(folder))
            .variable("HOME", home.to_str().unwrap())
            .variable("PATH", &path)
            .variable("TMPDIR", self.around.path().join("temporary").to_str().unwrap())
            .time_max(TIME_MAX)
            .run(&["-c", line])
            .unwrap()
    }
}

/// Python itself: the one in `PATH` may be a script that finds it, and needs more than a stage has.
fn interpreter() -> String {
    let question = "import sys; print(sys.executable)";
    let asked = BuiltCommand::new("python3", &std::env::temp_dir()).run(&["-c", question]).unwrap();
    assert_eq!(asked.code, 0, "the book's commands need python3: {asked:?}");
    asked.stdout.trim().to_string()
}
