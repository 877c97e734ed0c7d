//! Programs that come as a package of the system. On a machine that is ours alone, as in a container, they are installed; anywhere
//! else `requirements` says that they are missing.

use crate::program::{answer, program, run};

/// A program, and the Debian package that has it.
const PACKAGES: [(&str, &str); 2] = [("jq", "jq"), ("bwrap", "bubblewrap")];

/// Installs what does not answer, where that needs nobody's leave. What goes wrong is told; that it is still missing is
/// `requirements`' to say.
pub(crate) fn install_missing() {
    let is_there = |name: &str| answer(program(name).arg("--version")).is_some();
    let missing: Vec<&str> =
        PACKAGES.iter().filter(|(name, _)| !is_there(name)).map(|(_, package)| *package).collect();
    let is_root = answer(program("id").arg("-u")).is_some_and(|said| said == "0");
    if missing.is_empty() || !is_root || !is_there("apt-get") {
        return;
    }
    // The lists of an image are often taken out of it.
    for arguments in [&["update"][..], &["install", "--yes", "--no-install-recommends"]] {
        let mut command = program("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
        if arguments[0] == "install" {
            command.args(&missing);
        }
        if let Err(error) = run(&mut command) {
            eprintln!("{error:#}");
        }
    }
}
