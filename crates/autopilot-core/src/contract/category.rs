//! The ten kinds of failure (CHECK-12). A word that is none of them is kept as it came and noted; it breaks no contract.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    ExecutorIncomplete,
    ExecutorWrongApproach,
    CompilationFailure,
    LintFailure,
    BuildFailure,
    AcceptanceCriteriaUnmet,
    ScopeCreep,
    ContextExhaustion,
    ToolFailure,
    CoordinationFailure,
    /// The agent's own word.
    Unclassified(String),
}

const KNOWN: [(&str, Category); 10] = [
    ("executor_incomplete", Category::ExecutorIncomplete),
    ("executor_wrong_approach", Category::ExecutorWrongApproach),
    ("compilation_failure", Category::CompilationFailure),
    ("lint_failure", Category::LintFailure),
    ("build_failure", Category::BuildFailure),
    ("acceptance_criteria_unmet", Category::AcceptanceCriteriaUnmet),
    ("scope_creep", Category::ScopeCreep),
    ("context_exhaustion", Category::ContextExhaustion),
    ("tool_failure", Category::ToolFailure),
    ("coordination_failure", Category::CoordinationFailure),
];

impl Category {
    pub fn from_word(word: &str) -> Category {
        let known = KNOWN.into_iter().find(|(name, _)| *name == word);
        known.map_or_else(|| Category::Unclassified(word.into()), |(_, category)| category)
    }

    pub fn word(&self) -> &str {
        match self {
            Category::ExecutorIncomplete => "executor_incomplete",
            Category::ExecutorWrongApproach => "executor_wrong_approach",
            Category::CompilationFailure => "compilation_failure",
            Category::LintFailure => "lint_failure",
            Category::BuildFailure => "build_failure",
            Category::AcceptanceCriteriaUnmet => "acceptance_criteria_unmet",
            Category::ScopeCreep => "scope_creep",
            Category::ContextExhaustion => "context_exhaustion",
            Category::ToolFailure => "tool_failure",
            Category::CoordinationFailure => "coordination_failure",
            Category::Unclassified(word) => word,
        }
    }

    /// The ten words, in the order the rule names them.
    pub fn words() -> [&'static str; 10] {
        KNOWN.map(|(word, _)| word)
    }
}

impl Serialize for Category {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Category {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Category, D::Error> {
        Ok(Category::from_word(&String::deserialize(deserializer)?))
    }
}

/// Any text is taken, so the schema names the ten words instead of demanding them.
impl JsonSchema for Category {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Category".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let description = format!("One of {}.", Category::words().join(", "));
        json_schema!({ "type": "string", "description": description })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_words_and_any_other_come_back_as_they_were() {
        for (word, category) in KNOWN {
            assert_eq!(category.word(), word);
            assert_eq!(Category::from_word(word), category);
        }
        let json = "\"flaky_network\"";
        let own: Category = serde_json::from_str(json).expect("any word is taken");
        assert_eq!(own, Category::Unclassified("flaky_network".into()));
        assert_eq!(serde_json::to_string(&own).expect("serialised"), json);
    }
}
