//! What is given to people who do not build autopilot themselves: one archive with the program, its man pages and completions, a list of
//! checksums, and the script that installs from them. `release` builds the program; `dist/archive.rs` packs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::program::{answer, printed, program, root, run, target_folder};
use crate::release;

mod archive;
#[cfg(test)]
#[path = "dist/dist_tests.rs"]
mod tests;

const INSTALLER: &str = include_str!("dist/install.sh");
const CHECKSUMS: &str = "SHA256SUMS";
/// What a user reads, and the terms it is given under.
const PAGES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// Each shell with the name its script is looked for under.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "autopilot.bash"),
    ("zsh", "_autopilot"),
    ("fish", "autopilot.fish"),
    ("elvish", "autopilot.elv"),
    ("powershell", "_autopilot.ps1"),
];

pub(crate) fn make() -> Result<ExitCode> {
    let binary = release::build()?;
    let folder = target_folder().join("dist");
    let archive = Dist { binary, target: release::host()?, seconds: commit_time() }.lay(&folder)?;
    let bytes = fs::metadata(folder.join(&archive))?.len();
    println!("{}: {archive} ({bytes} bytes), {CHECKSUMS}, install.sh", folder.display());
    println!("try it: sh {}/install.sh --prefix DIR", folder.display());
    Ok(ExitCode::SUCCESS)
}

/// What a folder of this kind is made of.
struct Dist {
    binary: PathBuf,
    /// What it is built for, as the compiler spells it.
    target: String,
    /// When its files were changed, since 1970. The commit's time, so that the same commit gives the same archive.
    seconds: u64,
}

impl Dist {
    /// Makes the folder anew and gives back the name of the archive in it.
    fn lay(&self, folder: &Path) -> Result<String> {
        let name = format!("autopilot-{}-{}", self.version()?, self.target);
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let files = self.files()?;
        let archive = format!("{name}.tar.gz");
        fs::write(folder.join(&archive), archive::pack(&name, &files, self.seconds)?)?;
        fs::write(folder.join("install.sh"), INSTALLER)?;
        let mut sums = String::new();
        for file in [archive.as_str(), "install.sh"] {
            sums.push_str(&format!("{}  {file}\n", sha256(&fs::read(folder.join(file))?)));
        }
        fs::write(folder.join(CHECKSUMS), sums)?;
        Ok(archive)
    }

    /// What the binary itself says, so that no archive is named after another one.
    fn version(&self) -> Result<String> {
        let said = printed(program(&self.binary).arg("--version"))?;
        let said = String::from_utf8_lossy(&said);
        let version = said.trim().strip_prefix("autopilot ");
        Ok(version.context("the program does not say its version")?.to_string())
    }

    /// Everything of the archive, by its path in it.
    fn files(&self) -> Result<Vec<archive::File>> {
        let mut files = vec![archive::File {
            path: "autopilot".into(),
            bytes: fs::read(&self.binary)
                .with_context(|| format!("cannot read {}", self.binary.display()))?,
            is_program: true,
        }];
        for page in PAGES {
            files.push(archive::File::data(page, fs::read(root().join(page))?));
        }
        for (shell, file) in COMPLETIONS {
            let script = printed(program(&self.binary).args(["completions", shell]))?;
            files.push(archive::File::data(format!("completions/{file}"), script));
        }
        files.extend(self.man_pages()?);
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(files)
    }

    fn man_pages(&self) -> Result<Vec<archive::File>> {
        let folder = tempfile::tempdir()?;
        run(program(&self.binary).arg("man-pages").arg(folder.path()))?;
        let mut pages = Vec::new();
        for entry in fs::read_dir(folder.path())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            pages.push(archive::File::data(format!("man/man1/{name}"), fs::read(entry.path())?));
        }
        if pages.is_empty() {
            bail!("the program wrote no man page");
        }
        Ok(pages)
    }
}

/// Where this is no repository, as in an unpacked source archive, no time is better than a random one.
fn commit_time() -> u64 {
    let said = answer(program("git").args(["log", "-1", "--format=%ct"]));
    said.and_then(|said| said.parse().ok()).unwrap_or(0)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
