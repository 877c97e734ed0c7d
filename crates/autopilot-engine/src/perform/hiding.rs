//! Commands by which an agent tells git not to look at files. Inside the fence they come to nothing; whoever tries has something to
//! hide all the same, or does what is the engine's to do.

/// The files that a command hides from git.
pub(super) fn files(command: &str) -> Vec<String> {
    const HIDING: [&str; 2] = ["--skip-worktree", "--assume-unchanged"];
    let mut found = Vec::new();
    for line in command.split(['\n', ';', '&', '|']) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| *word == "update-index") else { continue };
        let rest = &words[at + 1..];
        if words.first().is_some_and(|word| word.ends_with("git"))
            && rest.iter().any(|word| HIDING.contains(word))
        {
            let named = rest.iter().filter(|word| !word.starts_with('-'));
            found.extend(named.map(|word| word.trim_matches(['\'', '"', '}']).to_string()));
        }
    }
    found.retain(|file| !file.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn files_that_a_command_hides_are_named() {
        let check =
            |command: &str, expected: &[&str]| assert_eq!(files(command), expected, "{command}");
        check("git update-index --skip-worktree src/a.js 'b.js'", &["src/a.js", "b.js"]);
        check("cd x && git update-index -q --assume-unchanged a; ls", &["a"]);
        check("{\ngit update-index --skip-worktree a\n}", &["a"]);
        check("git update-index --no-skip-worktree a", &[]);
        check("git status; echo update-index --skip-worktree a", &[]);
    }
}
