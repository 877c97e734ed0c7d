//! The graph as text for other programs. Names are foreign: whatever stands in them, they stay inside their quotes.

use super::face::one_line;
use super::{Graph, Node};

/// A Mermaid flowchart.
pub fn mermaid(graph: &Graph) -> String {
    let mut text = String::from("graph TD\n");
    for (index, node) in graph.nodes.iter().enumerate() {
        let title: String = title(node).chars().map(mermaid_character).collect();
        text.push_str(&format!("    p{index}[\"{title}\"]\n"));
    }
    for (from, to) in edges(graph) {
        text.push_str(&format!("    p{from} --> p{to}\n"));
    }
    text
}

/// A Graphviz digraph.
pub fn dot(graph: &Graph) -> String {
    let mut text = String::from("digraph phases {\n    node [shape=box];\n");
    for (index, node) in graph.nodes.iter().enumerate() {
        let title: String = title(node).chars().map(dot_character).collect();
        text.push_str(&format!("    p{index} [label=\"{title}\"];\n"));
    }
    for (from, to) in edges(graph) {
        text.push_str(&format!("    p{from} -> p{to};\n"));
    }
    text.push_str("}\n");
    text
}

fn title(node: &Node) -> String {
    let mark = if node.is_done { " ✓" } else { "" };
    one_line(&format!("{}{mark} {}", node.label, node.name))
}

fn edges(graph: &Graph) -> Vec<(usize, usize)> {
    let count = graph.nodes.len();
    let mut edges = graph.edges.clone();
    edges.retain(|&(from, to)| from < count && to < count);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Mermaid has no escapes, only entities. Quotes, brackets and backticks end or change a label, `<` and `&` begin HTML,
/// `%%` a comment and `:` with `#` a style, so of ASCII only what means nothing anywhere stays as it is.
fn mermaid_character(character: char) -> String {
    let is_harmless =
        !character.is_ascii() || character.is_ascii_alphanumeric() || " -_.,".contains(character);
    if is_harmless { character.to_string() } else { format!("#{};", u32::from(character)) }
}

/// Inside quotes Graphviz knows backslash escapes such as `\N`, the quote itself, and HTML entities.
fn dot_character(character: char) -> String {
    match character {
        '\\' => "\\\\".to_owned(),
        '"' => "\\\"".to_owned(),
        '&' => "&amp;".to_owned(),
        _ => character.to_string(),
    }
}
