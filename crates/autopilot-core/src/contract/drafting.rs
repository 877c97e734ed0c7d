//! The return of whoever drafts a project from an idea (NEW-1): its page, its requirements and its phases. It belongs to no phase and
//! to no run, so it is no role's. Whether what it says can be worked through is found out in `crate::drafting`.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::broken::{Breach, BreachKind};
use super::ready::Ready;
use super::{object, of_value, schema as schemas};
use crate::limits;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Drafting {
    /// What the project is called, in a few words.
    pub title: String,
    /// One to four sentences: what it is, for whom, and what they can do with it when all phases are done.
    pub summary: String,
    /// What the work must keep to, a sentence each: languages, platforms, interfaces that stay as they are.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// What somebody might expect and will not get, a sentence each.
    #[serde(default)]
    pub out_of_scope: Vec<String>,
    /// What you decided where the idea left it open, a sentence each, with the reason. The user reads them before anything is written.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// What must be true of the project in the end.
    pub requirements: Vec<DraftedRequirement>,
    /// In an order in which they can be done.
    pub phases: Vec<DraftedPhase>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftedRequirement {
    /// Capitals, a hyphen and a number, such as `DATA-01`.
    pub id: String,
    /// What must be true, in one sentence.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftedPhase {
    /// Counted from 1.
    pub number: u32,
    /// A few words.
    pub name: String,
    /// What is true afterwards and was not before, in one or two sentences.
    pub goal: String,
    /// Numbers of the phases that must be done before; empty where none must.
    pub depends_on: Vec<u32>,
    /// Ids of the requirements it brings.
    pub requirements: Vec<String>,
    /// When all of these are true the phase is done.
    pub criteria: Vec<DraftedCriterion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftedCriterion {
    /// Something that can be seen from outside, in one sentence.
    pub text: String,
    /// A shell line that fails today and passes when the criterion is met, where there can be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// What is read of an answer: the draft, or every way in which it broke the contract, a sentence each.
pub fn read(text: &str) -> Result<Drafting, Vec<String>> {
    let told = |breach: Breach| vec![breach.to_string()];
    let (found, mut value) = object(&READY, text).map_err(told)?;
    if found.len() > limits::DRAFTING_BYTES_MAX {
        let expected = format!("at most {} bytes", limits::DRAFTING_BYTES_MAX);
        let found = format!("{} bytes", found.len());
        return Err(told(Breach::whole(BreachKind::TooLarge, &expected, found)));
    }
    spell_out(&mut value);
    let breaches = READY.shape.check(&mut value);
    if breaches.kept.is_empty() {
        return of_value(value).map_err(told);
    }
    let mut sentences: Vec<String> = breaches.kept.iter().map(Breach::to_string).collect();
    if breaches.left_out > 0 {
        sentences.push(format!("{} more of the same kind.", breaches.left_out));
    }
    Err(sentences)
}

/// A plain object, for agents that can be held to one.
pub fn schema() -> Value {
    let mut schema = schemas::of::<Drafting>();
    schema["title"] = "draft".into();
    schema.sort_all_objects();
    schema
}

/// Prompts show it, and a test reads it back.
pub fn example() -> &'static str {
    include_str!("examples/draft.json")
}

/// What a prompt says about the fields.
pub fn fields() -> String {
    READY.fields()
}

static READY: LazyLock<Ready> = LazyLock::new(|| Ready::of(&schema()));

/// A criterion may come as a plain sentence, and a number as a text: both say what is meant.
fn spell_out(value: &mut Value) {
    let phases = value.get_mut("phases").and_then(Value::as_array_mut);
    for phase in phases.into_iter().flatten().filter_map(Value::as_object_mut) {
        for criterion in
            phase.get_mut("criteria").and_then(Value::as_array_mut).into_iter().flatten()
        {
            if let Value::String(text) = criterion {
                *criterion = json!({ "text": text });
            }
        }
        phase.get_mut("number").into_iter().for_each(number);
        let needed = phase.get_mut("depends_on").and_then(Value::as_array_mut);
        needed.into_iter().flatten().for_each(number);
    }
}

fn number(value: &mut Value) {
    if let Some(number) = value.as_str().and_then(|text| text.trim().parse::<u32>().ok()) {
        *value = number.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_keeps_the_contract_and_the_schema_is_what_agents_are_promised() {
        let read = read(example()).expect("the example is a draft");
        assert_eq!(read.phases.len(), 3);
        insta::assert_snapshot!("schema_draft", format!("{:#}", schema()));
    }

    #[test]
    fn plain_sentences_and_numbers_in_quotes_are_understood() {
        let mut value: Value = serde_json::from_str(example()).expect("JSON");
        value["phases"][1]["depends_on"] = json!(["1"]);
        value["phases"][1]["number"] = json!("2");
        value["phases"][1]["criteria"] = json!(["A row is printed"]);
        let read = read(&value.to_string()).expect("understood");
        let phase = &read.phases[1];
        assert_eq!((phase.number, &phase.depends_on), (2, &vec![1]));
        let text = "A row is printed".to_string();
        assert_eq!(phase.criteria, [DraftedCriterion { text, command: None }]);
    }

    #[test]
    fn every_breach_is_told_at_once() {
        let text = r#"Here it is: {"title": 3, "phases": [{"number": 1, "name": "A", "goal": "B", "depends_on": "none"}]}"#;
        assert_eq!(
            read(text).expect_err("broken"),
            [
                "`title`: expected a text, found 3.",
                "`summary`: expected a text, found no such field.",
                "`requirements`: expected a list, each entry an object with `id`, `text`, found no such field.",
                "`phases[0].depends_on`: expected a list, each entry a whole number from 0, found \"none\".",
                "`phases[0].requirements`: expected a list, each entry a text, found no such field.",
                "`phases[0].criteria`: expected a list, each entry an object with `text`, found no such field.",
            ]
        );
        assert_eq!(read("I would rather talk").expect_err("none").len(), 1);
        let long = format!("{{\"title\": \"{}\"}}", "a".repeat(limits::DRAFTING_BYTES_MAX));
        assert!(read(&long).expect_err("long")[0].starts_with("expected at most"));
    }
}
