//! The ground of the fence's tests: folders of a child's own, folders that are not, and a child that tries everything. Used by
//! several test programs.

/// What the child runs.
pub(crate) const ATTACK: &str = include_str!("attack.sh");
/// How the kernel says no. A second name or a move across the border is answered like one between two disks.
const REFUSALS: [&str; 5] = [
    "Permission denied",
    "Operation not permitted",
    "Read-only file system",
    "Invalid cross-device link",
    "Device or resource busy",
];

/// That each attempt was refused by the kernel, and that what is a child's own works. How many of each there were.
pub(crate) fn assert_holds(said: &str) -> (usize, usize) {
    let count = |word: &str| said.lines().filter(|line| line.starts_with(word)).count();
    for line in said.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "works" => {}
            "refused" => assert!(
                REFUSALS.iter().any(|why| rest.ends_with(why)),
                "refused for another reason: {line}\n{said}"
            ),
            _ => panic!("{line}\n{said}"),
        }
    }
    (count("refused"), count("works"))
}
