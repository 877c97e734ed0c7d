//! Reads the sentences of `given`: the roadmap, the plans, the settings.

use autopilot_core::money;
use autopilot_core::phase_id::PhaseId;
use autopilot_core::phase_type::PhaseType;
use autopilot_core::run::cost_cap::CostCap;
use autopilot_core::run::definition::{Depth, RunMode, Runner, TaskDefinition, TaskKind};
use autopilot_core::run::gate_definitions::CONFIG;
use autopilot_core::run::measured::CheckName;
use autopilot_core::score::Score;

use super::lines::cut_at;
use super::script::Scripted;
use crate::world::Red;
use crate::world::given::{CHECKS, phase, task};

pub(super) fn read(script: &mut Scripted, sentence: &str) -> Result<(), String> {
    match sentence.split_once(": ") {
        Some(("roadmap", phases)) => {
            cut_at(phases, ';').iter().try_for_each(|words| read_phase(script, words))
        }
        Some(("checks", names)) => {
            script.given.checks = checks(names)?;
            Ok(())
        }
        Some(("red before", names)) => {
            script.given.reds = checks(names)?.into_iter().map(|name| (name, Red::Red)).collect();
            Ok(())
        }
        Some((subject, tasks)) => {
            let (plans, id) =
                match (subject.strip_prefix("plan of "), subject.strip_prefix("new plan of ")) {
                    (Some(id), _) => (&mut script.plans, id),
                    (None, Some(id)) => (&mut script.new_plans, id),
                    (None, None) => return Err(format!("nothing is given as `{subject}:`")),
                };
            let tasks: Result<_, _> =
                cut_at(tasks, ';').iter().map(|words| read_task(words)).collect();
            plans.insert(phase_id(id)?, tasks?);
            Ok(())
        }
        None => read_setting(script, sentence),
    }
}

fn read_setting(script: &mut Scripted, sentence: &str) -> Result<(), String> {
    let settings = &mut script.given.settings;
    let words: Vec<&str> = sentence.split(' ').collect();
    match words.as_slice() {
        ["bar", score] => settings.threshold = score_of(score)?,
        ["lenient"] => {
            settings.threshold = score_of("7.0")?;
            settings.remediation_cycles_max = 0;
        }
        ["fallback", names @ ..] => {
            let names = names.iter().filter(|word| **word != "and");
            script.given.fallback = names.map(|name| (*name).to_string()).collect();
        }
        ["complete"] => script.given.mode = RunMode::Complete,
        ["by", "word"] => script.given.is_errand = true,
        ["in", "place"] => script.given.is_in_place = true,
        ["delegate"] => settings.runner = Runner::Delegate,
        ["depth", "lean"] => settings.depth = Depth::Lean,
        ["depth", "full"] => settings.depth = Depth::Full,
        ["later", count] => script.given.later = number(count)? as usize,
        ["no", "research"] => settings.has_research = false,
        ["no", "checks"] => script.given.checks.clear(),
        ["accepts", "red"] => settings.accepts_red = true,
        ["accepts", "judged"] => settings.accepts_judged = true,
        ["accepts", "unproven"] => settings.allows_unproven = true,
        ["cycles", count] => settings.remediation_cycles_max = number(count)?,
        ["debugs", count] => settings.debug_attempts_max = number(count)?,
        ["replans", count] => settings.replan_attempts_max = number(count)?,
        ["no", "progress", count] => settings.no_progress_max = number(count)?,
        ["same", "errors", count] => settings.same_error_max = number(count)?,
        ["cooldown", time @ ..] => settings.cooldown_ms = time_of(&time.join(" "))?,
        ["phase", "at", "least", time @ ..] => {
            settings.phase_time_min_ms = time_of(&time.join(" "))?;
        }
        ["verifier", "at", "least", time @ ..] => {
            settings.verifier_time_min_ms = time_of(&time.join(" "))?;
        }
        ["retries", count] => settings.retries_max = number(count)?,
        ["phase", "tokens", count] => settings.phase_tokens_max = tokens_of(count)?,
        ["run", "tokens", count] => settings.run_tokens_max = tokens_of(count)?,
        ["run", "cost", amount] => {
            let usd_micros = amount.strip_prefix('$').and_then(money::usd_micros);
            let usd_micros = usd_micros.ok_or(format!("`{amount}` is no cost"))?;
            settings.run_cost_max = Some(CostCap { usd_micros, is_typed: false });
        }
        ["phase", "time", time @ ..] => settings.phase_time_max_ms = time_of(&time.join(" "))?,
        ["run", "time", time @ ..] => settings.run_time_max_ms = time_of(&time.join(" "))?,
        _ => return Err(format!("nothing is given as `{sentence}`")),
    }
    Ok(())
}

fn read_phase(script: &mut Scripted, words: &str) -> Result<(), String> {
    let mut parts = cut_at(words, ',').into_iter();
    let head = parts.next().unwrap_or_default();
    let (id, name) = head.split_once(' ').ok_or(format!("`{head}` is no phase and name"))?;
    let id = phase_id(id)?;
    let (mut depends_on, mut has_plan, mut provable, mut judged) = (Vec::new(), false, 1, 0);
    let mut phase_type = PhaseType::Mixed;
    for part in parts {
        let words: Vec<&str> = part.split(' ').collect();
        match words.as_slice() {
            ["after", others @ ..] => {
                for other in others.iter().filter(|word| **word != "and") {
                    depends_on.push(phase_id(other)?);
                }
            }
            ["planned"] => has_plan = true,
            ["data"] => phase_type = PhaseType::Data,
            ["no", "criteria"] => provable = 0,
            [count, "criteria"] => provable = number(count)?,
            [count, "judged"] => judged = number(count)?,
            [count, "hold"] => drop(script.holding.insert(id.clone(), number(count)?)),
            _ => return Err(format!("a phase is never `{part}`")),
        }
    }
    let mut read = phase(id, name, provable, judged);
    (read.depends_on, read.has_plan, read.phase_type) = (depends_on, has_plan, phase_type);
    script.given.phases.push(read);
    Ok(())
}

fn read_task(words: &str) -> Result<TaskDefinition, String> {
    let mut parts = cut_at(words, ',').into_iter();
    let name = parts.next().unwrap_or_default();
    let mut read = task(name.parse().map_err(|_| format!("`{name}` is no name of a task"))?);
    for part in parts {
        let words: Vec<&str> = part.split(' ').collect();
        match words.as_slice() {
            ["complex"] => read.is_complex = true,
            ["tests", "first"] => read.is_tdd = true,
            ["no", "check"] => read.checks.clear(),
            ["lists", "the", "settings"] => read.files.push(CONFIG.to_string()),
            ["a", "person", "looks"] => read.kind = TaskKind::HumanVerify,
            ["a", "person", "decides"] => read.kind = TaskKind::Decision,
            ["a", "person", "acts"] => read.kind = TaskKind::HumanAction,
            ["after", others @ ..] => {
                let plans = others.iter().filter(|word| **word != "and");
                read.after_plans = plans.map(|other| format!("{other}-PLAN.md")).collect();
            }
            _ => return Err(format!("a task is never `{part}`")),
        }
    }
    Ok(read)
}

fn checks(names: &str) -> Result<Vec<CheckName>, String> {
    let known = |name: &str| CHECKS.into_iter().find(|check| check.to_string() == name);
    let one = |name: &str| known(name).ok_or(format!("`{name}` is no check of a project"));
    names.split(" and ").map(one).collect()
}

pub(super) fn phase_id(text: &str) -> Result<PhaseId, String> {
    text.parse().map_err(|_| format!("`{text}` is no phase"))
}

pub(super) fn score_of(text: &str) -> Result<Score, String> {
    text.parse().map_err(|_| format!("`{text}` is no score"))
}

pub(super) fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// `12k`, `500`.
pub(super) fn tokens_of(text: &str) -> Result<u64, String> {
    match text.strip_suffix('k') {
        Some(thousands) => Ok(u64::from(number(thousands)?) * 1_000),
        None => number(text).map(u64::from),
    }
}

/// `90 minutes`, `2 hours`, in milliseconds.
pub(super) fn time_of(text: &str) -> Result<u64, String> {
    let (count, unit) = text.split_once(' ').ok_or(format!("`{text}` is no time"))?;
    let unit_ms = match unit {
        "second" | "seconds" => 1_000,
        "minute" | "minutes" => 60_000,
        "hour" | "hours" => 3_600_000,
        _ => return Err(format!("`{unit}` is no unit of time")),
    };
    Ok(u64::from(number(count)?) * unit_ms)
}
