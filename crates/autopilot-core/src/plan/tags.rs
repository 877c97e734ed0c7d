//! Tags in plans, found as text: `<task type="auto">`, `<name>…</name>`. Not XML: bodies hold HTML, generics and half tags.

/// The attributes of an opening tag: `<task id="1" type='auto' tdd>`.
pub(super) fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = tag.trim_start_matches('<');
    rest = rest.split_once(char::is_whitespace).map(|(_, after)| after).unwrap_or_default();
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim().rsplit(char::is_whitespace).next().unwrap_or_default();
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let inside = &after[1..];
        let Some(end) = inside.find(quote) else { break };
        found.push((name, &inside[..end]));
        rest = &inside[end + 1..];
    }
    found
}

pub(super) fn attribute<'a>(attributes: &[(&'a str, &'a str)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(found, _)| *found == name).map(|(_, value)| *value)
}

/// Does the line open this element? `<task>` and `<task type=…>`, not `<tasks>`.
pub(super) fn opens(line: &str, name: &str) -> bool {
    let after = line.trim_start().strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
    after.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '>', '/']))
}

pub(super) fn closes(line: &str, name: &str) -> bool {
    line.find("</").is_some_and(|_| line.contains(&format!("</{name}>")))
}

/// What stands between the first `<name>` and its end. `until_last` takes the last closing tag, for bodies with HTML in them.
pub(super) fn inside<'a>(body: &'a str, name: &str, until_last: UntilLast) -> Option<&'a str> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let start = body.match_indices(&open).map(|(at, _)| at).find(|at| {
        let after = &body[at + open.len()..];
        after.starts_with('>') || after.starts_with([' ', '\t', '\n'])
    })?;
    let content = start + body[start..].find('>')? + 1;
    let rest = &body[content..];
    let end = match until_last {
        UntilLast::Yes => rest.rfind(&close),
        UntilLast::No => rest.find(&close),
    };
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UntilLast {
    Yes,
    No,
}

/// Every `<name>…</name>` of the body, in order.
pub(super) fn all_inside<'a>(body: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(start) = rest.find(&open) {
        let content = &rest[start + open.len()..];
        let Some(end) = content.find(&close) else { break };
        found.push(&content[..end]);
        rest = &content[end + close.len()..];
    }
    found
}
