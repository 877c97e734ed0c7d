//! TAP, the Test Anything Protocol, and the two reports of `node --test`, one of which is TAP with figures of its own below.

use super::node_summary::NodeSummary;
use super::tally::{Counts, Found, Names, Tally};

#[derive(Debug, Clone, Default)]
pub(super) struct Tap {
    document: Document,
    /// Of documents that are over.
    told: Option<Counts>,
    names: Names,
    node: Tally,
    node_summary: NodeSummary,
    node_names: Names,
}

/// Test points and a plan, which may stand before or behind them.
#[derive(Debug, Clone, Default)]
struct Document {
    plan: Option<u32>,
    seen: Counts,
}

impl Tap {
    pub(super) fn line(&mut self, text: &str) {
        if let Some(told) = self.node_summary.line(text) {
            self.node.summary(told.tests, told.counts);
            // They say the same as the points above, and know suites from tests.
            self.document = Document::default();
        } else if text.starts_with("TAP version ") {
            self.close();
        } else if let Some(plan) = text.strip_prefix("1..") {
            self.plan(plan);
        } else if let Some(rest) = text.strip_prefix("Bail out!") {
            self.document.seen.failed = self.document.seen.failed.saturating_add(1);
            self.names.add(rest);
        } else if let Some(point) = point(text.trim_start()) {
            self.node.announce(1);
            if matches!(point.outcome, Outcome::Failed) {
                self.node_names.add(point.name);
            }
            if !text.starts_with(' ') {
                self.point(&point);
            }
        } else if let Some(name) = reported(text.trim_start()) {
            self.node.announce(1);
            if text.trim_start().starts_with('✖') {
                self.node_names.add(name);
            }
        }
    }

    fn plan(&mut self, plan: &str) {
        let number = plan.split(' ').next().unwrap_or(plan);
        let Ok(number) = number.parse() else { return };
        if self.document.plan.is_some() {
            self.close();
        }
        self.document.plan = Some(number);
    }

    fn point(&mut self, point: &Point<'_>) {
        // A plan that stood behind its points has ended them.
        if point.number == 1 && self.document.plan.is_some() && self.document.seen.all() > 0 {
            self.close();
        }
        let seen = &mut self.document.seen;
        let place = match point.outcome {
            Outcome::Passed => &mut seen.passed,
            Outcome::Failed => &mut seen.failed,
            Outcome::Skipped => &mut seen.skipped,
        };
        *place = place.saturating_add(1);
        if matches!(point.outcome, Outcome::Failed) {
            self.names.add(point.name);
        }
    }

    /// Points without a plan are no TAP. Those beyond the plan are printed by a test, so they pass nothing.
    fn close(&mut self) {
        let Document { plan, seen } = std::mem::take(&mut self.document);
        let Some(plan) = plan else { return };
        let missing = plan.saturating_sub(seen.all());
        let failed = seen.failed.saturating_add(missing);
        let passed = seen.passed.min(plan.saturating_sub(failed));
        let skipped = seen.skipped.min(plan.saturating_sub(failed).saturating_sub(passed));
        let counts = Counts { passed, failed, skipped };
        self.told = Some(self.told.unwrap_or_default().plus(counts));
    }

    /// TAP, and `node --test`.
    pub(super) fn end(mut self) -> (Option<Found>, Option<Found>) {
        self.close();
        let names = self.names;
        let tap = self.told.map(|counts| Found { counts, names });
        (tap, self.node.found(self.node_names))
    }
}

struct Point<'a> {
    outcome: Outcome,
    number: u32,
    name: &'a str,
}

enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// `ok 1 - name`, `not ok 2 name # SKIP why`.
fn point(text: &str) -> Option<Point<'_>> {
    let (is_ok, rest) = match text.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok ")?),
    };
    let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number.parse().ok()?;
    let (name, directive) = name.rsplit_once("# ").unwrap_or((name, ""));
    let word = directive.get(..4).unwrap_or(directive);
    let is_skipped = word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo");
    let outcome = match (is_skipped, is_ok) {
        (true, _) => Outcome::Skipped,
        (false, true) => Outcome::Passed,
        (false, false) => Outcome::Failed,
    };
    Some(Point { outcome, number, name: name.trim_start_matches("- ") })
}

/// `✔ name (0.7ms)` with its mark, in node's own report.
fn reported(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['✔', '✖', '﹣'])?;
    let (name, took) = rest.rsplit_once(" (")?;
    took.contains("ms)").then_some(name)
}
