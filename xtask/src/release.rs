//! The program as its users get it: built for speed and, on Linux, without a library of the system's behind it. `install`,
//! `dist` and `bench readers` all come here, so what is measured is what is installed.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::program::{answer, cargo, program, root, run, target_folder};

/// Everything is linked in, so that nothing has to be found and mapped at every start. It also runs on a Linux with an older or
/// another C library. Its own code still lies at another address in every process: it reads what others wrote. One function is
/// named because the standard library uses it only where it is there: with it a child is spawned, whatever size we have, and
/// without it we would be forked.
const STATIC: [&str; 2] = [
    "-Ctarget-feature=+crt-static",
    "-Clink-arg=-Wl,--undefined=posix_spawn_file_actions_addchdir_np",
];

/// What cargo takes flags apart at; the layout's path may have blanks.
const BETWEEN_FLAGS: &str = "\u{1f}";
/// Where the parts of the program lie in it; the file says why.
const LAYOUT: &str = "xtask/readers-first.ld";

/// Builds it and says where it is.
pub(crate) fn build() -> Result<PathBuf> {
    let host = host()?;
    run(&mut for_users(&host, ["build", "--release", "--package", "autopilot-cli"]))?;
    Ok(target_folder().join(host).join("release/autopilot"))
}

/// Puts it where cargo puts programs.
pub(crate) fn install() -> Result<ExitCode> {
    run(&mut for_users(&host()?, ["install", "--path", "crates/autopilot"]))?;
    Ok(ExitCode::SUCCESS)
}

/// A target is named even though it is this machine, because then the flags are for the program only, and not for what the
/// compiler itself loads while it builds.
fn for_users<const N: usize>(host: &str, order: [&str; N]) -> Command {
    let mut command = cargo(order);
    command.args(["--locked", "--target", host]);
    if host.ends_with("-linux-gnu") {
        let layout = format!("-Clink-arg=-T{}", root().join(LAYOUT).display());
        let flags: Vec<&str> = STATIC.into_iter().chain([layout.as_str()]).collect();
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join(BETWEEN_FLAGS));
    }
    command
}

/// What programs are built for here.
pub(crate) fn host() -> Result<String> {
    let said =
        answer(program("rustc").arg("-vV")).context("rustc does not say what it builds for")?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linux_is_built_without_libraries_of_the_system() {
        let flags = |host: &str| {
            let command = for_users(host, ["build"]);
            let set = command.get_envs().find(|(name, _)| *name == "CARGO_ENCODED_RUSTFLAGS");
            let flags = set.and_then(|(_, value)| value?.to_str()).unwrap_or_default();
            let flags: Vec<&str> = flags.split(BETWEEN_FLAGS).collect();
            flags.starts_with(&STATIC) && flags[2].ends_with(LAYOUT)
        };
        assert!(flags("x86_64-unknown-linux-gnu"));
        assert!(!flags("aarch64-apple-darwin"));
    }

    #[test]
    fn the_host_is_what_the_compiler_says() {
        assert!(host().unwrap().split('-').count() >= 3);
    }
}
