//! Links in Markdown lead somewhere: to a file of the repository, to a heading in it, or to an address that is one.

use super::Violation;
use super::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    let is_page = |file: &File| file.path.ends_with(".md") && !file.is_fixture();
    for (file, text) in tree.texts().filter(|(file, _)| is_page(file)) {
        for (line, target) in links_of(text) {
            if let Some(message) = fault(tree, file, &target) {
                found.push(Violation { path: file.path.clone(), line, rule: "link", message });
            }
        }
    }
    found
}

fn fault(tree: &Tree, from: &File, target: &str) -> Option<String> {
    if let Some(address) = target.strip_prefix("https://").or(target.strip_prefix("http://")) {
        let host = address.split(['/', '?', '#']).next().unwrap_or_default();
        let is_host = !host.is_empty()
            && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-:".contains(c));
        return (!is_host).then(|| format!("{target} is no address"));
    }
    if target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let Some(path) = resolve(from, path) else {
        return Some(format!("{target} leaves the repository"));
    };
    if tree.holds_folder(&path) && anchor.is_empty() {
        return None;
    }
    if !tree.holds(&path) {
        return Some(format!("{target}: there is no file {path}"));
    }
    let is_page = path.ends_with(".md");
    let known = tree
        .text_of(&path)
        .is_some_and(|text| !is_page || anchors_of(text).contains(&anchor.into()));
    (!anchor.is_empty() && !known).then(|| format!("{target}: {path} has no heading #{anchor}"))
}

/// The path from the root of the repository; a link to a heading of the same page has none of its own.
fn resolve(from: &File, target: &str) -> Option<String> {
    if target.is_empty() {
        return Some(from.path.clone());
    }
    let (base, relative) = match target.strip_prefix('/') {
        Some(absolute) => ("", absolute),
        None => (from.folder(), target),
    };
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The targets of `[text](target)`, `![text](target "title")` and `[label]: target`, with their lines, outside of code.
fn links_of(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (index, line) in prose(text).lines().enumerate() {
        let mut add = |target: &str| {
            let target = target.trim().trim_start_matches('<');
            let end = target.find([' ', '>']).unwrap_or(target.len());
            links.push((index + 1, target[..end].to_string()));
        };
        for (at, _) in line.match_indices("](") {
            let target = &line[at + 2..];
            add(&target[..target.find(')').unwrap_or(target.len())]);
        }
        let is_definition = line.trim_start().starts_with('[');
        if let Some((label, target)) = line.split_once("]: ").filter(|_| is_definition)
            && !label.contains(']')
        {
            add(target);
        }
    }
    links
}

/// The names headings can be linked by, as GitHub makes them, and those of explicit `<a id="...">`.
fn anchors_of(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let fenced_out = without_fences(text);
    for line in fenced_out.lines() {
        let hashes = line.chars().take_while(|&c| c == '#').count();
        if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
            let slug = slug(line[hashes..].trim());
            let numbered = |n: usize| if n == 0 { slug.clone() } else { format!("{slug}-{n}") };
            anchors.extend((0..).map(numbered).find(|name| !anchors.contains(name)));
        }
        for attribute in ["id=\"", "name=\""] {
            let named = line.match_indices(attribute).filter_map(|(at, _)| {
                line[at + attribute.len()..].split_once('"').map(|(name, _)| name.to_string())
            });
            anchors.extend(named);
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let keep = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    heading.to_lowercase().chars().filter_map(keep).collect()
}

/// The page with fenced blocks and `inline code` made blank, line for line.
fn prose(text: &str) -> String {
    let blank = |(index, part): (usize, &str)| match index % 2 {
        0 => part.to_string(),
        _ => " ".repeat(part.chars().count()),
    };
    let clean = |line: &str| line.split('`').enumerate().map(blank).collect::<String>();
    without_fences(text).lines().map(|line| clean(line) + "\n").collect()
}

fn without_fences(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| start.starts_with(marker));
        let is_text = fence.is_none() && marker.is_none();
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(close)) if open == close => fence = None,
            (_, _) => {}
        }
        kept.push_str(if is_text { line } else { "" });
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::broken;
    use super::*;

    const OTHER: (&str, &str) =
        ("docs/other.md", "# Some *Title*: a `b`\n\n## Twice\n## Twice\n<a id=\"x\"></a>\n");

    fn page(text: &str) -> Vec<String> {
        broken(check, &[("docs/page.md", text), OTHER, ("README.md", "# R\n"), ("src/a.rs", "")])
    }

    #[test]
    fn a_link_to_nothing_is_found() {
        let bad = [
            "[a](missing.md)",
            "![a](../missing.png \"t\")",
            "[a](other.md#nowhere)",
            "[a](#nowhere)",
            "[a](../../outside.md)",
            "[a]: missing.md",
            "[a](https://)",
            "[a](https:///path)",
            "[a](ftp://x.org)",
        ];
        for text in bad {
            assert_eq!(page(&format!("# P\n{text}\n")), ["docs/page.md:2 link"], "{text}");
        }
    }

    #[test]
    fn a_link_that_leads_somewhere_is_fine() {
        let fine = [
            "[a](other.md) and [b](../README.md)",
            "[a](other.md#some-title-a-b)",
            "[a](other.md#twice-1) [b](other.md#x)",
            "[a](#p)",
            "[a](../src) [b](/src/a.rs#L3)",
            "[a]: other.md \"title\"",
            "<https://x.org> [a](https://x.org/b?c#d) [m](mailto:a@b.c)",
            "`[a](missing.md)`",
            "```\n[a](missing.md)\n```",
        ];
        for text in fine {
            assert!(page(&format!("# P\n{text}\n")).is_empty(), "{text}");
        }
        assert!(broken(check, &[("x/fixtures/a.md", "[a](missing.md)")]).is_empty());
    }
}
