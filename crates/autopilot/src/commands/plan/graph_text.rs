//! `autopilot plan --graph`: the dependencies as a picture, or as Mermaid or Graphviz text.

use std::collections::BTreeMap;

use autopilot_core::graph::{self, Drawing, Graph, Node};
use autopilot_core::outlook::Outlook;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::project::Project;
use autopilot_core::roadmap::Phase;

use crate::arguments::Format;
use crate::output::Output;
use crate::wrap::wrap;

pub(crate) fn show(project: &Project, outlook: &Outlook, format: Format, output: &mut Output) {
    let phases = shown_phases(project, outlook);
    let graph = graph_of(&phases);
    match format {
        Format::Mermaid => output.say_text(&graph::mermaid(&graph)),
        Format::Dot => output.say_text(&graph::dot(&graph)),
        Format::Text => draw(&graph, output),
    }
}

/// What would run; when nothing would, the whole project.
fn shown_phases<'a>(project: &'a Project<'a>, outlook: &Outlook) -> Vec<&'a Phase<'a>> {
    let selected: std::collections::BTreeSet<&PhaseId> = outlook.schedule.order.iter().collect();
    let all = project.roadmap.phases.iter().filter(|phase| !phase.id.is_backlog());
    match selected.is_empty() {
        true => all.collect(),
        false => {
            project.roadmap.phases.iter().filter(|phase| selected.contains(&phase.id)).collect()
        }
    }
}

fn graph_of(phases: &[&Phase]) -> Graph {
    let index: BTreeMap<&PhaseId, usize> =
        phases.iter().enumerate().map(|(at, phase)| (&phase.id, at)).collect();
    let node = |phase: &&Phase| Node {
        label: phase.id.to_string(),
        name: phase.name.to_string(),
        is_done: phase.standing.is_settled(),
    };
    let edges = phases.iter().enumerate().flat_map(|(at, phase)| {
        phase
            .depends_on
            .iter()
            .filter_map(|id| index.get(id))
            .map(move |from| (*from, at))
            .collect::<Vec<_>>()
    });
    Graph { nodes: phases.iter().map(node).collect(), edges: edges.collect() }
}

fn draw(graph: &Graph, output: &mut Output) {
    match graph::draw(graph, output.width()) {
        Drawing::Drawn { text, implied } => {
            output.say_text(&text);
            if implied > 0 {
                let words = if implied == 1 { "dependency is" } else { "dependencies are" };
                output.remark_wrapped(&format!(
                    "{implied} {words} not drawn: a longer way says the same"
                ));
            }
        }
        Drawing::TooWide { needed, layers } => {
            let width = output.width();
            output.remark_wrapped(&format!("This picture needs {needed} columns and there are {width}. The layers instead, each after the one above:"));
            show_layers(graph, &layers, output);
        }
        Drawing::TooLarge { layers } => {
            output.remark_wrapped("There are too many phases for a picture anybody could read. The layers instead, each after the one above:");
            show_layers(graph, &layers, output);
        }
        Drawing::Cyclic { nodes } => {
            let labels: Vec<&str> =
                nodes.iter().map(|node| graph.nodes[*node].label.as_str()).collect();
            output.remark_wrapped(&format!(
                "These phases depend on each other in a circle and cannot be drawn: {}",
                labels.join(", ")
            ));
        }
    }
}

fn show_layers(graph: &Graph, layers: &[Vec<usize>], output: &mut Output) {
    const INDENT: usize = 6;
    for (number, layer) in layers.iter().enumerate() {
        let ids: Vec<&str> = layer.iter().map(|node| graph.nodes[*node].label.as_str()).collect();
        let lines = wrap(&ids.join(" "), output.width().saturating_sub(INDENT), 0);
        for (index, line) in lines.iter().enumerate() {
            let head = if index == 0 { (number + 1).to_string() } else { String::new() };
            output.say(&format!("{head:>4}  {line}"));
        }
    }
}
