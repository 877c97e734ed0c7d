//! Which languages are read, told by the name of a file, and which files hold tests by convention.

/// The languages whose strings, comments and tests are known. A file of any other is not looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    Rust,
    Python,
    /// JavaScript and TypeScript: strings, comments and test runners are the same.
    Script,
    Go,
    Java,
    Kotlin,
    Ruby,
    Php,
    CSharp,
    Shell,
}

impl Language {
    pub(super) fn of(path: &str) -> Option<Self> {
        Some(match extension(path) {
            "rs" => Language::Rust,
            "py" => Language::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Language::Script,
            "go" => Language::Go,
            "java" => Language::Java,
            "kt" | "kts" => Language::Kotlin,
            "rb" => Language::Ruby,
            "php" => Language::Php,
            "cs" => Language::CSharp,
            "sh" | "bash" | "bats" | "zsh" => Language::Shell,
            _ => return None,
        })
    }

    /// Blocks are told by how far a line is indented. Ruby has `end`, but its authors indent as strictly as Python's must.
    pub(super) fn is_indented(self) -> bool {
        matches!(self, Language::Python | Language::Ruby)
    }
}

pub(super) fn extension(path: &str) -> &str {
    file_name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether runners, or the habits of the language, take a file for tests.
pub(super) fn is_test_path(path: &str) -> bool {
    let folders = path.split('/').rev().skip(1);
    let is_test_folder = |folder: &str| {
        matches!(
            folder.to_ascii_lowercase().as_str(),
            "test" | "tests" | "__tests__" | "spec" | "specs" | "e2e" | "cypress" | "testing"
        ) || folder.ends_with(".Tests")
    };
    is_test_name(path) || folders.into_iter().any(is_test_folder)
}

/// Whether the runners of its language look for tests in a file without being told. Those that find tests by attributes look everywhere.
pub(super) fn is_found_by_runners(path: &str) -> bool {
    let is_in =
        |names: &[&str]| path.split('/').rev().skip(1).any(|folder| names.contains(&folder));
    let stem = file_name(path).split('.').next().unwrap_or_default();
    match Language::of(path) {
        // unittest takes whatever begins with the word.
        Some(Language::Python) => is_test_name(path) || stem.starts_with("test"),
        Some(Language::Go) => stem.ends_with("_test"),
        Some(Language::Ruby | Language::Php) => is_test_name(path),
        Some(Language::Script) => {
            is_test_name(path) || is_in(&["test", "tests", "__tests__", "e2e", "cypress", "spec"])
        }
        Some(
            Language::Rust | Language::Java | Language::Kotlin | Language::CSharp | Language::Shell,
        ) => true,
        None => false,
    }
}

/// The same by the name of the file alone.
pub(super) fn is_test_name(path: &str) -> bool {
    let name = file_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let lower = stem.to_ascii_lowercase();
    let by_word = ["test", "tests", "spec", "conftest"].contains(&lower.as_str());
    let by_start = lower.starts_with("test_") || lower.starts_with("test-");
    let ends = ["_test", "_tests", "-test", "_spec", "-spec"];
    let by_end = ends.iter().any(|end| lower.ends_with(end));
    // FooTest.java, FooTests.cs, FooSpec.kt, FooIT.java.
    let by_capital = ["Test", "Tests", "Spec", "TestCase"].iter().any(|end| stem.ends_with(end));
    let by_dot = name.contains(".test.") || name.contains(".spec.") || name.ends_with(".bats");
    by_word || by_start || by_end || by_capital || by_dot
}

/// Files that nobody wrote by hand or that belong to somebody else: what they lack is no lie.
pub(super) fn is_foreign(path: &str) -> bool {
    path.split('/').any(|part| {
        matches!(part, "node_modules" | "vendor" | "target" | "dist" | "__snapshots__" | ".git")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tests_are_known_by_their_names() {
        let check = |path: &str, expected| assert_eq!(is_test_path(path), expected, "{path}");
        check("tests/cli/main.rs", true);
        check("src/parse_tests.rs", true);
        check("src/latest.rs", false);
        check("app/test_parse.py", true);
        check("app/contest.py", false);
        check("web/src/sum.spec.ts", true);
        check("web/__tests__/sum.ts", true);
        check("pkg/sum_test.go", true);
        check("src/test/java/SumTest.java", true);
        check("Shop.Tests/Cart.cs", true);
        check("test.sh", true);
        check("src/protest.sh", false);
    }
}
