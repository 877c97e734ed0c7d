//! What kind of work a phase is (TYPE-1): ui, protocol, data or mixed. Derived from the files its plans name, else from the words
//! of its name and goal. Decides which evidence is asked for and what it may cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::ProjectConfig;
use crate::plan::Plan;
use crate::roadmap::Phase;
use crate::word_table::WordTable;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PhaseType {
    Ui,
    Protocol,
    Data,
    Mixed,
}

impl PhaseType {
    pub fn word(self) -> &'static str {
        match self {
            PhaseType::Ui => "ui",
            PhaseType::Protocol => "protocol",
            PhaseType::Data => "data",
            PhaseType::Mixed => "mixed",
        }
    }
}

const UI_EXTENSIONS: [&str; 9] =
    ["tsx", "jsx", "vue", "svelte", "css", "scss", "html", "xaml", "storyboard"];
const DATA_EXTENSIONS: [&str; 6] = ["json", "csv", "yaml", "yml", "tsv", "parquet"];
const PROTOCOL_FOLDERS: [&str; 6] =
    ["protocols", "prompts", "agents", "skills", "commands", "workflows"];

pub fn of<'a>(
    phase: &Phase<'_>,
    plans: impl Iterator<Item = &'a Plan>,
    config: &ProjectConfig,
) -> PhaseType {
    let files: Vec<&str> = plans
        .flat_map(|plan| {
            plan.files_modified.iter().chain(plan.tasks.iter().flat_map(|task| &task.files))
        })
        .map(String::as_str)
        .collect();
    let hints = |word: &str| {
        phase.ui_hint.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    match files.is_empty() {
        false => of_files(&files, config),
        true if hints("yes") || hints("true") => PhaseType::Ui,
        true => of_words(phase),
    }
}

/// One user interface file makes it ui; the other two only when every file is of that kind.
fn of_files(files: &[&str], config: &ProjectConfig) -> PhaseType {
    let is_ui = |file: &&str| {
        let in_folder = config.ui_source_dir.as_deref().is_some_and(|folder| {
            let folder = folder.trim_start_matches("./").trim_end_matches('/');
            file.trim_start_matches("./")
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        });
        let extension = extension(file);
        let configured =
            config.ui_extensions.iter().any(|ui| ui.trim_start_matches('.') == extension);
        in_folder
            || configured
            || (config.ui_source_dir.is_none() && UI_EXTENSIONS.contains(&extension))
    };
    let is_protocol = |file: &&str| {
        extension(file) == "md" && file.split('/').any(|folder| PROTOCOL_FOLDERS.contains(&folder))
    };
    let is_data = |file: &&str| DATA_EXTENSIONS.contains(&extension(file));
    if files.iter().any(is_ui) {
        PhaseType::Ui
    } else if files.iter().all(is_protocol) {
        PhaseType::Protocol
    } else if files.iter().all(is_data) {
        PhaseType::Data
    } else {
        PhaseType::Mixed
    }
}

fn extension(file: &str) -> &str {
    file.rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map_or("", |(_, extension)| extension)
}

static WORDS: WordTable<PhaseType> = WordTable::new(&[
    (
        PhaseType::Ui,
        &[
            "ui",
            "ux",
            "screen",
            "screens",
            "dashboard",
            "frontend",
            "layout",
            "css",
            "button",
            "theme",
            "widget",
            "webview",
        ],
    ),
    (PhaseType::Protocol, &["protocol", "protocols", "prompt", "prompts"]),
    (PhaseType::Data, &["dataset", "datasets", "fixtures", "catalog", "translations"]),
]);

/// By byte, because every name and goal is looked through. What is not ASCII is part of a word.
static ENDS_A_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0u8;
    while byte.is_ascii() {
        ends[byte as usize] = !byte.is_ascii_alphanumeric();
        byte += 1;
    }
    ends
};

/// Words of one kind only decide; of two kinds, the phase is mixed.
fn of_words(phase: &Phase<'_>) -> PhaseType {
    let mut found = None;
    for text in [&phase.name, &phase.goal] {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let ends = |byte: &u8| ENDS_A_WORD[usize::from(*byte)];
            let (word, after) = rest.split_at(rest.iter().position(ends).unwrap_or(rest.len()));
            rest = after.get(1..).unwrap_or_default();
            let Some(kind) = WORDS.find_ascii(word) else { continue };
            if *found.get_or_insert(kind) != kind {
                return PhaseType::Mixed;
            }
        }
    }
    found.unwrap_or(PhaseType::Mixed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap;

    fn type_of<'a>(
        goal: &str,
        plans: impl Iterator<Item = &'a Plan>,
        config: &ProjectConfig,
    ) -> PhaseType {
        let text = format!("### Phase 1: X\n**Goal**: {goal}\n");
        let (roadmap, _) = roadmap::read("R.md", &text);
        of(&roadmap.phases[0], plans, config)
    }

    #[test]
    fn words_decide_where_no_file_is_known() {
        let check = |goal: &str, expected: PhaseType| {
            let found = type_of(goal, std::iter::empty(), &ProjectConfig::default());
            assert_eq!(found, expected, "{goal}");
        };
        check("A login screen", PhaseType::Ui);
        check("Tighter prompts", PhaseType::Protocol);
        check("More translations", PhaseType::Data);
        check("A dashboard for prompts", PhaseType::Mixed);
        check("Requires building", PhaseType::Mixed);
    }

    #[test]
    fn files_decide_where_a_plan_names_them() {
        let check = |files: &[&str], source_dir: Option<&str>, expected: PhaseType| {
            let plan = Plan {
                files_modified: files.iter().map(ToString::to_string).collect(),
                ..Plan::default()
            };
            let config = ProjectConfig {
                ui_source_dir: source_dir.map(str::to_string),
                ..ProjectConfig::default()
            };
            assert_eq!(type_of("A screen", [plan].iter(), &config), expected, "{files:?}");
        };
        check(&["src/a.rs"], None, PhaseType::Mixed);
        check(&["src/a.rs", "web/b.tsx"], None, PhaseType::Ui);
        check(&["web/b.rs"], Some("web/"), PhaseType::Ui);
        check(&["website/b.rs"], Some("web"), PhaseType::Mixed);
        check(&["protocols/a.md", "docs/prompts/b.md"], None, PhaseType::Protocol);
        check(&["a.json", "b/c.yaml"], None, PhaseType::Data);
    }
}
