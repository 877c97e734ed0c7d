//! What an agent gets to see of its slot: no command of a hidden check (PIPE-5a), and whoever reviews neither what others concluded of
//! the work nor what they wrote under its commits (PIPE-7). Taken away before the attempt and put back after it, so that nothing of it
//! is taken for work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use autopilot_core::contract::Role;
use autopilot_core::hidden::redact::redact;
use autopilot_core::limits;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::effect::{Access, AgentOrder};
use autopilot_core::run::files::reports;
use autopilot_core::run::ids::Commit;

use super::{Failed, Performer, object};
use crate::artifacts;
use crate::drive::Ordered;
use crate::files;
use crate::slot::{Touched, Unseen, Veil};

/// The folder of all phases: reports of an earlier one tell how such work is judged here.
const PHASES: &str = ".planning/phases";

/// What was taken away for one attempt.
pub(super) struct Shown {
    pub(super) veil: Veil,
    /// Files with the text they had and the one the agent got, by path.
    rewritten: BTreeMap<String, (String, String)>,
}

/// What still hangs from the last reviewer, over a slot that nobody has touched since: the next one of the same candidate finds it as
/// it is, and no git process stands between the two but the one that looked.
pub struct Hung {
    phase: PhaseId,
    head: Commit,
    shown: Shown,
}

/// Whether a role reviews, and must not know what others made of the work.
pub(super) fn is_blind(role: Role) -> bool {
    match role {
        Role::Verify | Role::Judge | Role::JudgeDivergence | Role::Rate | Role::Review => true,
        Role::Research
        | Role::Plan
        | Role::PlanCheck
        | Role::Execute
        | Role::Debug
        | Role::Delegate => false,
    }
}

impl Shown {
    /// Whether an agent gets another text of this file than the commit has.
    pub(super) fn is_rewritten(&self, path: &str) -> bool {
        self.rewritten.contains_key(path)
    }
}

impl Performer {
    /// What an agent of this order sees; what hangs from the one before is used where it fits, and else taken down. Before that
    /// `take_back` clears the phase's folder, and is told whether what lies there may stay.
    pub(super) fn show(
        &self,
        ordered: &Ordered,
        order: &AgentOrder,
        take_back: impl FnOnce(bool),
    ) -> Result<Shown, Failed> {
        let fits = |hung: &Hung| {
            is_blind(order.role)
                && order.snapshot.is_none()
                && (&hung.phase, &hung.head) == (&order.phase, &order.head)
        };
        let hung = self.hung.take().filter(fits);
        take_back(hung.is_some());
        match hung {
            Some(hung) => Ok(hung.shown),
            None => {
                self.put_for(ordered, order)?;
                self.hang(ordered, order)
            }
        }
    }

    /// Before anything else is done in the slot than reviewing.
    pub(super) fn take_down(&self) -> Result<(), Failed> {
        match self.hung.take() {
            Some(hung) => self.put(&hung.phase, &hung.head, None),
            None => Ok(()),
        }
    }

    fn hang(&self, ordered: &Ordered, order: &AgentOrder) -> Result<Shown, Failed> {
        // In place nothing is to be hidden: a roadmap that tells a hidden check is refused there.
        if self.is_in_place(order) {
            return Ok(Shown { veil: Veil::default(), rewritten: BTreeMap::new() });
        }
        let is_blind = is_blind(order.role);
        if is_blind && self.proof.setup.is_detected() {
            self.slot.clear_ignored()?;
            let copied = self.proof.setup.copy(self.checkout.root(), self.slot.folder());
            copied.map_err(|error| Failed::World(format!("what the slot needs: {error}")))?;
        }
        let rewritten = self.rewrite(ordered)?;
        let paths: Vec<String> = rewritten.keys().cloned().collect();
        let base = object(&ordered.definition.base)?;
        let is_left_out = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            reports::is_blind_to(name)
        };
        let veil = self.slot.veil(&Unseen {
            rewritten: &paths,
            rewrite: &redact,
            folder: is_blind.then_some(PHASES),
            is_left_out: &is_left_out,
            subjects_since: is_blind.then_some(&base),
        })?;
        Ok(Shown { veil, rewritten })
    }

    /// Writes files of the slot that tell a hidden command without it.
    fn rewrite(&self, ordered: &Ordered) -> Result<BTreeMap<String, (String, String)>, Failed> {
        let mut rewritten = BTreeMap::new();
        for path in definitions(ordered) {
            let Some(text) = self.text_of(path) else { continue };
            let Some(shown) = redact(&text) else { continue };
            self.write_text(path, &shown)?;
            rewritten.insert(path.to_string(), (text, shown));
        }
        Ok(rewritten)
    }

    /// Puts back what was rewritten, wherever the agent left it as it got it. What it changed is told as any change of such a file.
    pub(super) fn put_texts_back(&self, shown: &Shown) -> Result<(), Failed> {
        for (path, (text, without)) in &shown.rewritten {
            if self.text_of(path).as_ref() == Some(without) {
                self.write_text(path, text)?;
            }
        }
        Ok(())
    }

    fn text_of(&self, path: &str) -> Option<String> {
        plain_text(self.slot.folder(), path)
    }

    fn write_text(&self, path: &str, text: &str) -> Result<(), Failed> {
        let at = self.slot.folder().join(path);
        // It may be a second name of a file that lies elsewhere.
        std::fs::remove_file(&at)
            .and_then(|()| std::fs::write(&at, text))
            .map_err(|error| Failed::World(format!("{}: {error}", at.display())))
    }

    /// What an agent changed that is not kept, by name: whoever only looks may build and try, and none of it is work. Only of agents
    /// whose changes are dropped; `laid_out` is what they were handed in the phase's folder. One process, a few more where
    /// something has to be put back.
    pub(super) fn dropped(
        &self,
        order: &AgentOrder,
        shown: Shown,
        (folder, laid_out): (&str, &BTreeMap<String, String>),
    ) -> Result<Vec<String>, Failed> {
        // What was there before cannot be told from what came.
        if order.snapshot.is_some() {
            return Ok(Vec::new());
        }
        let touched = self.slot.touched(&self.branch(&order.phase)?, &object(&order.head)?)?;
        let ours: BTreeSet<&Path> = shown.veil.left_out.iter().map(|path| path.as_path()).collect();
        let is_own = |path: &Path| {
            if ours.contains(path) && !self.slot.folder().join(path).exists() {
                return true;
            }
            let name = path.strip_prefix(folder).ok().and_then(Path::to_str);
            let Some(name) = name else { return false };
            let is_same = || {
                let now = path.to_str().and_then(|path| self.text_of(path));
                now.is_some() && now.as_ref() == laid_out.get(name)
            };
            order.access == Access::PhaseFolder || is_same()
        };
        let named = touched.changed.iter().filter(|path| !is_own(path)).map(|path| {
            let name = path.to_string_lossy();
            name.chars().take(limits::PLACE_PATH_CHARS_MAX).collect::<String>()
        });
        let named: Vec<String> = named.take(limits::DROPPED_NAMED_MAX).collect();
        let is_blind = is_blind(order.role);
        if named.is_empty() && !is_blind {
            // Whatever it wrote in the phase's folder was kept, and goes before the next attempt.
            return Ok(named);
        }
        if named.is_empty() && self.is_as_left(&touched, &shown) {
            let (phase, head) = (order.phase.clone(), order.head.clone());
            self.hung.replace(Some(Hung { phase, head, shown }));
            return Ok(named);
        }
        if !touched.changed.is_empty() {
            let names = laid_out.keys().map(String::as_str);
            artifacts::take_back(self.slot.folder(), folder, names, &BTreeMap::new());
            self.put(&order.phase, &order.head, None)?;
        }
        Ok(named)
    }

    /// Whether the next reviewer may find the slot as this one left it.
    fn is_as_left(&self, touched: &Touched, shown: &Shown) -> bool {
        let setup = &self.proof.setup;
        let is_left = |path: &Path| setup.is_detected() && !setup.is_copied(path);
        let has_left = touched.ignored.iter().any(|path| is_left(path));
        touched.is_in_place && !has_left && shown.rewritten.is_empty()
    }
}

/// What a plain file of a tree says. No link is followed.
pub(super) fn plain_text(tree: &Path, path: &str) -> Option<String> {
    let at = tree.join(path);
    let is_plain = artifacts::is_plain_below(tree, at.parent()?)
        && std::fs::symlink_metadata(&at).is_ok_and(|found| found.is_file());
    is_plain.then(|| files::read_text(&at).ok()).flatten()
}

/// The files that say how work is measured, as far as they are known by name.
fn definitions(ordered: &Ordered) -> BTreeSet<&str> {
    let project = ordered.project.iter().flat_map(|project| {
        let locked = project.definitions.iter().map(|lock| lock.path.as_str());
        locked.chain([project.roadmap.as_str()])
    });
    let phase = ordered.phase.iter().flat_map(|phase| &phase.definition.plans);
    project.chain(phase.map(|lock| lock.path.as_str())).collect()
}
