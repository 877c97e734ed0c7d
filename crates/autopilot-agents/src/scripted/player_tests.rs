//! Every action that does not end its own process, played in a folder of its own. Those that do are tried with the built
//! program.

use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

struct Stage {
    folder: TempDir,
}

struct Played {
    exit: u8,
    stream: Vec<u8>,
}

impl Played {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8_lossy(&self.stream);
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What came after the first line.
    fn told(&self) -> Vec<Value> {
        self.lines().split_off(1)
    }

    fn error(&self) -> String {
        assert_eq!(self.exit, FAULT);
        self.lines().pop().unwrap()["message"].as_str().unwrap().to_string()
    }
}

impl Stage {
    fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("workspace")).unwrap();
        Stage { folder }
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.workspace().join(path)).unwrap()
    }

    fn play_text(&self, script: &str) -> Played {
        let path = self.folder.path().join("script.json");
        fs::write(&path, script).unwrap();
        let occasion = Occasion { phase: "1".into(), step: "execute".into(), task: None, round: 1 };
        let part = Part { script: path, occasion, workspace: self.workspace() };
        let mut stream = Vec::new();
        let exit = play(&part, &b"the prompt"[..], &mut stream);
        Played { exit, stream }
    }

    fn play(&self, actions: Value) -> Played {
        let entry = json!({"when": {"phase": "1", "step": "execute"}, "do": actions});
        self.play_text(&json!({"version": 1, "entries": [entry]}).to_string())
    }

    #[expect(clippy::disallowed_methods, reason = "the test asks git what the player did")]
    fn git(&self, arguments: &[&str]) -> String {
        let mut command = std::process::Command::new("git");
        command.args(arguments).current_dir(self.workspace()).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?} {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn the_first_line_says_that_the_model_is_scripted_whatever_follows() {
    let stage = Stage::new();
    let first = json!({
        "type": "system", "model": "scripted", "agent": "scripted", "version": 1,
        "part": "phase 1, step execute, round 1", "prompt_bytes": 10
    });
    assert_eq!(stage.play(json!([])).lines(), std::slice::from_ref(&first));
    assert_eq!(stage.play_text("no script").lines()[0], first);
    assert_eq!(stage.play_text(r#"{"version": 1, "entries": []}"#).lines()[0], first);
}

#[test]
fn files_are_written_appended_to_replaced_in_and_deleted() {
    let stage = Stage::new();
    let played = stage.play(json!([
        {"write": {"path": "a/b.txt", "text": "one one\n"}},
        {"append": {"path": "a/b.txt", "text": "two\n"}},
        {"append": {"path": "new.txt", "text": "new"}},
        {"replace": {"path": "a/b.txt", "from": "one", "to": "1"}},
        {"write": {"path": "gone/x", "text": ""}},
        {"delete": {"path": "gone"}},
        {"delete": {"path": "new.txt"}},
    ]));
    assert_eq!(played.exit, 0);
    assert_eq!(stage.text("a/b.txt"), "1 one\ntwo\n");
    let left: Vec<_> =
        fs::read_dir(stage.workspace()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["a"]);
    let paths: Vec<_> = played.told().iter().map(|line| line["path"].clone()).collect();
    assert_eq!(paths, ["a/b.txt", "a/b.txt", "new.txt", "a/b.txt", "gone/x", "gone", "new.txt"]);
}

#[test]
fn a_file_is_put_with_its_bytes_its_mode_and_as_a_link_whatever_lay_there() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    std::os::unix::fs::symlink("/no/such/place", stage.workspace().join("dangling")).unwrap();
    std::os::unix::fs::symlink("/no/such/place", stage.workspace().join("gone")).unwrap();
    let played = stage.play(json!([
        {"put": {"path": "a/b", "content": {"text": "one\n"}}},
        {"put": {"path": "bytes", "kind": "executable", "content": {"base64": "AP/+gA=="}}},
        {"put": {"path": "link", "kind": "link", "content": {"text": "a/b"}}},
        {"put": {"path": "dangling", "content": {"text": "no link any more"}}},
        {"put": {"path": "a", "content": {"text": "no folder any more"}}},
        {"put": {"path": "bytes", "content": {"base64": "AA=="}}},
        {"put": {"path": "run", "kind": "executable", "content": {"text": "#!/bin/sh\n"}}},
        {"delete": {"path": "gone"}},
    ]));
    assert_eq!(played.exit, 0, "{:?}", played.lines());
    assert_eq!(stage.text("a"), "no folder any more");
    assert_eq!(stage.text("dangling"), "no link any more");
    assert_eq!(fs::read_link(stage.workspace().join("link")).unwrap(), Path::new("a/b"));
    assert_eq!(fs::read(stage.workspace().join("bytes")).unwrap(), [0]);
    let mode = |path: &str| {
        fs::metadata(stage.workspace().join(path)).unwrap().permissions().mode() & 0o111
    };
    assert_eq!((mode("bytes"), mode("run")), (0, 0o111), "the usual umask is assumed");
    assert!(!stage.workspace().join("gone").is_symlink());
    let broken = json!([{"put": {"path": "x", "content": {"base64": "?"}}}]);
    assert!(stage.play(broken).error().contains("no base64"));
}

#[test]
fn nothing_is_put_or_deleted_outside() {
    let stage = Stage::new();
    let around = stage.folder.path().join("around.txt");
    fs::write(&around, "mine").unwrap();
    std::os::unix::fs::symlink(stage.folder.path(), stage.workspace().join("link")).unwrap();
    let paths = [
        "../around.txt",
        "a/../../around.txt",
        around.to_str().unwrap(),
        "link/around.txt",
        "",
        ".",
    ];
    for path in paths {
        for action in [
            json!({"put": {"path": path, "content": {"text": "x"}}}),
            json!({"delete": {"path": path}}),
        ] {
            let played = stage.play(json!([action]));
            assert!(played.error().contains("leads out of the workspace"), "{path}");
        }
        assert_eq!(fs::read_to_string(&around).unwrap(), "mine", "{path}");
    }
}

#[test]
fn last_words_count_for_a_crash() {
    let stage = Stage::new();
    let actions = json!([{"complain": {"text": "no space left"}}, {"crash": {"exit": 3}}]);
    let played = stage.play(actions);
    assert_eq!(played.exit, 3);
    assert_eq!(played.told(), [json!({"type": "error", "message": "no space left"})]);
}

#[test]
fn paths_stay_inside_unless_the_script_plays_an_attacker() {
    let stage = Stage::new();
    let around = stage.folder.path().join("around.txt");
    std::os::unix::fs::symlink(stage.folder.path(), stage.workspace().join("link")).unwrap();
    std::os::unix::fs::symlink("/no/such/place", stage.workspace().join("dangling")).unwrap();
    for path in [
        "../around.txt",
        "a/../../around.txt",
        around.to_str().unwrap(),
        "link/around.txt",
        "dangling",
    ] {
        let played = stage.play(json!([{"write": {"path": path, "text": "x"}}]));
        assert!(played.error().contains("leads out of the workspace"), "{path}");
        assert!(!around.exists(), "{path}");
    }
    let outside = json!([{"write": {"path": "../around.txt", "text": "x", "outside": true}}]);
    assert_eq!(stage.play(outside).exit, 0);
    assert_eq!(fs::read_to_string(around).unwrap(), "x");
}

#[test]
fn an_action_that_cannot_be_played_ends_the_play_with_its_reason() {
    let stage = Stage::new();
    fs::write(stage.workspace().join("a"), "text").unwrap();
    let check = |action: Value, reason: &str| {
        let played = stage.play(json!([action, {"write": {"path": "later", "text": ""}}]));
        assert!(played.error().contains(reason), "{}", played.error());
        assert!(!stage.workspace().join("later").exists());
    };
    check(json!({"replace": {"path": "a", "from": "nothing", "to": ""}}), "does not hold the text");
    check(json!({"delete": {"path": "missing"}}), "missing: No such file");
    check(json!({"patch": {"difference": "no difference"}}), "git apply: ");
    check(json!({"commit": {"message": "no repository"}}), "git add: ");
}

#[test]
fn a_part_that_is_not_in_the_script_is_said_plainly() {
    let stage = Stage::new();
    let other = json!({"version": 1, "entries": [{"when": {"step": "plan"}, "do": []}]});
    assert_eq!(
        stage.play_text(&other.to_string()).error(),
        "the script has no entry for phase 1, step execute, round 1"
    );
    assert!(stage.play_text("{").error().starts_with("the script is not understood"));
}

#[test]
fn commands_run_in_the_workspace_and_their_end_is_told() {
    let stage = Stage::new();
    let played = stage.play(json!([
        {"run": {"command": "echo made > made.txt; echo out; echo err >&2; cat; exit 3"}},
        {"run": {"command": "kill -9 $$"}},
        {"run": {"command": "head -c 1000000 /dev/zero | tr '\\0' x"}},
    ]));
    assert_eq!(stage.text("made.txt"), "made\n");
    let told = played.told();
    let command = "echo made > made.txt; echo out; echo err >&2; cat; exit 3";
    assert_eq!(told[0], json!({"type": "tool", "name": "sh", "summary": command}));
    assert_eq!(told[1], json!({"type": "output", "text": "out\nerr\n", "exit": 3}));
    assert_eq!(told[3], json!({"type": "output", "text": "", "exit": null}));
    assert_eq!(told[5]["text"].as_str().unwrap().len(), limits::COMMAND_OUTPUT_BYTES_MAX);
    assert_eq!(played.exit, 0);
}

#[test]
fn a_commit_moves_head_and_a_patch_changes_files() {
    let stage = Stage::new();
    stage.git(&["init", "--quiet"]);
    fs::write(stage.workspace().join("b.txt"), "b\n").unwrap();
    let difference = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n";
    let played = stage.play(json!([
        {"commit": {"message": "moved HEAD"}},
        {"patch": {"difference": difference}},
    ]));
    assert_eq!(played.exit, 0, "{:?}", played.lines());
    assert_eq!(stage.git(&["log", "--format=%an %s"]), "scripted moved HEAD\n");
    assert_eq!(stage.text("b.txt"), "B\n");
    assert_eq!(played.told()[1], json!({"type": "change", "path": "b.txt"}));
}

#[test]
fn what_is_said_spent_asked_and_answered_is_told_in_order() {
    let stage = Stage::new();
    let spent = json!({
        "input_tokens": 1, "output_tokens": 2, "cache_read_tokens": 0, "cache_write_tokens": 0,
        "usd_micros": null
    });
    let played = stage.play(json!([
        {"say": {"text": "hello"}},
        {"spend": {"input_tokens": 1, "output_tokens": 2}},
        {"ask": {"question": "why?"}},
        {"wait_for_limit": {}},
        {"wait": {"ms": 1}},
        {"reply": {"text": "not { json"}},
        {"reply": {"json": {"b": 1, "a": [2]}}},
    ]));
    assert_eq!(played.exit, 0);
    assert_eq!(
        played.told(),
        [
            json!({"type": "say", "text": "hello"}),
            json!({"type": "usage", "spent": spent}),
            json!({"type": "ask", "question": "why?"}),
            json!({"type": "limit_wait", "until_unix_s": null}),
            json!({"type": "result", "text": "not { json"}),
            json!({"type": "result", "text": r#"{"a":[2],"b":1}"#}),
        ]
    );
}

#[test]
fn a_failure_or_a_crash_ends_the_play_with_its_code() {
    let stage = Stage::new();
    let later = json!({"say": {"text": "never"}});
    let failed = stage.play(json!([{"fail": {"refused": {"why": "policy"}}}, later]));
    assert_eq!(failed.exit, 1);
    assert_eq!(
        failed.told(),
        [json!({"type": "failure", "failure": {"refused": {"why": "policy"}}})]
    );
    let crashed = stage.play(json!([{"crash": {"exit": 7}}, later]));
    assert_eq!((crashed.exit, crashed.told().len()), (7, 0));
}

#[test]
fn garbage_is_no_text_and_the_same_every_time() {
    let stage = Stage::new();
    let played = stage.play(json!([{"garbage": {"bytes": 100_000}}]));
    assert_eq!(played.stream, stage.play(json!([{"garbage": {"bytes": 100_000}}])).stream);
    assert!(std::str::from_utf8(&played.stream).is_err());
    let first_line = played.stream.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let noise = &played.stream[first_line..];
    assert_eq!(noise.len(), 100_001);
    for byte in 0..=u8::MAX {
        assert!(noise.contains(&byte), "{byte}");
    }
}

#[test]
fn a_flood_has_the_size_and_the_lines_it_was_asked_for() {
    let stage = Stage::new();
    let check = |flood: Value, bytes: usize, lines: usize| {
        let played = stage.play(json!([{ "flood": flood }]));
        let first_line = played.stream.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let flood = &played.stream[first_line..];
        let feeds = flood.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!((flood.len(), feeds), (bytes, lines));
    };
    check(json!({"bytes": 10_500}), 10_500, 11);
    check(json!({"bytes": 10_500, "line_bytes": 100}), 10_500, 105);
    check(json!({"bytes": 300_000, "line_bytes": 900_000}), 300_000, 1);
    check(json!({"bytes": 0}), 0, 0);
}
