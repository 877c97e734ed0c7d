//! INV-1: spelling, equality and order of phase ids.

use proptest::prelude::*;

use super::*;

fn id(text: &str) -> PhaseId {
    text.parse().unwrap()
}

#[test]
fn the_order_is_the_one_of_the_guide() {
    let ordered =
        ["0", "1", "2", "2.1", "2.2", "2.10", "3", "12", "12A", "12A.1", "12B", "12.1", "12.1a"];
    for pair in ordered.windows(2) {
        assert!(id(pair[0]) < id(pair[1]), "{} < {}", pair[0], pair[1]);
    }
    assert!(id("12.1") < id("13"));
    assert!(id("900") < id("ABC-1"), "ids without a prefix come first");
    assert!(id("ABC-9") < id("ABC-10") && id("ABC-10") < id("XYZ-1"));
}

#[test]
fn spellings_of_the_same_phase_are_equal() {
    let check = |left: &str, right: &str| assert_eq!(id(left), id(right));
    check("08", "8");
    check("02.01", "2.1");
    check("12a", "12A");
    check("proj-042", "PROJ-42");
    check(" 7 ", "7");
    check("000000000012", "12");
    check("000000012", "12");
}

#[test]
fn what_is_no_phase_number_is_refused() {
    let refused = [
        "",
        "A",
        "Details",
        "1-3",
        "3.",
        ".3",
        "1..2",
        "12th",
        "1_2",
        "-1",
        "1,2",
        "4294967296",
        "99999999999999999999",
        "2.1.",
        "PROJ-",
        "PROJ-X",
        "１",
    ];
    for text in refused {
        assert_eq!(text.parse::<PhaseId>(), Err(NotAPhaseId), "{text}");
    }
    let deep = vec!["1"; limits::PHASE_ID_PARTS_MAX + 3].join(".");
    assert_eq!(deep.parse::<PhaseId>(), Err(NotAPhaseId));
}

#[test]
fn scanning_stops_where_the_word_ends() {
    let check = |text: &str, expected: Option<(&str, &str)>| {
        let scanned = PhaseId::scan(text).map(|(id, rest)| (id.to_string(), rest.to_string()));
        let expected = expected.map(|(id, rest)| (id.to_string(), rest.to_string()));
        assert_eq!(scanned, expected, "{text}");
    };
    check("1: Login", Some(("1", ": Login")));
    check("2.1. Login", Some(("2.1", ". Login")));
    check("12A — x", Some(("12A", " — x")));
    check("PROJ-42: x", Some(("PROJ-42", ": x")));
    check("3-7", Some(("3", "-7")));
    check("3D", Some(("3D", "")));
    check("3rd", None);
    check("2fa", None);
}

#[test]
fn the_backlog_is_999_with_a_decimal() {
    assert!(id("999.1").is_backlog());
    assert!(!id("999").is_backlog(), "a project may really have 999 phases");
    assert!(!id("99.9").is_backlog());
}

#[test]
fn every_number_is_written_as_it_is_shown() {
    for text in ["0", "9", "10", "99", "100", "999", "1000", "123456", "2.1", "12A", "PROJ-42"] {
        let id = id(text);
        assert_eq!((id.to_string().as_str(), id.text().as_ref()), (text, text));
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{text}\""));
    }
}

proptest! {
    #[test]
    fn an_id_reads_back_what_it_shows(text in "([A-Z]{1,4}-)?[0-9]{1,9}[A-Za-z]?(\\.[0-9]{1,4}){0,3}") {
        let first = id(&text);
        prop_assert_eq!(id(&first.to_string()), first);
    }

    #[test]
    fn scanning_never_panics_and_returns_a_suffix(text in "\\PC{0,40}") {
        if let Some((_, rest)) = PhaseId::scan(&text) {
            prop_assert!(text.ends_with(rest));
        }
    }
}
