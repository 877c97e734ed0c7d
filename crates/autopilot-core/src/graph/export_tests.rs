//! Hostile names in the exports.

use super::*;

fn hostile() -> Graph {
    let node = |label: &str, name: &str, is_done| Node {
        label: label.to_owned(),
        name: name.to_owned(),
        is_done,
    };
    let nodes = vec![
        node("1", "Log in", true),
        node("2.1", "a\"]\np9[\"b", false),
        node("3", "`<img src=x onerror=alert(1)>` &lt; %% #quot; \\N \\\"; end", false),
        node("4", "结账 {x} (y) | z\u{1b}\u{2028}w", false),
    ];
    Graph { nodes, edges: vec![(1, 2), (0, 1), (0, 1), (0, 9), (2, 3)] }
}

#[test]
fn names_stay_inside_their_quotes_in_mermaid() {
    insta::assert_snapshot!(mermaid(&hostile()));
}

#[test]
fn names_stay_inside_their_quotes_in_dot() {
    insta::assert_snapshot!(dot(&hostile()));
}

#[test]
fn a_mermaid_label_holds_only_harmless_ascii() {
    let name: String = (0..=0x7f).filter_map(char::from_u32).collect();
    let node = Node { label: "1".to_owned(), name, is_done: false };
    let text = mermaid(&Graph { nodes: vec![node], edges: Vec::new() });
    let label = text.lines().nth(1).and_then(|line| line.split('"').nth(1)).expect("a label");
    let is_harmless = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || " -_.,#;".contains(c);
    assert!(label.chars().all(is_harmless), "{label}");
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn an_empty_graph_is_still_a_graph() {
    let empty = Graph { nodes: Vec::new(), edges: Vec::new() };
    assert_eq!(mermaid(&empty), "graph TD\n");
    assert_eq!(dot(&empty), "digraph phases {\n    node [shape=box];\n}\n");
}
