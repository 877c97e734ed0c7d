//! ROAD-9: every kind of thing that can lie where a text file is expected.

use std::os::unix::fs::symlink;

use super::*;

fn shown(path: &Path) -> String {
    match read_text(path) {
        Ok(text) => format!("text of {} bytes", text.len()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn everything_that_is_no_readable_text_file_is_named_and_nothing_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("text"), "a\n").unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::write(at("latin1"), b"a\nb\xe9\n").unwrap();
    File::create(at("large")).unwrap().set_len(limits::FILE_BYTES_MAX + 1).unwrap();
    fs::create_dir(at("folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    symlink(at("one"), at("other")).unwrap();
    symlink(at("other"), at("one")).unwrap();
    symlink(at("text"), at("link")).unwrap();
    symlink("/dev/zero", at("zero")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    let check = |name: &str, expected: &str| assert_eq!(shown(&at(name)), expected, "{name}");
    check("text", "text of 2 bytes");
    check("link", "text of 2 bytes");
    check("empty", "text of 0 bytes");
    check("nothing", "it does not exist");
    check("text/below", "it does not exist");
    check("latin1", "line 2 is not UTF-8 text");
    check("large", "it has 8388609 bytes; at most 8388608 are read");
    check("folder", "it is a folder, not a file");
    check("pipe", "it is a pipe, not a file");
    check("socket", "it is a socket, not a file");
    check("zero", "it is a device, not a file");
    check("one", "its symbolic links go in a circle");
}

#[test]
fn names_are_sorted_and_an_absent_folder_has_none() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b"), "").unwrap();
    fs::write(folder.path().join("a"), "").unwrap();
    assert_eq!(names_in(folder.path()).unwrap(), ["a", "b"]);
    assert_eq!(names_in(&folder.path().join("none")).unwrap(), Vec::<String>::new());
}
