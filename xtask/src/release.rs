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

/// Fourteen thousand addresses are put right at every start, because the program lies somewhere else each time. Packed, a list of
/// them takes 4 KB in place of 340, which is a tenth of a millisecond. The C library unpacks them, from this version on; a program
/// linked with an older one would crash at once, hence the question.
const PACKED: &str = "-Clink-arg=-Wl,-z,pack-relative-relocs";
const PACKED_FROM: (u32, u32) = (2, 36);
/// Where it was tried; other linkers spell it otherwise or do not know it.
const PACKED_HOST: &str = "x86_64-unknown-linux-gnu";

/// What cargo takes flags apart at; the layout's path may have blanks.
const BETWEEN_FLAGS: &str = "\u{1f}";
/// Where the parts of the program lie in it; the file says why.
const LAYOUT: &str = "xtask/readers-first.ld";

/// Builds it and says where it is.
pub(crate) fn build() -> Result<PathBuf> {
    let host = host()?;
    let order = ["build", "--release", "--package", "autopilot-cli"];
    run(&mut for_users(&host, c_library(), order))?;
    Ok(target_folder().join(host).join("release/autopilot"))
}

/// Puts it where cargo puts programs.
pub(crate) fn install() -> Result<ExitCode> {
    run(&mut for_users(&host()?, c_library(), ["install", "--path", "crates/autopilot"]))?;
    Ok(ExitCode::SUCCESS)
}

/// A target is named even though it is this machine, because then the flags are for the program only, and not for what the
/// compiler itself loads while it builds.
fn for_users<const N: usize>(
    host: &str,
    c_library: Option<(u32, u32)>,
    order: [&str; N],
) -> Command {
    let mut command = cargo(order);
    command.args(["--locked", "--target", host]);
    if host.ends_with("-linux-gnu") {
        let layout = format!("-Clink-arg=-T{}", root().join(LAYOUT).display());
        let knows_packed = c_library.is_some_and(|version| version >= PACKED_FROM);
        let packed = (host == PACKED_HOST && knows_packed).then_some(PACKED);
        let flags: Vec<&str> = STATIC.into_iter().chain([layout.as_str()]).chain(packed).collect();
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join(BETWEEN_FLAGS));
    }
    command
}

/// The version of the GNU C library that is linked in here; None where there is another or it does not say.
fn c_library() -> Option<(u32, u32)> {
    version_of(&answer(program("getconf").arg("GNU_LIBC_VERSION"))?)
}

fn version_of(said: &str) -> Option<(u32, u32)> {
    let (major, minor) = said.strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
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

    fn flags(host: &str, c_library: Option<(u32, u32)>) -> Vec<String> {
        let command = for_users(host, c_library, ["build"]);
        let set = command.get_envs().find(|(name, _)| *name == "CARGO_ENCODED_RUSTFLAGS");
        let flags = set.and_then(|(_, value)| value?.to_str()).unwrap_or_default();
        flags.split(BETWEEN_FLAGS).map(str::to_string).collect()
    }

    #[test]
    fn only_linux_is_built_without_libraries_of_the_system() {
        let linux = flags(PACKED_HOST, None);
        assert!(linux.starts_with(&STATIC.map(str::to_string)) && linux[2].ends_with(LAYOUT));
        assert_eq!(flags("aarch64-apple-darwin", Some((2, 36))), [""]);
    }

    #[test]
    fn addresses_are_packed_only_where_the_c_library_unpacks_them() {
        let is_packed =
            |host: &str, said: &str| flags(host, version_of(said)).contains(&PACKED.to_string());
        assert!(is_packed(PACKED_HOST, "glibc 2.36"));
        assert!(is_packed(PACKED_HOST, "glibc 3.1"));
        assert!(!is_packed(PACKED_HOST, "glibc 2.35"));
        assert!(!is_packed(PACKED_HOST, "musl 1.2"));
        assert!(!is_packed(PACKED_HOST, ""));
        assert!(!is_packed("aarch64-unknown-linux-gnu", "glibc 2.36"));
    }

    #[test]
    fn the_host_is_what_the_compiler_says() {
        assert!(host().unwrap().split('-').count() >= 3);
    }
}
