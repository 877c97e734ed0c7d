//! Recognises which tool a file was made for. The content decides; the file's name only breaks a tie.

use super::outline::{Block, Kind};
use super::{SourceKind, item_id, open_spec, ralphex, spec_kit};

pub(super) fn is_json(file_name: &str, text: &str) -> bool {
    let text = text.trim_start();
    let is_named = file_name.to_ascii_lowercase().ends_with(".json");
    // A Markdown file may begin with a link, so a bracket needs a brace after it.
    let is_list = text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    is_named || text.starts_with('{') || is_list
}

pub(super) fn markdown_kind(file_name: &str, blocks: &[Block]) -> SourceKind {
    let has_heading = |is_one: &dyn Fn(u8, &str) -> bool| {
        blocks.iter().any(|block| match block.kind {
            Kind::Heading { level } => is_one(level, &block.text),
            _ => false,
        })
    };
    let has_task = |is_one: &dyn Fn(&str) -> bool| {
        blocks.iter().any(|block| match block.kind {
            Kind::Item { mark, .. } => mark.is_box() && is_one(&block.text),
            _ => false,
        })
    };
    let is_spec_kit_task = |text: &str| {
        let id = item_id::split(SourceKind::SpecKit, text).id;
        id.is_some_and(|id| id.starts_with('T') && !id.contains('-'))
    };
    let is_in_open_spec = file_name.to_ascii_lowercase().contains("openspec");
    if has_heading(&|_, text| spec_kit::phase_heading(text).is_some())
        && has_task(&is_spec_kit_task)
    {
        SourceKind::SpecKit
    } else if has_heading(&|level, text| ralphex::task_heading(level, text).is_some()) {
        SourceKind::Ralphex
    } else if has_heading(&|level, text| open_spec::group_heading(level, text).is_some())
        && (is_in_open_spec || has_task(&is_outline_task))
    {
        SourceKind::OpenSpec
    } else {
        SourceKind::Markdown
    }
}

/// `1.2 text`.
fn is_outline_task(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let mut parts = word.split('.');
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.next().is_some_and(is_digits) && parts.next().is_some_and(is_digits)
}
