//! Which files are plans, and of which phase: `phases/03-login/03-01-PLAN.md`, `PLAN.md`, `3-PLAN-01-slug.md`,
//! `plans/PLAN-01-slug.md`. Phase 1's plan is never found in phase 10's folder, because folders are read as ids, not as prefixes.

use crate::phase_id::PhaseId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanName {
    /// The phase the file name itself names, if it does.
    pub phase: Option<PhaseId>,
    /// `01` in `03-01-PLAN.md`; empty for a plain `PLAN.md`.
    pub number: String,
}

/// `03-login`, `2.1-wiring`, `PROJ-42-x`, `phase-3`: the id a folder starts with.
pub fn phase_of_folder(name: &str) -> Option<PhaseId> {
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    let bare = ["phase-", "phase_", "phase "].iter().find(|prefix| lower.starts_with(*prefix));
    let rest = &name[bare.map_or(0, |prefix| prefix.len())..];
    // A slug may follow after `-` or `_`; PhaseId refuses `_` as the end of a word, so it is cut first.
    let head = rest.split('_').next().unwrap_or_default();
    let (id, after) = PhaseId::scan(head)?;
    let starts_with_number = head.starts_with(|c: char| c.is_ascii_digit());
    let is_prefixed = id.prefix().is_some_and(|prefix| head.starts_with(prefix));
    (after.is_empty() || after.starts_with('-') || after.starts_with(' '))
        .then_some(id)
        .filter(|_| starts_with_number || is_prefixed)
}

/// `None` when the file is no plan. Case of `PLAN` and `.md` as written in the wild.
pub fn plan_of_file(name: &str) -> Option<PlanName> {
    let stem = name.strip_suffix(".md").or_else(|| name.strip_suffix(".MD"))?;
    let stem = stem.replace("-plan", "-PLAN").replace("plan-", "PLAN-");
    let stem = stem.as_str();
    if stem.eq_ignore_ascii_case("plan") {
        return Some(PlanName { phase: None, number: String::new() });
    }
    if let Some(after) = stem.strip_prefix("PLAN-") {
        return Some(PlanName { phase: None, number: leading_number(after)?.to_string() });
    }
    if let Some((phase, after)) = stem.split_once("-PLAN-") {
        let number = leading_number(after)?.to_string();
        return Some(PlanName { phase: Some(phase.parse().ok()?), number });
    }
    let before = stem.strip_suffix("-PLAN")?;
    if let Ok(phase) = before.parse::<PhaseId>()
        && phase.prefix().is_none()
    {
        return Some(PlanName { phase: Some(phase), number: String::new() });
    }
    let (phase, number) = before.rsplit_once('-')?;
    leading_number(number).filter(|found| *found == number)?;
    Some(PlanName { phase: Some(phase.parse().ok()?), number: number.to_string() })
}

/// `01` or `12a` at the start, before a slug.
fn leading_number(text: &str) -> Option<&str> {
    let head = text.split('-').next()?;
    let digits = head.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && head.len() - digits.len() <= 1;
    is_number.then_some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_as_ids() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(
                phase_of_folder(name).map(|id| id.to_string()).as_deref(),
                expected,
                "{name}"
            );
        };
        check("01-foundation", Some("1"));
        check("10-docs", Some("10"));
        check("2.1-wiring", Some("2.1"));
        check("12A-extra", Some("12A"));
        check("PROJ-42-x", Some("PROJ-42"));
        check("999.1-mute", Some("999.1"));
        check("phase-3", Some("3"));
        check("03_login", Some("3"));
        check("7", Some("7"));
        check("quick-3", None);
        check("notes", None);
        check("3rd-party", None);
    }

    #[test]
    fn plan_files_in_every_spelling() {
        let check = |name: &str, expected: Option<(&str, &str)>| {
            let found = plan_of_file(name)
                .map(|plan| (plan.phase.map(|id| id.to_string()).unwrap_or_default(), plan.number));
            let expected = expected.map(|(phase, number)| (phase.to_string(), number.to_string()));
            assert_eq!(found, expected, "{name}");
        };
        check("03-01-PLAN.md", Some(("3", "01")));
        check("2.1-02-PLAN.md", Some(("2.1", "02")));
        check("58-12a-PLAN.md", Some(("58", "12a")));
        check("PROJ-42-01-PLAN.md", Some(("PROJ-42", "01")));
        check("03-01-plan.md", Some(("3", "01")));
        check("PLAN.md", Some(("", "")));
        check("plan.md", Some(("", "")));
        check("3-PLAN.md", Some(("3", "")));
        check("3-PLAN-01-login.md", Some(("3", "01")));
        check("PLAN-02-login.md", Some(("", "02")));
        check("03-01-SUMMARY.md", None);
        check("03-CONTEXT.md", None);
        check("PLANNING.md", None);
        check("MY-PLAN.md", None);
        check("03-01-PLAN.txt", None);
    }
}
