//! The machine as autopilot's own environment describes it, read once and handed on as a value. Owns the names of the
//! variables that mean something to autopilot; what a child may see of them is decided in `process::environment`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    variables: BTreeMap<OsString, OsString>,
}

impl Machine {
    pub fn of_this_process() -> Self {
        Machine { variables: std::env::vars_os().collect() }
    }

    /// A machine that has exactly these variables.
    pub fn with_variables<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        let pair = |(name, value): (N, V)| (name.into(), value.into());
        Machine { variables: variables.into_iter().map(pair).collect() }
    }

    pub fn variables(&self) -> &BTreeMap<OsString, OsString> {
        &self.variables
    }

    /// An empty variable counts as absent, as it does for most programs.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let value = self.variables.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value)
    }

    /// The folders programs are looked for in. Without `PATH` nothing is found.
    pub fn path(&self) -> &OsStr {
        self.variable("PATH").unwrap_or_default()
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.absolute("HOME")
    }

    /// Where worktrees and what belongs to them lie, after the XDG base directory rules. It may not exist yet.
    pub fn state_folder(&self) -> Option<PathBuf> {
        let base = self.absolute("XDG_STATE_HOME");
        let base = base.or_else(|| Some(self.home()?.join(".local/state")));
        base.map(|base| base.join("autopilot"))
    }

    /// Where the user's own settings lie.
    pub fn config_folder(&self) -> Option<PathBuf> {
        let base = self.absolute("XDG_CONFIG_HOME");
        let base = base.or_else(|| Some(self.home()?.join(".config")));
        base.map(|base| base.join("autopilot"))
    }

    /// A relative folder here would change its meaning with the working directory, so it counts as absent.
    fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_folder_follows_xdg_and_ignores_relative_values() {
        let check = |variables: &[(&str, &str)], expected: Option<&str>| {
            let machine = Machine::with_variables(variables.iter().copied());
            assert_eq!(machine.state_folder(), expected.map(PathBuf::from), "{variables:?}");
        };
        check(&[("HOME", "/h")], Some("/h/.local/state/autopilot"));
        check(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")], Some("/s/autopilot"));
        check(&[("HOME", "/h"), ("XDG_STATE_HOME", "s")], Some("/h/.local/state/autopilot"));
        check(&[("HOME", "/h"), ("XDG_STATE_HOME", "")], Some("/h/.local/state/autopilot"));
        check(&[("HOME", "")], None);
        check(&[], None);
    }
}
