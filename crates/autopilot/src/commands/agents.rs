//! `autopilot agents`: which agents work here and who would do which step; `agents try` asks one of them a line for real.

use std::path::Path;

use autopilot_agents::activity::Spend;
use autopilot_agents::ending::{Ending, How};
use autopilot_agents::profile::{self, Profile, Standing};
use autopilot_core::config::Config;
use autopilot_core::documents::agents::{
    AgentDocument, AgentTryDocument, AgentsDocument, LoginWord,
};
use autopilot_core::exit::Exit;
use autopilot_core::finding::{printable, quote};
use autopilot_core::problem::Problem;
use autopilot_core::run::agent_definition::AgentDefinition;
use autopilot_core::run::words::thousands;
use autopilot_core::settings::Settings;
use autopilot_engine::agents::choice::{self, Around};
use autopilot_engine::agents::probe::{self, Patience, Probed, Seen, State};
use autopilot_engine::agents::try_out::{TryOut, try_out};
use autopilot_engine::launcher::Launcher;
use autopilot_engine::project;
use autopilot_engine::start::Means;
use serde_json::Map;

use crate::arguments::{AgentsArguments, AgentsCommand};
use crate::output::{self, GOOD, Output, WARNING};
use crate::problem_text::{Form, refuse};
use crate::table::{Align, Cell, Column, render};

pub(super) fn run(
    root: &Path,
    arguments: &AgentsArguments,
    form: Form,
    output: &mut Output,
) -> Exit {
    output::end_on_signals();
    let means = match super::run::means() {
        Ok(means) => means,
        Err(problem) => return refuse(&problem, &[], form, output),
    };
    let config = config(root);
    let (settings, _) = autopilot_engine::settings::read(&means.machine, &config, Map::new());
    let around = Around {
        root,
        machine: &means.machine,
        program: &means.program,
        patience: Patience::USUAL,
    };
    match &arguments.command {
        None => list(&settings, &config, &around, form, output),
        Some(AgentsCommand::Try { name, model }) => {
            let wanted = Wanted { name, model: model.as_deref().or(settings.model.as_deref()) };
            match ask(&wanted, &settings, &config, &around, &means) {
                Ok(document) => show_try(&document, form, output),
                Err(problem) => refuse(&problem, &[], form, output),
            }
        }
    }
}

/// Without a project the settings are those of the user.
fn config(root: &Path) -> Config {
    match project::open(root) {
        Ok(roadmap) => project::read(root, &roadmap).config,
        Err(_) => Config::default(),
    }
}

fn list(
    settings: &Settings,
    config: &Config,
    around: &Around<'_>,
    form: Form,
    output: &mut Output,
) -> Exit {
    let probed = probe::all(around.machine, around.patience);
    let chosen = choice::choose(settings, config, around);
    let (definition, problem) = match chosen {
        Ok((_, definition)) => (Some(definition), None),
        Err(problem) => (None, Some(problem)),
    };
    let document = AgentsDocument {
        chosen: definition.as_ref().map(|definition| definition.name.clone()),
        problem: problem.as_ref().map(|problem| problem.what.clone()),
        agents: probed.iter().map(|probed| of_probe(probed, definition.as_ref())).collect(),
    };
    match form {
        Form::Json => output.document(&document),
        Form::Text => show(&document, definition.as_ref(), problem.as_ref(), output),
    }
    problem.map_or(Exit::Success, |problem| problem.exit)
}

fn of_probe(probed: &Probed, definition: Option<&AgentDefinition>) -> AgentDocument {
    let profile = probed.profile;
    let mut document = AgentDocument {
        name: profile.name.to_string(),
        version: None,
        login: LoginWord::Unknown,
        paid: None,
        tried_version: match profile.standing {
            Standing::Tried { version } => Some(version.to_string()),
            Standing::Untried => None,
        },
        steps: definition.map(|definition| steps(definition, profile.name)).unwrap_or_default(),
        trouble: None,
        fix: None,
    };
    match &probed.state {
        State::Missing => {
            document.trouble = Some("not found on PATH".to_string());
            document.fix = Some(profile.install.to_string());
        }
        State::Broken { why } => {
            document.trouble = Some(why.clone());
            document.fix = Some(profile.install.to_string());
        }
        State::Works { version, login, .. } => {
            document.version = Some(version.clone());
            document.paid = login.paid().map(|paid| choice::payment(paid).words().to_string());
            document.login = match login {
                Seen::In(_) | Seen::Key(_) => LoginWord::In,
                Seen::Out { command } => {
                    document.trouble = Some("not logged in".to_string());
                    document.fix = Some((*command).to_string());
                    LoginWord::Out
                }
                Seen::Expired { command } => {
                    document.trouble = Some("the login has expired".to_string());
                    document.fix = Some((*command).to_string());
                    LoginWord::Out
                }
                Seen::NoneStored | Seen::Unknown { .. } => LoginWord::Unknown,
                Seen::NotAsked => LoginWord::NotAsked,
            };
        }
    }
    document
}

/// `all` stands for every step that no other agent is set for.
fn steps(definition: &AgentDefinition, name: &str) -> Vec<String> {
    let all = (definition.name == name).then(|| "all".to_string());
    let own = definition.roles.iter().filter(|role| role.name == name);
    all.into_iter().chain(own.map(|role| role.role.name().to_string())).collect()
}

fn show(
    document: &AgentsDocument,
    definition: Option<&AgentDefinition>,
    problem: Option<&Problem>,
    output: &mut Output,
) {
    let column = |title, least| Column { title, align: Align::Left, least, from: 0 };
    let columns = [
        column("agent", None),
        column("version", Some(8)),
        column("login", Some(10)),
        column("tried", None),
        column("does", Some(6)),
    ];
    let rows = document.agents.iter().map(|agent| {
        let login = match (&agent.trouble, agent.login) {
            (Some(trouble), _) => Cell::styled(WARNING, trouble.clone()),
            (None, LoginWord::In) => {
                Cell::styled(GOOD, agent.paid.clone().unwrap_or("logged in".to_string()))
            }
            (None, LoginWord::Out) => Cell::styled(WARNING, "not logged in"),
            (None, LoginWord::Unknown) => Cell::styled(WARNING, "unknown"),
            (None, LoginWord::NotAsked) => Cell::plain("not asked"),
        };
        let tried = match &agent.tried_version {
            Some(version) => Cell::plain(version.clone()),
            None => Cell::styled(WARNING, "untried"),
        };
        vec![
            Cell::plain(agent.name.clone()),
            Cell::plain(printable(agent.version.as_deref().unwrap_or("–"))),
            login,
            tried,
            Cell::plain(agent.steps.join(", ")),
        ]
    });
    for line in render(&columns, rows.collect(), output.width()) {
        output.say(&line);
    }
    output.say("");
    match (definition, problem) {
        (Some(definition), _) => {
            output.say_wrapped(&format!("A run would be done by {}.", definition.words()));
        }
        (None, Some(problem)) => {
            output.say_wrapped(&format!("No run could start: {}. {}", problem.what, problem.fix));
        }
        (None, None) => {}
    }
}

struct Wanted<'a> {
    name: &'a str,
    model: Option<&'a str>,
}

fn ask(
    wanted: &Wanted<'_>,
    settings: &Settings,
    config: &Config,
    around: &Around<'_>,
    means: &Means,
) -> Result<AgentTryDocument, Problem> {
    let chosen = choice::by_name(wanted.name, settings, around)?;
    let model = wanted.model.or(config.model_profile.claude_model());
    let launcher = Launcher::at(&means.program);
    let tried = try_out(&chosen, model, around.machine, launcher).map_err(|error| {
        Problem::environment(
            format!("{} cannot be started: {error}", wanted.name),
            "it was to answer one line",
            "see autopilot doctor",
        )
    })?;
    let TryOut { ending, model, spend, took } = tried;
    let (answer, trouble) = match ending {
        Ending::Answered { text } => (Some(text), None),
        other => (None, Some(words(&other, wanted.name))),
    };
    let Spend { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, .. } = spend;
    Ok(AgentTryDocument {
        name: wanted.name.to_string(),
        version: chosen.version,
        model,
        answered: answer.is_some(),
        answer,
        trouble,
        input_tokens,
        output_tokens,
        cache_read_tokens,
        cache_write_tokens,
        cost_usd: spend.usd_micros.map(dollars),
        seconds: took.as_secs_f64(),
    })
}

pub(super) fn dollars(micros: u64) -> f64 {
    // Nothing that is tried costs so much that a float could not tell it.
    f64::from(u32::try_from(micros).unwrap_or(u32::MAX)) / 1e6
}

fn words(ending: &Ending, name: &str) -> String {
    let log_in = || {
        let way = profile::named(name).and_then(Profile::log_in);
        way.map(|way| format!(". Log in: {way}")).unwrap_or_default()
    };
    match ending {
        Ending::Answered { .. } => "it answered".to_string(),
        Ending::LimitReached { .. } => "a usage limit is reached".to_string(),
        Ending::Overloaded => "the model is overloaded".to_string(),
        Ending::Unreachable { said } => {
            format!("the model's server could not be reached: {}", quote(said))
        }
        Ending::Refused { why } => format!("refused: {why}"),
        Ending::NotLoggedIn => format!("nobody is logged in{}", log_in()),
        Ending::LoginRefused { said } => {
            format!("the login or key was refused: {}{}", quote(said), log_in())
        }
        Ending::TimedOut => "it did not end in its time".to_string(),
        Ending::Stalled => "it stopped doing anything".to_string(),
        Ending::Crashed { exit: How::CannotStart, said } => format!("it cannot start: {said}"),
        Ending::Crashed { said, .. } => format!("it crashed: {said}"),
        Ending::Cancelled => "it was ended".to_string(),
        Ending::AllowanceUsed => "it spent more than one line may cost".to_string(),
    }
}

fn show_try(document: &AgentTryDocument, form: Form, output: &mut Output) -> Exit {
    let exit = if document.answered { Exit::Success } else { Exit::Environment };
    if form == Form::Json {
        output.document(document);
        return exit;
    }
    let model = document.model.as_deref().unwrap_or("its own model");
    output.say_wrapped(&format!("{} {} with {model}", document.name, document.version));
    match (&document.answer, &document.trouble) {
        (Some(answer), _) => output.say_wrapped(&format!("answered: {}", printable(answer))),
        (None, Some(trouble)) => output.say_wrapped(&printable(trouble)),
        (None, None) => {}
    }
    let cost = document.cost_usd.map(|usd| format!(", ${usd:.4}")).unwrap_or_default();
    output.say_wrapped(&format!(
        "{} tokens in, {} out, {} from cache, {} to cache{cost}, {:.1} s",
        thousands(document.input_tokens),
        thousands(document.output_tokens),
        thousands(document.cache_read_tokens),
        thousands(document.cache_write_tokens),
        document.seconds
    ));
    exit
}
