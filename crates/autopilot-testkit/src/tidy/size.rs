//! How long things may be: files, functions, tracked data, fuzzing seeds.

use super::Violation;
use super::tree::Tree;

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 60;
/// A clone stays quick, and a binary that slips in is seen.
const TRACKED_BYTES_MAX: u64 = 512 * 1024;
/// Seeds are starting points, one per feature of a format; the grown corpus lives in the cache.
const SEEDS_BYTES_MAX: u64 = 200 * 1024;
const SEEDS_FOLDER: &str = "fuzz/seeds";

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, source) in tree.sources() {
        let lines = source.text.lines().count();
        if lines > FILE_LINES_MAX {
            let message = format!("{lines} lines, at most {FILE_LINES_MAX}: split it by concept");
            found.push(Violation { path: file.path.clone(), line: 1, rule: "file-lines", message });
        }
        for function in source.functions() {
            let lines = function.last_line - function.first_line + 1;
            if lines > FUNCTION_LINES_MAX {
                let message =
                    format!("{} has {lines} lines, at most {FUNCTION_LINES_MAX}", function.name);
                let line = function.first_line;
                found.push(Violation { path: file.path.clone(), line, rule: "fn-lines", message });
            }
        }
    }
    for file in tree.files.iter().filter(|file| file.bytes > TRACKED_BYTES_MAX) {
        let message = format!("{} bytes, at most {TRACKED_BYTES_MAX}", file.bytes);
        found.push(Violation { path: file.path.clone(), line: 1, rule: "file-bytes", message });
    }
    let is_seed = |path: &str| path.strip_prefix(SEEDS_FOLDER).is_some_and(|p| p.starts_with('/'));
    let seeds: u64 = tree.files.iter().filter(|f| is_seed(&f.path)).map(|f| f.bytes).sum();
    if seeds > SEEDS_BYTES_MAX {
        let message = format!("{seeds} bytes in all, at most {SEEDS_BYTES_MAX}");
        found.push(Violation { path: SEEDS_FOLDER.into(), line: 1, rule: "seeds-bytes", message });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::broken;
    use super::*;

    #[test]
    fn a_file_has_at_most_600_lines() {
        let lines = |count: usize| "// x\n".repeat(count);
        assert_eq!(broken(check, &[("a.rs", &lines(601))]), ["a.rs:1 file-lines"]);
        assert!(broken(check, &[("a.rs", &lines(600)), ("b.md", &lines(601))]).is_empty());
    }

    #[test]
    fn a_function_has_at_most_60_lines() {
        let function = |inside: usize| format!("\nfn a() {{\n{}}}\n", "    b();\n".repeat(inside));
        assert_eq!(broken(check, &[("a.rs", &function(59))]), ["a.rs:2 fn-lines"]);
        assert!(broken(check, &[("a.rs", &function(58))]).is_empty());
    }

    #[test]
    fn a_tracked_file_has_at_most_512_kb_and_the_seeds_200_kb() {
        let bytes = |count: usize| "x".repeat(count);
        assert_eq!(broken(check, &[("a.bin", &bytes(524_289))]), ["a.bin:1 file-bytes"]);
        let seeds = [("fuzz/seeds/a/1", &*bytes(150_000)), ("fuzz/seeds/b/1", &*bytes(54_801))];
        assert_eq!(broken(check, &seeds), ["fuzz/seeds:1 seeds-bytes"]);
        let fitting = [("fuzz/seeds/a/1", &*bytes(204_800)), ("fuzz/seeds.md", "x")];
        assert!(broken(check, &fitting).is_empty());
    }
}
