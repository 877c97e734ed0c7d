//! What a child sees of autopilot's environment. Owns the list of variables that are handed on; never reads the
//! environment itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::machine::Machine;

/// The whole environment of one child; nothing else reaches it.
///
/// There are two ways to make one. `listed` is the usual one: a shell is full of tokens (clouds, registries, other
/// agents), and a program that does not need them must not be able to print or send them. `inherited` is for the
/// project's own commands only: the user wrote them and runs them in this very shell, and a test suite may need any
/// variable at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

/// Handed on to every child. A star at the end stands for any ending.
const LISTED: &[&str] = &[
    // Who and where the user is.
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TMPDIR",
    "TZ",
    "XDG_*",
    // How to reach the network. Behind a company's proxy nothing works without these.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    // Where toolchains lie.
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "GOTOOLCHAIN",
    "JAVA_HOME",
    "GRADLE_USER_HOME",
    "MAVEN_HOME",
    "ANDROID_HOME",
    "NVM_DIR",
    "NVM_BIN",
    "FNM_DIR",
    "FNM_MULTISHELL_PATH",
    "VOLTA_HOME",
    "PNPM_HOME",
    "COREPACK_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "npm_config_*",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "UV_CACHE_DIR",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "DOTNET_ROOT",
    "DEVELOPER_DIR",
    "SDKROOT",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "LOCALE_ARCHIVE",
];

/// A star must not carry a secret along: `npm_config_//registry.example/:_authToken` begins like a harmless setting.
const SECRET_PARTS: [&str; 7] = ["auth", "token", "secret", "passw", "credential", "key", "otp"];

impl Environment {
    pub fn listed(machine: &Machine) -> Self {
        Environment::empty().also(machine, LISTED)
    }

    pub fn inherited(machine: &Machine) -> Self {
        Environment { variables: machine.variables().clone() }
    }

    pub fn empty() -> Self {
        Environment { variables: BTreeMap::new() }
    }

    /// Hands on further variables of the machine, for a program that needs them by name.
    pub fn also(mut self, machine: &Machine, names: &[impl AsRef<str>]) -> Self {
        for (name, value) in machine.variables() {
            if names.iter().any(|listed| matches_listed(name, listed.as_ref())) {
                self.variables.insert(name.clone(), value.clone());
            }
        }
        self
    }

    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.variables.remove(OsStr::new(name));
        self
    }

    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    pub fn path(&self) -> &OsStr {
        self.variables.get(OsStr::new("PATH")).map_or(OsStr::new(""), OsString::as_os_str)
    }

    /// Programs of this folder are found before all others.
    pub fn programs_first(self, folder: Option<PathBuf>) -> Self {
        let Some(folder) = folder else { return self };
        let mut path = folder.into_os_string();
        path.push(":");
        path.push(self.path());
        self.with("PATH", path)
    }

    pub(super) fn variables(&self) -> &BTreeMap<OsString, OsString> {
        &self.variables
    }
}

fn matches_listed(name: &OsStr, listed: &str) -> bool {
    let Some(start) = listed.strip_suffix('*') else { return name == OsStr::new(listed) };
    let lower = name.to_string_lossy().to_ascii_lowercase();
    name.as_bytes().starts_with(start.as_bytes())
        && !SECRET_PARTS.iter().any(|part| lower.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_variables_are_handed_on_and_a_star_carries_no_secret() {
        let machine = Machine::with_variables([
            ("PATH", "/bin"),
            ("PATHS", "no"),
            ("LC_ALL", "C"),
            ("AWS_SECRET_ACCESS_KEY", "no"),
            ("npm_config_cache", "/c"),
            ("npm_config_//r.example/:_authToken", "no"),
            ("ANTHROPIC_API_KEY", "asked for"),
        ]);
        let listed = Environment::empty()
            .with("PATH", "/bin")
            .with("LC_ALL", "C")
            .with("npm_config_cache", "/c");
        assert_eq!(Environment::listed(&machine), listed);
        assert_eq!(
            Environment::listed(&machine).also(&machine, &["ANTHROPIC_API_KEY"]),
            listed.with("ANTHROPIC_API_KEY", "asked for")
        );
        assert_eq!(Environment::inherited(&machine).variables.len(), 7);
    }
}
