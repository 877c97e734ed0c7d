//! What children inside the fence are told beside the listed variables: where to put what they throw away and what they fetch.
//! Owns the decision for every tool. The user's own caches are read-only inside: who can write them can put code into builds
//! that run outside. Where a tool has a variable it gets a folder of the project's own; where it can read the user's cache
//! without writing it, it is told where that lies.

use std::path::Path;

use crate::machine::Machine;
use crate::process::Environment;

/// Variables that name a folder, and its name among the caches.
const FOLDERS: [(&str, &str); 20] = [
    // Whatever keeps to the XDG rules: pip, uv, poetry, yarn 1, corepack, deno, zig, ccache, …
    ("XDG_CACHE_HOME", "xdg"),
    ("UV_CACHE_DIR", "uv"),
    ("WORKON_HOME", "virtualenvs"),
    ("CARGO_HOME", "cargo"),
    ("npm_config_cache", "npm"),
    ("PNPM_HOME", "pnpm"),
    // Not YARN_CACHE_FOLDER: newer yarns read packages from the one that is committed with the project.
    ("YARN_GLOBAL_FOLDER", "yarn"),
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("DENO_DIR", "deno"),
    // The checksums that Go has seen lie in its path, beside the modules.
    ("GOPATH", "go"),
    ("GOMODCACHE", "go/pkg/mod"),
    ("GOCACHE", "go-build"),
    ("GRADLE_USER_HOME", "gradle"),
    ("DOTNET_CLI_HOME", "dotnet"),
    ("NUGET_PACKAGES", "nuget"),
    ("NUGET_HTTP_CACHE_PATH", "nuget-http"),
    ("NUGET_SCRATCH", "nuget-scratch"),
    ("COMPOSER_CACHE_DIR", "composer"),
    ("PUB_CACHE", "pub"),
    ("CCACHE_DIR", "ccache"),
];

/// What tools look for below the user's cache folder, is no cache and is only read.
const READ: [(&str, &str); 4] = [
    ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"),
    ("PUPPETEER_CACHE_DIR", ".cache/puppeteer"),
    ("CYPRESS_CACHE_FOLDER", ".cache/Cypress"),
    ("GRADLE_RO_DEP_CACHE", ".gradle/caches"),
];

/// `environment` as it is inside the fence.
pub(crate) fn told(
    environment: Environment,
    machine: &Machine,
    temp: &Path,
    cache: &Path,
) -> Environment {
    let mut environment = environment
        .with("TMPDIR", temp)
        // `git status` would write the index of the worktree, which is not the child's.
        .with("GIT_OPTIONAL_LOCKS", "0")
        // Outside the slot it could not be written; without it cargo builds in the slot.
        .without("CARGO_TARGET_DIR");
    for (name, folder) in FOLDERS {
        environment = environment.with(name, cache.join(folder));
    }
    let home = machine.home();
    for (name, folder) in READ {
        let folder = home.as_ref().map(|home| home.join(folder)).filter(|path| path.is_dir());
        if let Some(folder) = folder {
            environment = environment.with(name, folder);
        }
    }
    of_java(environment, machine, temp, cache)
}

/// Java takes no folder from the environment, only options, and splits them at blanks.
fn of_java(environment: Environment, machine: &Machine, temp: &Path, cache: &Path) -> Environment {
    let option = |name: &str, path: &Path| {
        let path = path.to_str().filter(|text| !text.contains(char::is_whitespace));
        path.map(|path| format!("-D{name}={path}"))
    };
    let mut environment = environment;
    if let Some(temp) = option("java.io.tmpdir", temp) {
        environment = environment.with("JAVA_TOOL_OPTIONS", temp);
    }
    let users = machine.home().map(|home| home.join(".m2/repository")).filter(|it| it.is_dir());
    let users = users.and_then(|users| option("maven.repo.local.tail", &users));
    if let Some(own) = option("maven.repo.local", &cache.join("maven")) {
        let all: Vec<String> = [own].into_iter().chain(users).collect();
        environment = environment.with("MAVEN_OPTS", all.join(" "));
    }
    environment
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    #[test]
    fn every_folder_is_below_the_cache_and_what_is_only_read_stays_the_users() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".cache/ms-playwright")).unwrap();
        fs::create_dir_all(home.path().join(".m2/repository")).unwrap();
        let machine = Machine::with_variables([
            ("HOME", home.path().to_str().unwrap()),
            ("CARGO_TARGET_DIR", "/elsewhere"),
            ("GOMODCACHE", "/elsewhere"),
        ]);
        let (temp, cache) = (Path::new("/s/tmp"), Path::new("/s/cache"));
        let told = told(Environment::listed(&machine), &machine, temp, cache);
        let has = |name: &str, value: &str| {
            assert_eq!(told.variable(name).unwrap().to_string_lossy(), value, "{name}");
        };
        has("TMPDIR", "/s/tmp");
        has("GOMODCACHE", "/s/cache/go/pkg/mod");
        has("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=/s/tmp");
        let home = home.path().display();
        has("PLAYWRIGHT_BROWSERS_PATH", &format!("{home}/.cache/ms-playwright"));
        has(
            "MAVEN_OPTS",
            &format!(
                "-Dmaven.repo.local=/s/cache/maven -Dmaven.repo.local.tail={home}/.m2/repository"
            ),
        );
        assert_eq!(told.variable("CARGO_TARGET_DIR"), None);
        assert_eq!(told.variable("CYPRESS_CACHE_FOLDER"), None);
    }

    #[test]
    fn no_two_tools_share_a_folder_and_a_path_with_blanks_gives_java_no_options() {
        let folders: BTreeSet<&str> = FOLDERS.iter().map(|(_, folder)| *folder).collect();
        assert_eq!(folders.len(), FOLDERS.len());
        let machine = Machine::with_variables([("HOME", "/nowhere")]);
        let told = told(Environment::empty(), &machine, Path::new("/a b"), Path::new("/c d"));
        assert_eq!((told.variable("JAVA_TOOL_OPTIONS"), told.variable("MAVEN_OPTS")), (None, None));
    }
}
