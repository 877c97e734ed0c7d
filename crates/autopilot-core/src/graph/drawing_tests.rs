//! Pictures as a person sees them, and what happens where there can be none.

use unicode_width::UnicodeWidthStr;

use super::reading_tests::check_reads_back;
use super::*;

/// `1 Login; 2* Billing < 1; 3 Mail < 1 2`: three phases, the second done, and what each depends on.
fn graph(text: &str) -> Graph {
    let entries: Vec<&str> =
        text.split(['\n', ';']).map(str::trim).filter(|entry| !entry.is_empty()).collect();
    let mut graph = Graph { nodes: Vec::new(), edges: Vec::new() };
    for entry in &entries {
        let title = entry.split('<').next().unwrap_or("").trim();
        let (label, name) = title.split_once(' ').unwrap_or((title, ""));
        let is_done = label.ends_with('*');
        let label = label.trim_end_matches('*').to_owned();
        graph.nodes.push(Node { label, name: name.to_owned(), is_done });
    }
    for (to, entry) in entries.iter().enumerate() {
        let sources = entry.split_once('<').map_or("", |(_, sources)| sources);
        for source in sources.split_whitespace() {
            let is_source = |node: &Node| node.label == source;
            graph.edges.push((graph.nodes.iter().position(is_source).expect("a source"), to));
        }
    }
    graph
}

fn picture_of(text: &str, width: usize) -> String {
    assert!(check_reads_back(&graph(text), width));
    picture_of_unread(text, width)
}

fn picture_of_unread(text: &str, width: usize) -> String {
    match draw(&graph(text), width) {
        Drawing::Drawn { text, .. } => text,
        other => panic!("not drawn: {other:?}"),
    }
}

fn check(text: &str, width: usize, picture: &str) {
    assert_eq!(picture_of(text, width), picture.strip_prefix('\n').unwrap_or(picture));
}

const SHOP: &str = "
1* Project skeleton
2* Settings file < 1
3* Database schema < 1
4 Login and sessions < 2 3
5 User profiles < 4
6 Roles and rights < 4
7 Audit log < 3
8 Mail templates < 2
9 Mail delivery < 8
10 Password reset < 5 9
11 Product catalogue < 3
12 Search index < 11
13 Shopping cart < 5 11
14 Price rules < 11
15 Checkout < 13 14
16 Payment gateway < 15 2
17 Invoices < 16 9
18 Refunds < 16 7
19 Warehouse stock < 11 7
20 Shipping labels < 15 19
21 Order tracking < 20 9
22 Admin dashboard < 6 7
23 Sales reports < 17 22
24 Stock reports < 19 22
25 Recommendations < 12 13
26 Mobile layout < 25 15
27 Translations < 26
28 Load tests < 21 23 26
29 Security review < 10 18 22
30 Launch < 27 28 29 24
";

#[test]
fn a_chain_stands_in_a_column_without_the_edges_it_implies() {
    check(
        "1* Login; 2 Billing < 1; 3 Mail < 1 2",
        80,
        "
╭───────────╮
│ 1 ✓ Login │
╰─────┬─────╯
╭─────▼─────╮
│ 2 Billing │
╰────┬──────╯
 ╭───▼────╮
 │ 3 Mail │
 ╰────────╯
",
    );
    let drawing = draw(&graph("1* Login; 2 Billing < 1; 3 Mail < 1 2"), 80);
    assert!(matches!(drawing, Drawing::Drawn { implied: 1, .. }));
}

#[test]
fn a_diamond_joins_again_at_two_arrows() {
    check(
        "1 Login; 2 Billing < 1; 3 Mail < 1; 4 Ship < 2 3",
        80,
        "
 ╭─────────╮
 │ 1 Login │
 ╰────┬────╯
      ├────────────┐
╭─────▼─────╮ ╭────▼───╮
│ 2 Billing │ │ 3 Mail │
╰────┬──────╯ ╰────┬───╯
     │  ┌──────────┘
 ╭───▼──▼─╮
 │ 4 Ship │
 ╰────────╯
",
    );
}

#[test]
fn crossing_lines_do_not_join() {
    check(
        "1 Left; 2 Right; 3 One < 1 2; 4 Two < 1 2",
        80,
        "
╭────────╮ ╭─────────╮
│ 1 Left │ │ 2 Right │
╰────┬───╯ ╰────┬────╯
     ├────────┐ │
     │  ┌─────│─┤
  ╭──▼──▼─╮ ╭─▼─▼───╮
  │ 3 One │ │ 4 Two │
  ╰───────╯ ╰───────╯
",
    );
}

#[test]
fn a_fan_out_is_one_line_with_branches_and_a_fan_in_is_an_arrow_each() {
    check(
        "1 Hub; 2 A < 1; 3 B < 1; 4 C < 1; 5 D < 1; 6 End < 2 3 4 5",
        80,
        "
       ╭───────╮
       │ 1 Hub │
       ╰───┬───╯
   ┌───────┼───────┬───────┐
╭──▼──╮ ╭──▼──╮ ╭──▼──╮ ╭──▼──╮
│ 2 A │ │ 3 B │ │ 4 C │ │ 5 D │
╰──┬──╯ ╰─┬───╯ ╰──┬──╯ ╰──┬──╯
   └────┐ │ ┌──────┘       │
        │ │ │ ┌────────────┘
       ╭▼─▼─▼─▼╮
       │ 6 End │
       ╰───────╯
",
    );
}

#[test]
fn a_long_edge_passes_the_layers_between() {
    check(
        "1 A; 2 B < 1; 3 C < 2; 4 D < 3; 5 E < 1; 6 F < 4 5; 7 G < 5; 8 H < 1 7",
        80,
        "
╭─────╮
│ 1 A │
╰──┬──╯
   ├─────────┐
╭──▼──╮   ╭──▼──╮
│ 2 B │   │ 5 E │
╰──┬──╯   ╰──┬──╯
   │       ┌─┴──┐
╭──▼──╮ ╭──▼──╮ │
│ 3 C │ │ 7 G │ │
╰──┬──╯ ╰──┬──╯ │
╭──▼──╮ ╭──▼──╮ │
│ 4 D │ │ 8 H │ │
╰──┬──╯ ╰─────╯ │
   └──────────┐ │
             ╭▼─▼──╮
             │ 6 F │
             ╰─────╯
",
    );
}

#[test]
fn wide_characters_take_two_columns() {
    check(
        "1* 用户登录; 2 结账和付款流程以及退款 < 1; 3 🚀 Launch < 1",
        40,
        "
                     ╭──────────────╮
                     │ 1 ✓ 用户登录 │
                     ╰───────┬──────╯
              ┌──────────────┤
╭─────────────▼────────────╮ │
│ 2 结账和付款流程以及退款 │ │
╰──────────────────────────╯ │
                      ╭──────▼──────╮
                      │ 3 🚀 Launch │
                      ╰─────────────╯
",
    );
}

#[test]
fn a_long_name_is_wrapped_and_then_cut() {
    let text =
        "1 A very long name that certainly does not fit into any box of the picture; 2 B < 1";
    check(
        text,
        40,
        "
╭───────────────────────╮
│ 1 A very long name    │
│ that certainly does   │
│ not fit into any box… │
╰───────────┬───────────╯
         ╭──▼──╮
         │ 2 B │
         ╰─────╯
",
    );
    check(
        text,
        12,
        "
╭───╮
│ 1 │
╰─┬─╯
╭─▼─╮
│ 2 │
╰───╯
",
    );
}

#[test]
fn phases_without_edges_fill_the_room_beside_and_below_the_others() {
    check(
        "1 Alone; 2 Login; 3 Alone too; 4 Billing < 2; 5 Mail",
        30,
        "
 ╭─────────╮   ╭─────────╮
 │ 2 Login │   │ 1 Alone │
 ╰────┬────╯   ╰─────────╯
╭─────▼─────╮
│ 4 Billing │
╰───────────╯

╭─────────────╮  ╭────────╮
│ 3 Alone too │  │ 5 Mail │
╰─────────────╯  ╰────────╯
",
    );
}

#[test]
fn a_hub_with_many_targets_is_spread_over_several_layers() {
    let text: String = (2..=14).map(|id| format!("{id} Some phase < 1;")).collect();
    insta::assert_snapshot!(picture_of(&format!("1 Hub; {text}"), 80));
}

#[test]
fn long_names_are_wrapped_to_fit_side_by_side() {
    let text = "
    1 Describe the customer import format
    2 Read spreadsheets from the upload folder < 1
    3 Recognise duplicates by address and birthday < 1
    4 Let a clerk merge two records by hand < 2 3
    5 Send the nightly summary to the sales department < 3
    6 Internationalisation < 2
    7 Measure it all with a million records < 4 5 6";
    insta::assert_snapshot!(picture_of(text, 80));
}

#[test]
fn joined_emoji_leave_the_box_even() {
    for width in [12, 20, 80] {
        let text = picture_of_unread("1 👩‍💻 Team ❤️ of 👨‍👩‍👧‍👦 one; 2* ☂️☂️☂️☂️☂️☂️☂️☂️☂️☂️ < 1", width);
        let mut boxes: Vec<usize> = text.lines().map(|line| line.trim_start().width()).collect();
        boxes.dedup();
        assert!(boxes.len() <= 2, "{boxes:?}\n{text}");
        assert!(text.lines().all(|line| line.width() <= width), "{text}");
    }
}

#[test]
fn thirty_phases_at_80_columns() {
    insta::assert_snapshot!(picture_of(SHOP, 80));
}

#[test]
fn thirty_phases_at_120_columns() {
    insta::assert_snapshot!(picture_of(SHOP, 120));
}

#[test]
fn thirty_phases_at_40_columns() {
    insta::assert_snapshot!(picture_of(SHOP, 40));
}

#[test]
fn forty_phases_in_a_chain_take_three_rows_each() {
    let text: String = (2..=40).map(|id| format!("{id} Phase < {};", id - 1)).collect();
    assert_eq!(picture_of(&format!("1 Phase; {text}"), 20).lines().count(), 120);
}

#[test]
fn what_does_not_fit_names_the_width_that_would_do_and_the_layers() {
    let layers = vec![vec![0, 1], vec![2]];
    let narrow = graph("1 Left; 2 Right; 3 One < 1 2");
    assert_eq!(draw(&narrow, 0), Drawing::TooWide { needed: 7, layers: layers.clone() });
    assert_eq!(draw(&narrow, 6), Drawing::TooWide { needed: 7, layers });
    assert!(check_reads_back(&narrow, 7));
}

#[test]
fn no_phase_at_all_is_an_empty_picture() {
    assert_eq!(draw(&graph(""), 0), Drawing::Drawn { text: String::new(), implied: 0 });
}

#[test]
fn ten_thousand_phases_are_listed_and_not_drawn() {
    let node = |id: usize| Node { label: id.to_string(), name: String::new(), is_done: false };
    let nodes: Vec<Node> = (0..10_000).map(node).collect();
    let chain = Graph { nodes: nodes.clone(), edges: (1..10_000).map(|id| (id - 1, id)).collect() };
    let layers = (0..10_000).map(|id| vec![id]).collect();
    assert_eq!(draw(&chain, 80), Drawing::TooLarge { layers });
    let free = Graph { nodes, edges: Vec::new() };
    assert_eq!(draw(&free, 80), Drawing::TooLarge { layers: vec![(0..10_000).collect()] });
}

#[test]
fn a_cycle_is_named_without_what_hangs_on_it() {
    let mut cyclic = graph("1 A; 2 B < 1; 3 C < 2; 4 D < 3");
    cyclic.edges.push((2, 1));
    assert_eq!(draw(&cyclic, 80), Drawing::Cyclic { nodes: vec![1, 2] });
    cyclic.edges = vec![(3, 3)];
    assert_eq!(draw(&cyclic, 80), Drawing::Cyclic { nodes: vec![3] });
}

#[test]
fn edges_to_nowhere_and_doubled_edges_are_left_out() {
    let mut odd = graph("1 A; 2 B < 1");
    let picture = draw(&odd, 80);
    odd.edges.extend([(0, 1), (0, 7), (9, 1)]);
    assert_eq!(draw(&odd, 80), picture);
}

#[test]
fn control_characters_are_made_harmless() {
    let mut hostile = graph("1 A; 2 B < 1");
    hostile.nodes[0].name = "red\u{1b}[31m\r\nnext\tword \u{202e}x".to_owned();
    let Drawing::Drawn { text, .. } = draw(&hostile, 80) else { panic!("not drawn") };
    assert!(text.contains("1 red\u{fffd}[31m next word \u{fffd}x"), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
}
