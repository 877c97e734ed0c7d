//! Which fence is chosen, what it refuses to let through, and how it gets to the launcher. Whether it holds is tried with real
//! children in `crates/autopilot/tests/children/fence.rs`.

use std::fs;
use std::os::unix::fs::symlink;
use std::slice;

use super::*;

fn landlock() -> Kind {
    Kind::Landlock { level: 7 }
}

#[test]
fn the_first_that_holds_is_chosen_and_one_with_a_gap_only_when_nothing_else_does() {
    let check = |landlock: Result<i32, &str>, bubblewrap: Result<&str, &str>, expected: Kind| {
        let landlock = landlock.map_or_else(|why| Tried::Fails(why.into()), Tried::Holds);
        let bubblewrap = bubblewrap
            .map_or_else(|why| Tried::Fails(why.into()), |program| Tried::Holds(program.into()));
        assert_eq!(choose(landlock, || bubblewrap), expected);
    };
    let wrapped = || Kind::Bubblewrap { program: "/bin/bwrap".into() };
    check(Ok(7), Ok("/bin/bwrap"), landlock());
    check(Ok(3), Ok("/bin/bwrap"), Kind::Landlock { level: 3 });
    check(Ok(2), Ok("/bin/bwrap"), wrapped());
    check(Ok(2), Err("no bwrap"), Kind::Landlock { level: 2 });
    check(Err("no Landlock"), Ok("/bin/bwrap"), wrapped());
    let why = "no Landlock; no bwrap".to_string();
    check(Err("no Landlock"), Err("no bwrap"), Kind::Unfenced { why });
}

#[test]
fn a_fence_comes_to_the_launcher_as_it_was_made() {
    let around = tempfile::tempdir().unwrap();
    let odd = around.path().join(OsStr::from_bytes(b"--write=\xFF a b"));
    fs::create_dir(&odd).unwrap();
    for kind in [landlock(), Kind::Bubblewrap { program: "/a b/bwrap".into() }] {
        for writable in [vec![], vec![odd.clone()], vec![odd.clone(), around.path().into()]] {
            let fence = kind.around(&writable, &[]).unwrap().unwrap();
            let hiding = fence.clone().hiding(&[around.path().join("none"), "/proc".into()]);
            let hiding = hiding.unwrap();
            assert_eq!(hiding.hidden, [PathBuf::from("/proc")], "what is not there is not hidden");
            assert_eq!(Fence::read(&hiding.words()), Some(hiding));
            assert_eq!(Fence::read(&fence.words()), Some(fence));
        }
    }
    assert_eq!(Kind::Unfenced { why: String::new() }.around(&[], &[]).unwrap(), None);
    let sealed = odd.join("sealed");
    fs::create_dir(&sealed).unwrap();
    let seals = [sealed.clone(), odd.join("none")];
    let wrapped = Kind::Bubblewrap { program: "/bin/bwrap".into() };
    let fence =
        wrapped.around(slice::from_ref(&odd), &[]).unwrap().unwrap().sealing(&seals).unwrap();
    assert_eq!(fence.sealed, [sealed.canonicalize().unwrap()], "what is not there is not sealed");
    assert_eq!(Fence::read(&fence.words()), Some(fence));
    let fence = landlock().around(&[odd], &[]).unwrap().unwrap();
    assert!(matches!(fence.sealing(&seals), Err(FenceError::CannotSeal { .. })));
    for words in [&["--fence=paper"][..], &["--write=/"], &["--fence=landlock=7", "--what"], &[""]]
    {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        assert_eq!(Fence::read(&words), None, "{words:?}");
    }
}

#[test]
fn no_folder_around_something_that_is_kept_is_let_through() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    let (kept, own) = (root.join("kept"), root.join("own"));
    for folder in [&kept, &own, &root.join("kept-not")] {
        fs::create_dir(folder).unwrap();
    }
    symlink(&kept, root.join("link")).unwrap();
    symlink(&root, own.join("up")).unwrap();
    let refused = |path: &Path| {
        let error = landlock().around(&[path.to_path_buf()], slice::from_ref(&kept)).unwrap_err();
        match error {
            FenceError::TooWide { kept: found, .. } => assert_eq!(found, kept),
            other => panic!("{other}"),
        }
    };
    for path in [&kept, &root, &root.join("link"), &own.join("up"), Path::new("/")] {
        refused(path);
    }
    for path in [&own, &root.join("kept-not")] {
        landlock().around(slice::from_ref(path), slice::from_ref(&kept)).unwrap();
    }
    for missing in [Path::new("own"), &root.join("nothing"), Path::new("")] {
        let error = landlock().around(&[missing.to_path_buf()], &[]).unwrap_err();
        assert!(matches!(error, FenceError::Io { .. }), "{error}");
    }
}

#[test]
fn nothing_is_hidden_that_a_child_works_in() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    let own = root.join("own");
    fs::create_dir_all(own.join("deep")).unwrap();
    let fence = landlock().around(slice::from_ref(&own), &[]).unwrap().unwrap();
    for path in [&own, &root] {
        let error = fence.clone().hiding(slice::from_ref(path)).unwrap_err();
        assert!(matches!(error, FenceError::HidesOwn { .. }), "{error}");
    }
    let hidden = own.join("deep");
    assert_eq!(fence.hiding(slice::from_ref(&hidden)).unwrap().hidden, [hidden]);
}

#[test]
fn shared_memory_is_open_only_where_nothing_that_is_kept_lies_in_it() {
    let check = |kept: &str, expected: Memory| {
        let fence = landlock().around(&[], &[kept.into()]).unwrap().unwrap();
        assert_eq!(fence.memory, expected, "{kept}");
    };
    check("/somewhere/else", Memory::Shared);
    check("/dev/shm/somebody", Memory::Kept);
    check("/dev/shm", Memory::Kept);
    check("/dev/shmem", Memory::Shared);
}
