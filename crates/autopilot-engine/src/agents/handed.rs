//! What an agent is handed beside its prompt, put into the folder of its attempt.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use autopilot_agents::agent::{AgentCommand, Handed};

/// Files of the user's that do not exist are left out: the agent says what it misses.
pub(crate) fn hand_over(command: &AgentCommand, folder: &Path) -> io::Result<()> {
    for (path, handed) in &command.files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match handed {
            Handed::Bytes(bytes) => fs::write(&path, bytes)?,
            Handed::LinkTo(target) => symlink(target, &path)?,
        }
    }
    crate::files::copy_fit(&command.copies, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_links_and_copies_lie_where_the_agent_looks_for_them() {
        let around = tempfile::tempdir().unwrap();
        let (login, folder) = (around.path().join("login"), around.path().join("scratch"));
        fs::write(&login, "secret").unwrap();
        fs::create_dir(&folder).unwrap();
        let command = AgentCommand {
            program: "agent".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            variables: &[],
            files: vec![
                ("schema.json".into(), Handed::Bytes(b"{}".to_vec())),
                ("home/login".into(), Handed::LinkTo(login.clone())),
            ],
            copies: vec![
                ("a", login.clone()),
                ("b", around.path().join("none")),
                ("c", around.path().into()),
            ],
            writes: Vec::new(),
            stdin: Vec::new(),
        };
        hand_over(&command, &folder).unwrap();
        let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
        assert_eq!((read("schema.json"), read("a")), ("{}".into(), "secret".into()));
        assert!(!folder.join("b").exists() && !folder.join("c").exists());
        fs::write(folder.join("home/login"), "renewed").unwrap();
        assert_eq!(fs::read(login).unwrap(), b"renewed", "through the link");
        assert_eq!(read("a"), "secret");
    }
}
