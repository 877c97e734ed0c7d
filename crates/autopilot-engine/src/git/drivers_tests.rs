//! Which settings are overruled, and for how long an answer is remembered.

use super::*;
use crate::slot::fixture::{Fixture, write};

#[test]
fn every_filter_and_hook_of_the_settings_is_overruled_by_its_whole_name() {
    let names = b"filter.lfs.clean\0filter.lfs.process\0filter.lfs.required\0filter.a=b.c.smudge\0\
                  hook.h.command\0hook.h.event\0hook.jobs\0filter.lfs.note\0";
    let expected = [
        ("filter.a=b.c.smudge", ""),
        ("filter.lfs.clean", ""),
        ("filter.lfs.process", ""),
        ("filter.lfs.required", "false"),
        ("hook.h.enabled", "false"),
    ];
    assert_eq!(overruled(names), expected.map(|(key, value)| (OsString::from(key), value)));
    assert_eq!(overruled(b""), []);
}

/// A git that counts how often it is started.
#[test]
fn the_settings_are_asked_for_once_until_a_file_of_them_changes() {
    let fixture = Fixture::new();
    let count = fixture.fake.home().join("count");
    let real = crate::process::find_program("git", fixture.fake.machine().path()).unwrap();
    let body = format!(
        "case \" $* \" in *' --get-regexp '*) echo >> '{}';; esac; exec {} \"$@\"",
        count.display(),
        real.display()
    );
    fixture.fake.script("git", &body);
    let git = Git::find(&fixture.fake.machine()).unwrap();
    let checkout = crate::git::Checkout::find(&git, &fixture.root()).unwrap();
    let asked = || {
        let _ = std::fs::remove_file(&count);
        crate::git::user_tree::look(&checkout).unwrap();
        std::fs::read_to_string(&count).map_or(0, |text| text.lines().count())
    };
    assert_eq!((asked(), asked()), (1, 0));
    let settings = |file: PathBuf, text: &str| {
        let old = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, old + text).unwrap();
    };
    settings(fixture.root().join(".git/config"), "[filter \"x\"]\n\tclean = false\n");
    assert_eq!((asked(), asked()), (1, 0));
    settings(fixture.fake.home().join(".gitconfig"), "[filter \"y\"]\n\tclean = false\n");
    assert_eq!((asked(), asked()), (1, 0));
    settings(fixture.fake.home().join(".config/git/config"), "[filter \"z\"]\n\tclean = cat\n");
    assert_eq!((asked(), asked()), (1, 0));
    settings(fixture.root().join(".git/config.worktree"), "[a]\n\tb = c\n");
    assert_eq!((asked(), asked()), (1, 0));
    // What an included file says may depend on the branch, and the file may come into being later.
    settings(fixture.root().join(".git/config"), "[include]\n\tpath = not-there-yet\n");
    assert_eq!((asked(), asked()), (1, 1));
    write(&fixture.root(), ".git/not-there-yet", "[filter \"w\"]\n\tclean = false\n");
    let keys: Vec<OsString> =
        git.overruled(&checkout.place).unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["filter.w.clean", "filter.x.clean", "filter.y.clean", "filter.z.clean"]);
}
