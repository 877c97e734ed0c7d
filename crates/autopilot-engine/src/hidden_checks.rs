//! The folder of checks that no agent may know (PIPE-5a). It lies outside the repository, so that no commit and no worktree has it, and
//! the fence keeps agents and all other checks from reading it. What its file means is core's; here it is found, read, and a command
//! looked up that the journal knows by its hash alone.

use std::path::{Path, PathBuf};

use autopilot_core::hidden::{self, HiddenCheck};
use autopilot_core::problem::Problem;
use autopilot_core::project::Project;
use autopilot_core::settings::Settings;

use crate::files;
use crate::machine::Machine;

/// The file in the folder that names phases, criteria and commands.
const FILE: &str = "checks.json";
/// How a hidden check finds its folder.
pub(crate) const VARIABLE: &str = "HIDDEN_CHECKS";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenChecks {
    /// Whole and without links; None where the user has none.
    folder: Option<PathBuf>,
}

impl HiddenChecks {
    /// Finds the folder and gives the criteria of the roadmap their hidden checks. A folder that is set and cannot be used is no
    /// reason to go without it.
    pub fn attach(
        settings: &Settings,
        machine: &Machine,
        root: &Path,
        project: &mut Project<'_>,
    ) -> Result<HiddenChecks, Problem> {
        let Some(named) = &settings.hidden_checks else { return Ok(HiddenChecks::default()) };
        let folder = find(named, machine, root)?;
        let refused = |why: String| {
            Problem::usage(
                format!("{}: {why}", folder.join(FILE).display()),
                "checks that are hidden from agents must not be hidden from the run",
                "mend the file; docs/roadmap-format.md says what stands in it",
            )
        };
        let checks = read(&folder).map_err(refused)?;
        hidden::attach(&mut project.roadmap, &checks).map_err(refused)?;
        Ok(HiddenChecks { folder: Some(folder) })
    }

    /// The folder alone, for whoever keeps somebody from reading it.
    pub(crate) fn place(
        settings: &Settings,
        machine: &Machine,
        root: &Path,
    ) -> Result<Option<PathBuf>, Problem> {
        settings.hidden_checks.as_ref().map(|named| find(named, machine, root)).transpose()
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The command that is meant; None where it is known by its hash and the folder does not have it any more. Read anew each time:
    /// phases may have come to the run since it began.
    pub fn command(&self, written: &str) -> Option<String> {
        if !hidden::is_reference(written) {
            return Some(written.to_string());
        }
        let checks = read(self.folder.as_ref()?).ok()?;
        let mut commands = checks.into_iter().map(|check| check.command);
        commands.find(|command| hidden::reference(command) == written)
    }
}

fn read(folder: &Path) -> Result<Vec<HiddenCheck>, String> {
    let text = files::read_text(&folder.join(FILE)).map_err(|error| error.to_string())?;
    hidden::read(&text)
}

fn find(named: &str, machine: &Machine, root: &Path) -> Result<PathBuf, Problem> {
    let refused = |why: String| {
        Problem::usage(
            format!("hidden_checks is {named:?}: {why}"),
            "what lies in the repository lies in worktrees and in the history too, where agents find it",
            "name a folder of its own outside the repository, such as ~/.config/autopilot/hidden/my-project",
        )
    };
    let at_home = named.strip_prefix("~/").and_then(|rest| Some(machine.home()?.join(rest)));
    let path = at_home.unwrap_or_else(|| root.join(named));
    let folder = path.canonicalize().map_err(|error| refused(error.to_string()))?;
    let root = root.canonicalize().map_err(|error| refused(error.to_string()))?;
    if !folder.is_dir() {
        return Err(refused("it is no folder".to_string()));
    }
    let around = [Some(root.clone()), machine.home(), machine.state_folder()];
    if let Some(inside) = around.iter().flatten().find(|path| path.starts_with(&folder)) {
        return Err(refused(format!("{} lies in it", inside.display())));
    }
    match folder.starts_with(&root) {
        true => Err(refused("it lies in the repository".to_string())),
        false => Ok(folder),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use autopilot_core::settings::settle;

    use super::*;

    fn attach(around: &Path, named: &str) -> Result<HiddenChecks, Problem> {
        let settings = Settings { hidden_checks: Some(named.to_string()), ..settle(&[]).0 };
        let home = around.join("home");
        let machine = Machine::with_variables([("HOME", &home)]);
        let text = "### Phase 1: Base\n**Success Criteria**:\n1. Prose\n";
        let (roadmap, _) = autopilot_core::roadmap::read("R.md", text);
        let mut project = Project { roadmap, ..Project::default() };
        HiddenChecks::attach(&settings, &machine, &around.join("home/project"), &mut project)
    }

    #[test]
    fn commands_are_found_by_their_hash_where_the_user_keeps_them_now() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("home/hidden");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(around.path().join("home/project")).unwrap();
        let put = |text: &str| fs::write(folder.join(FILE), text).unwrap();
        put(r#"{"phases": {"1": {"1": "./a.sh"}}}"#);
        let checks = attach(around.path(), "~/hidden").unwrap();
        assert_eq!(checks, attach(around.path(), "../hidden").unwrap());
        let (first, second) = (hidden::reference("./a.sh"), hidden::reference("./b.sh"));
        assert_eq!(checks.command(&first).as_deref(), Some("./a.sh"));
        assert_eq!(checks.command("make"), Some("make".to_string()));
        assert_eq!(checks.command(&second), None);
        put(r#"{"phases": {"1": {"1": "./b.sh"}}}"#);
        assert_eq!(checks.command(&first), None);
        assert_eq!(checks.command(&second).as_deref(), Some("./b.sh"));
        assert_eq!(HiddenChecks::default().command(&second), None);
    }

    #[test]
    fn a_folder_that_agents_would_find_or_that_says_nothing_is_refused() {
        let around = tempfile::tempdir().unwrap();
        let project = around.path().join("home/project");
        for folder in ["inside", "../empty", "../not"] {
            fs::create_dir_all(project.join(folder)).unwrap();
        }
        fs::write(project.join("../not").join(FILE), r#"{"phases": {"9": {}, "8": {"1": "x"}}}"#)
            .unwrap();
        let check = |named: &str, expected: &str| {
            let problem = attach(around.path(), named).unwrap_err();
            let said = format!("{problem:?}");
            assert!(said.contains(expected), "{named}: {said}");
        };
        check("inside", "it lies in the repository");
        check("..", "lies in it");
        check("~/", "lies in it");
        check("/", "lies in it");
        check("../nothing", "No such file");
        check("~/empty", "checks.json: ");
        check("../not", "phase 8 is not in the roadmap");
    }
}
