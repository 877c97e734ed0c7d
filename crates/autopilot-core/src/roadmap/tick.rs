//! Ticks a phase's box in the text of a roadmap, or opens it again, and changes nothing else: the file stays the user's.

use crate::finding::Findings;
use crate::markdown::{self, Tick};
use crate::phase_id::PhaseId;
use crate::roadmap::entry::{self, Mention};

/// The text with the phase's open boxes ticked. None when there is none to tick.
pub fn tick(text: &str, id: &PhaseId) -> Option<String> {
    marked(text, id, Tick::Open, 'x')
}

/// The text with the phase's ticked boxes open. None when there is none.
pub fn untick(text: &str, id: &PhaseId) -> Option<String> {
    marked(text, id, Tick::Ticked, ' ')
}

/// The boxes of the phase that stand like this, with another mark in them.
fn marked(text: &str, id: &PhaseId, from: Tick, mark: char) -> Option<String> {
    let mut ignored = Findings::of_file("");
    let mut lines: Vec<u32> = Vec::new();
    for line in markdown::structure(text, &mut ignored) {
        let Some(item) = line.item().filter(|item| item.tick == from) else { continue };
        if let Some(Mention::Phase(entry)) = entry::of_check_item(item.text)
            && &entry.id == id
        {
            lines.push(line.number);
        }
    }
    if lines.is_empty() {
        return None;
    }
    let mut changed = String::with_capacity(text.len());
    for (number, line) in (1u32..).zip(text.split_inclusive('\n')) {
        let open = lines.contains(&number).then(|| line.find('[')).flatten();
        let close = open.and_then(|open| line[open..].find(']').map(|close| (open, open + close)));
        match close {
            Some((open, close)) => {
                changed.push_str(&line[..=open]);
                changed.push(mark);
                changed.push_str(&line[close..]);
            }
            None => changed.push_str(line),
        }
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_box_of_that_phase_is_ticked() {
        let text = "# R\r\n- [ ] **Phase 1: A** - x [y]\r\n- [x] Phase 2: B\n- [ ] Phase 10: C\n```\n- [ ] Phase 1: D\n```\nend";
        let ticked = tick(text, &PhaseId::number(1)).unwrap();
        assert_eq!(ticked, text.replacen("- [ ] **Phase 1", "- [x] **Phase 1", 1));
        assert_eq!(tick(text, &PhaseId::number(2)), None, "ticked already");
        assert_eq!(tick(text, &PhaseId::number(7)), None);
        assert_eq!(untick(&ticked, &PhaseId::number(1)).as_deref(), Some(text));
        assert_eq!(untick(text, &PhaseId::number(1)), None, "open already");
    }
}
