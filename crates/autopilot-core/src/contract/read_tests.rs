//! Reading returns: what keeps a contract, what breaks it, and what is kept of it.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::score::Score;

fn breaches(role: Role, text: &str) -> Vec<String> {
    let broken = read(role, text).expect_err("a broken contract");
    broken.breaches.iter().map(Breach::to_string).collect()
}

fn returned(role: Role, value: &Value) -> Read {
    let read = read(role, &value.to_string());
    read.unwrap_or_else(|broken| panic!("{}: {}", role.name(), reminder(&broken)))
}

/// The example of a role, changed.
fn changed(role: Role, change: impl FnOnce(&mut Value)) -> Value {
    let mut value = serde_json::from_str(example::text(role)).expect("an example is JSON");
    change(&mut value);
    value
}

#[test]
fn every_example_keeps_its_contract() {
    for role in Role::ALL {
        let read = returned(role, &changed(role, |_| {}));
        assert_eq!(read.notes, Vec::<String>::new(), "{}", role.name());
    }
}

#[test]
fn the_roles_are_in_the_order_of_their_shapes() {
    for (index, role) in Role::ALL.into_iter().enumerate() {
        assert_eq!(role as usize, index);
    }
}

#[test]
fn the_schemas_are_what_agents_were_promised() {
    for role in Role::ALL {
        insta::assert_snapshot!(format!("schema_{}", role.name()), format!("{:#}", schema(role)));
    }
}

#[test]
fn every_keyword_of_the_schemas_is_checked() {
    let known = [
        "$schema",
        "additionalProperties",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxProperties",
        "maximum",
        "minItems",
        "minimum",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
    ];
    fn walk(schema: &Value, known: &[&str]) {
        let Some(keywords) = schema.as_object() else { return };
        for (keyword, value) in keywords {
            assert!(known.contains(&keyword.as_str()), "{keyword}");
            match (keyword.as_str(), value) {
                ("properties", Value::Object(fields)) => {
                    fields.values().for_each(|f| walk(f, known))
                }
                ("items" | "additionalProperties", schema) => walk(schema, known),
                _ => {}
            }
        }
        assert!(!matches!(Shape::of(schema), Shape::Unknown(_)), "{schema}");
    }
    Role::ALL.into_iter().for_each(|role| walk(&schema(role), &known));
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let value = json!({
        "pass": "yes",
        "automated_checks": { "test": "ok" },
        "criteria_results": [
            { "criterion": "a", "status": "verified", "evidence": "b" },
            { "criterion": "a", "status": "done\u{202e}", "line": -1 },
        ],
        "failures": {},
        "scope_creep": [null],
        "autonomous_confidence": 10.5,
    });
    assert_eq!(
        breaches(Role::Verify, &value.to_string()),
        [
            "`pass`: expected true or false, found \"yes\".",
            "`automated_checks[\"test\"]`: expected one of true, false, \"n/a\", found \"ok\".",
            "`criteria_results[1].status`: expected one of \"verified\", \"failed\", \"not_verified\", found \"done\\u202e\".",
            "`criteria_results[1].evidence`: expected a text, found no such field.",
            "`criteria_results[1].line`: expected a whole number from 0, found -1.",
            "`commands_run`: expected a list, each entry a text, found no such field.",
            "`failures`: expected a list, each entry an object with `description`, found an object with 0 fields: .",
            "`scope_creep[0]`: expected a text, found null.",
            "`autonomous_confidence`: expected a number from 0 to 10, found 10.5.",
        ]
    );
}

#[test]
fn bounds_and_forms_are_part_of_the_contract() {
    let execute = changed(Role::Execute, |value| value["tasks_completed"] = "3/2".into());
    assert_eq!(
        breaches(Role::Execute, &execute.to_string()),
        ["`tasks_completed`: expected a text N/M such as \"2/3\", N not above M, found \"3/2\"."]
    );
    let rate = changed(Role::Rate, |value| value["scorecard"] = json!([]));
    assert_eq!(
        breaches(Role::Rate, &rate.to_string()),
        ["`scorecard`: expected 1 to 100 entries, found 0 entries."]
    );
    let rate = changed(Role::Rate, |value| {
        let entry = value["scorecard"][0].clone();
        value["scorecard"] = vec![entry; limits::RETURN_ENTRIES_MAX + 1].into();
    });
    assert_eq!(
        breaches(Role::Rate, &rate.to_string()),
        ["`scorecard`: expected 1 to 100 entries, found 101 entries."]
    );
    let verdict = changed(Role::JudgeDivergence, |value| value["verifier_agreement"] = Value::Null);
    assert_eq!(
        breaches(Role::JudgeDivergence, &verdict.to_string()),
        ["`verifier_agreement`: expected true or false, found null."]
    );
}

#[test]
fn many_breaches_are_counted_and_not_kept() {
    let value = changed(Role::Research, |value| value["risks"] = vec![1; 500].into());
    let broken = read(Role::Research, &value.to_string()).expect_err("500 breaches");
    assert_eq!((broken.breaches.len(), broken.left_out), (limits::BREACHES_MAX, 480));
    assert!(reminder(&broken).contains("- 480 more of the same kind."));
}

#[test]
fn what_the_contract_does_not_know_is_left_out() {
    let value = changed(Role::Debug, |value| {
        value["mood"] = "good".into();
        value["needs_answer"] = json!([]);
    });
    assert_eq!(returned(Role::Debug, &value), returned(Role::Debug, &changed(Role::Debug, |_| {})));
    // An optional field that is null is one that was left out.
    let value = changed(Role::Judge, |value| {
        value["verifier_missed"] = Value::Null;
        value["concerns"][0]["file"] = Value::Null;
    });
    let Returned::Judgement(judgement) = returned(Role::Judge, &value).returned else { panic!() };
    assert_eq!((judgement.verifier_agreement, judgement.concerns[0].file.as_deref()), (None, None));
}

#[test]
fn any_role_may_ask_instead_of_returning() {
    let question = json!({ "needs_answer": [{ "question": "Which?", "options": ["a", "b"] }] });
    for role in Role::ALL {
        let Returned::NeedsAnswer(asked) = returned(role, &question).returned else { panic!() };
        assert_eq!(asked.needs_answer[0].options, ["a", "b"]);
    }
    let question = json!({ "needs_answer": [{ "options": ["a", "b", "c", "d", "e"] }] });
    assert_eq!(
        breaches(Role::Plan, &question.to_string()),
        [
            "`needs_answer[0].question`: expected a text, found no such field.",
            "`needs_answer[0].options`: expected at most 4 entries, found 5 entries.",
        ]
    );
}

#[test]
fn plain_concerns_and_strange_categories_are_taken_and_noted() {
    let value = changed(Role::Judge, |value| value["concerns"] = json!(["It is slow"]));
    let read = returned(Role::Judge, &value);
    let Returned::Judgement(judgement) = read.returned else { panic!() };
    assert_eq!(judgement.concerns[0].severity, returns::ConcernSeverity::Major);
    assert_eq!(judgement.concerns[0].description, "It is slow");
    assert_eq!(read.notes, ["1 concerns came without a severity and count as major"]);

    let value = changed(Role::Debug, |value| value["failure_categories"] = json!(["bad luck"]));
    assert_eq!(returned(Role::Debug, &value).notes, ["\"bad luck\" is no category"]);
    // The concerns of a planner are texts and stay texts.
    let value = changed(Role::Plan, |value| value["concerns"] = json!(["It is slow"]));
    assert_eq!(returned(Role::Plan, &value).notes, Vec::<String>::new());
}

#[test]
fn long_returns_are_cut_to_what_an_event_holds() {
    let value = changed(Role::Research, |value| {
        value["risks"] = vec!["r"; 150].into();
        value["recommended_approach"] = "é".repeat(5_000).into();
    });
    let read = returned(Role::Research, &value);
    let Returned::Research(research) = &read.returned else { panic!() };
    assert_eq!(research.recommended_approach, format!("{} […]", "é".repeat(4_000)));
    assert_eq!((research.risks.len(), research.risks[99].as_str()), (100, "[51 more]"));
    let notes = ["1 texts were cut to 4000 characters", "51 entries of long lists were left out"];
    assert_eq!(read.notes, notes);

    let value = changed(Role::Research, |value| {
        value["risks"] = vec!["r".repeat(3_000); 90].into();
    });
    let read = returned(Role::Research, &value);
    assert_eq!(read.notes, ["90 texts were cut to 250 characters"]);
    let kept = serde_json::to_string(&read.returned).expect("serialised");
    assert!(kept.len() <= limits::RETURN_BYTES_MAX + 100, "{}", kept.len());

    // Each entry counts, so none is dropped: too many long ones are too large.
    let text = "é".repeat(500);
    let issue = json!({ "severity": "info", "description": text, "fix_hint": text });
    let value = changed(Role::PlanCheck, |value| value["issues"] = vec![issue; 100].into());
    let broken = super::read(Role::PlanCheck, &value.to_string()).map(|read| read.notes);
    assert_eq!(broken.expect_err("too large").breaches[0].kind, BreachKind::TooLarge);
}

#[test]
fn scores_and_counts_keep_their_meaning() {
    let value = changed(Role::Rate, |value| value["alignment_score"] = 9.99.into());
    let Returned::Rating(rating) = returned(Role::Rate, &value).returned else { panic!() };
    assert_eq!(rating.mean(), Score::from_tenths(67));
    assert_eq!(rating.alignment_score, Score::from_tenths(99));
    let value = changed(Role::PlanCheck, |value| value["blocker_count"] = 0.into());
    let Returned::PlanCheck(check) = returned(Role::PlanCheck, &value).returned else { panic!() };
    assert_eq!(check.blockers(), 1);
}

#[test]
fn the_reminder_says_what_was_wrong_and_shows_the_form() {
    let broken = read(Role::Debug, "{\"fixed\": 1, \"changes\": []}").expect_err("broken");
    insta::assert_snapshot!("reminder", reminder(&broken));
    let read = read(Role::Debug, &reminder(&broken)).expect("its example is a return");
    assert!(matches!(read.returned, Returned::Debugging(_)));
}

/// Any value of this shape. Texts are full of what could lead a reader astray.
fn any_of(shape: &Shape) -> BoxedStrategy<Value> {
    match shape {
        Shape::Text => {
            "(\\{|\\}|\"|\\\\|```json|\n|\r|\u{7}|\"pass\":|é|😀|a| ){0,12}".prop_map_into().boxed()
        }
        Shape::Tally => (0u32..9, 0u32..9)
            .prop_map(|(a, b)| format!("{}/{}", a.min(b), a.max(b)).into())
            .boxed(),
        Shape::Flag => any::<bool>().prop_map_into().boxed(),
        Shape::Whole => any::<u32>().prop_map_into().boxed(),
        Shape::Number { .. } => (0u8..=100).prop_map(|t| json!(Score::from_tenths(t))).boxed(),
        Shape::OneOf(values) => prop::sample::select(values.clone()).boxed(),
        Shape::List { entry, min, .. } => {
            prop::collection::vec(any_of(entry), *min..4).prop_map_into().boxed()
        }
        Shape::Map { entry, .. } => {
            prop::collection::btree_map("[a-z\"]{1,6}", any_of(entry), 0..4)
                .prop_map(|map| map.into_iter().collect())
                .boxed()
        }
        Shape::Object(fields) => fields.iter().fold(Just(json!({})).boxed(), |object, field| {
            let value = any_of(&field.shape);
            let value = if field.is_required {
                value.prop_map(Some).boxed()
            } else {
                prop::option::of(value).boxed()
            };
            let name = field.name.clone();
            (object, value)
                .prop_map(move |(mut object, value)| {
                    // Questions would make it another return.
                    if let Some(value) = value
                        && name != "needs_answer"
                    {
                        object[&name] = value;
                    }
                    object
                })
                .boxed()
        }),
        Shape::Unknown(keyword) => panic!("{keyword}"),
    }
}

fn any_return() -> impl Strategy<Value = (Role, Value)> {
    prop::sample::select(Role::ALL.to_vec())
        .prop_flat_map(|role| any_of(&ready::of(role).shape).prop_map(move |value| (role, value)))
}

const PROSE: &str =
    "(\\{|\\}|\"|`|```json|\n|\\{\"a\": |\\{\"a\": \\[|\\{\"a\": \"|done| |\\{\\}|é){0,20}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_return_comes_back_equal_from_between_any_prose(
        (role, value) in any_return(), before in PROSE, after in PROSE, pretty in any::<bool>(),
    ) {
        let expected = of_role(role, value).expect("the shape is the type's");
        let mut written = serde_json::to_value(&expected).expect("serialised");
        let value = written["value"].take();
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let read = read(role, &format!("{before}\n{text}\n{after}"));
        prop_assert_eq!(read.map(|read| read.returned), Ok(expected));
    }

    #[test]
    fn a_return_that_was_kept_is_read_from_the_journal_as_it_was((role, value) in any_return()) {
        let returned = of_role(role, value).expect("the shape is the type's");
        let json = serde_json::to_string(&returned).expect("serialised");
        prop_assert_eq!(serde_json::from_str::<Returned>(&json).expect("read"), returned);
    }

    #[test]
    fn no_text_makes_the_reader_panic(
        role in prop::sample::select(Role::ALL.to_vec()),
        text in "(\\PC|\\{|\\}|\\[|\\]|\"|\\\\u|d800|:|,|1e999|-|null|\"pass\":|\"scorecard\":|\"needs_answer\":){0,60}",
    ) {
        if let Err(broken) = read(role, &text) {
            prop_assert!(!broken.breaches.is_empty());
            prop_assert!(reminder(&broken).len() < 8_000);
        }
    }

    #[test]
    fn no_changed_return_makes_the_reader_panic(
        (role, value) in any_return(), other in any_return(), at in any::<prop::sample::Index>(),
    ) {
        // A field of another return in the place of one of this.
        let mut value = value;
        if let Some(fields) = value.as_object_mut() && !fields.is_empty() {
            let name = fields.keys().nth(at.index(fields.len())).cloned().unwrap_or_default();
            fields.insert(name, other.1);
        }
        let _ = read(role, &value.to_string());
    }
}
