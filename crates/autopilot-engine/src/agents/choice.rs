//! Who does the work of a run: what the settings name, else the first agent of the catalogue that is installed, logged in and
//! tried. Every agent that is chosen is asked first whether it works, so that a run does not start to find out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use autopilot_agents::acp::{AcpAgent, Client, GeminiAcp};
use autopilot_agents::agent::Agent;
use autopilot_agents::command::CommandAgent;
use autopilot_agents::profile::{self, PROFILES, Paid, Profile};
use autopilot_agents::scripted::Scripted;
use autopilot_core::config::Config;
use autopilot_core::contract::Role;
use autopilot_core::problem::Problem;
use autopilot_core::run::agent_definition::{AgentDefinition, Payment, RoleAgent, StandIn};
use autopilot_core::run::effect::AgentOrder;
use autopilot_core::settings::{Settings, StepChoice};

use super::found;
use super::probe::{self, Patience, Probed, Seen, State};
use super::refusals::{broken, expired, logged_out, missing, unknown, without_login};
use crate::machine::Machine;
use crate::process;

/// The agents of a run, by role.
#[derive(Debug, Clone)]
pub struct Agents {
    otherwise: Arc<dyn Agent>,
    roles: BTreeMap<Role, Arc<dyn Agent>>,
    /// The fallback, by name.
    stand_ins: BTreeMap<String, Arc<dyn Agent>>,
}

impl Agents {
    pub fn one(agent: Arc<dyn Agent>) -> Agents {
        Agents { otherwise: agent, roles: BTreeMap::new(), stand_ins: BTreeMap::new() }
    }

    pub fn of(&self, role: Role) -> &Arc<dyn Agent> {
        self.roles.get(&role).unwrap_or(&self.otherwise)
    }

    pub(crate) fn for_order(&self, order: &AgentOrder) -> &Arc<dyn Agent> {
        let stand_in = order.stand_in.as_ref().and_then(|name| self.stand_ins.get(name));
        stand_in.unwrap_or_else(|| self.of(order.role))
    }
}

/// What choosing needs of the world.
pub struct Around<'a> {
    pub root: &'a Path,
    pub machine: &'a Machine,
    /// The program that plays scripts: this one.
    pub program: &'a Path,
    pub patience: Patience,
}

/// An agent that works, and what was seen of it.
#[derive(Debug, Clone)]
pub struct Chosen {
    pub agent: Arc<dyn Agent>,
    pub version: String,
    pub paid: Option<Payment>,
}

/// As the settings say.
pub fn choose(
    settings: &Settings,
    config: &Config,
    around: &Around<'_>,
) -> Result<(Agents, AgentDefinition), Problem> {
    let mut cast = Cast { settings, around, known: BTreeMap::new() };
    let otherwise = match &settings.agent {
        Some(name) => cast.named(name)?,
        None => cast.automatic()?,
    };
    let model = |chosen: &Chosen, step: Option<&StepChoice>| {
        let own = step.and_then(|step| step.model.as_deref());
        let asked = own.or(settings.model.as_deref()).or(config.model_profile.claude_model());
        chosen.agent.model(asked)
    };
    let mut definition = AgentDefinition {
        name: otherwise.agent.name().to_string(),
        version: otherwise.version.clone(),
        model: model(&otherwise, None),
        paid: otherwise.paid,
        roles: Vec::new(),
        fallback: Vec::new(),
    };
    let mut agents = Agents::one(Arc::clone(&otherwise.agent));
    for (role, step) in &settings.steps {
        let chosen = match &step.agent {
            Some(name) => cast.named(name)?,
            None => otherwise.clone(),
        };
        definition.roles.push(RoleAgent {
            role: *role,
            name: chosen.agent.name().to_string(),
            version: chosen.version.clone(),
            model: model(&chosen, Some(step)),
            paid: chosen.paid,
        });
        agents.roles.insert(*role, chosen.agent);
    }
    for name in &settings.fallback {
        let chosen = cast.named(name)?;
        definition.fallback.push(StandIn {
            name: chosen.agent.name().to_string(),
            version: chosen.version.clone(),
            model: chosen.agent.model(config.model_profile.claude_model()),
            paid: chosen.paid,
        });
        agents.stand_ins.insert(chosen.agent.name().to_string(), chosen.agent);
    }
    Ok((agents, definition))
}

/// As a run recorded it, and what is not as it was.
pub fn recorded(
    definition: &AgentDefinition,
    settings: &Settings,
    around: &Around<'_>,
) -> Result<(Agents, Vec<String>), Problem> {
    let mut cast = Cast { settings, around, known: BTreeMap::new() };
    let otherwise = cast.named(&definition.name)?;
    let mut notes: Vec<String> = newer(&otherwise, &definition.version).into_iter().collect();
    let mut agents = Agents::one(otherwise.agent);
    for role in &definition.roles {
        let chosen = cast.named(&role.name)?;
        notes.extend(newer(&chosen, &role.version).filter(|note| !notes.contains(note)));
        agents.roles.insert(role.role, chosen.agent);
    }
    for stand_in in &definition.fallback {
        let chosen = cast.named(&stand_in.name)?;
        agents.stand_ins.insert(stand_in.name.clone(), chosen.agent);
    }
    Ok((agents, notes))
}

fn newer(chosen: &Chosen, before: &str) -> Option<String> {
    let name = chosen.agent.name();
    // Ours have the version of autopilot.
    let differs = profile::named(name).is_some() && chosen.version != before;
    differs.then(|| format!("{name} is {} now and was {before} when the run began", chosen.version))
}

/// One agent of the catalogue by its name.
pub fn by_name(name: &str, settings: &Settings, around: &Around<'_>) -> Result<Chosen, Problem> {
    Cast { settings, around, known: BTreeMap::new() }.named(name)
}

/// Asks each agent once, however many roles it plays.
struct Cast<'a> {
    settings: &'a Settings,
    around: &'a Around<'a>,
    known: BTreeMap<String, Chosen>,
}

impl Cast<'_> {
    fn named(&mut self, name: &str) -> Result<Chosen, Problem> {
        if let Some(chosen) = self.known.get(name) {
            return Ok(chosen.clone());
        }
        let chosen = match (name, profile::named(name)) {
            ("scripted", _) => ours(self.scripted()?),
            ("command", _) => ours(self.command()?),
            ("acp", _) => ours(self.acp()?),
            (_, Some(profile)) => {
                let probed = probe::probe(profile, self.around.machine, self.around.patience);
                self.ready(probed)?
            }
            (_, None) => return Err(unknown(name)),
        };
        self.known.insert(name.to_string(), chosen.clone());
        Ok(chosen)
    }

    /// The first that is tried and ready. Nobody is asked to log in where another can do it; what keeps one that is
    /// there is told before what is missing.
    fn automatic(&mut self) -> Result<Chosen, Problem> {
        let (mut of_present, mut of_missing) = (None, None);
        for profile in PROFILES.iter().filter(|profile| profile.standing.is_tried()) {
            let probed = probe::probe(profile, self.around.machine, self.around.patience);
            let is_ready = probed.is_ready();
            let problems =
                if probed.state == State::Missing { &mut of_missing } else { &mut of_present };
            match self.ready(probed) {
                Ok(_) if !is_ready => {
                    problems.get_or_insert(without_login(profile));
                }
                Ok(chosen) => {
                    self.known.insert(profile.name.to_string(), chosen.clone());
                    return Ok(chosen);
                }
                Err(problem) => {
                    problems.get_or_insert(problem);
                }
            }
        }
        Err(of_present.or(of_missing).unwrap_or_else(|| unknown("")))
    }

    fn ready(&self, probed: Probed) -> Result<Chosen, Problem> {
        let profile = probed.profile;
        let (program, version, login) = match probed.state {
            State::Works { program, version, login } => (program, version, login),
            State::Missing => return Err(missing(profile)),
            State::Broken { why } => return Err(broken(profile, &why)),
        };
        match login {
            Seen::Out { command } => return Err(logged_out(profile, command)),
            Seen::Expired { command } => return Err(expired(profile, command)),
            Seen::In(_)
            | Seen::Key(_)
            | Seen::NoneStored
            | Seen::Unknown { .. }
            | Seen::NotAsked => {}
        }
        let agent = self.driver(profile, program)?;
        Ok(Chosen { agent, version: number_in(&version), paid: login.paid().map(payment) })
    }

    /// The one place that knows which of the catalogue can be driven.
    fn driver(&self, profile: &Profile, program: PathBuf) -> Result<Arc<dyn Agent>, Problem> {
        let variable = |name: &str| self.around.machine.variable(name).map(Into::into);
        match profile.name {
            "claude" => Ok(Arc::new(found::claude(program, variable))),
            "codex" => {
                Ok(Arc::new(found::codex(program, &self.settings.codex_arguments, variable)))
            }
            "gemini" => Ok(Arc::new(found::gemini(program, variable))),
            "gemini-acp" => {
                let gemini = found::gemini(program, variable);
                Ok(Arc::new(GeminiAcp { client: self.client(), gemini }))
            }
            "opencode" => Ok(Arc::new(found::opencode(program, self.around.root, variable))),
            "goose" => Ok(Arc::new(found::goose(program, variable))),
            name => Err(Problem::environment(
                format!("{name} cannot be driven yet"),
                "this version of autopilot knows that it exists and has never worked with it",
                "choose another: autopilot agents lists them; or set it up by hand, as a command or by acp_command",
            )),
        }
    }

    fn scripted(&self) -> Result<Arc<dyn Agent>, Problem> {
        let Some(script) = &self.settings.script else {
            return Err(Problem::usage(
                "the scripted agent has no script",
                "it plays one instead of asking a model",
                "set autopilot.script in .planning/config.json to a script",
            ));
        };
        let script = self.around.root.join(script);
        if !script.is_file() {
            return Err(Problem::usage(
                format!("the script {} does not exist", script.display()),
                "the scripted agent has nothing to play without it",
                "name a file in autopilot.script of .planning/config.json",
            ));
        }
        let program = self.around.program.to_path_buf();
        Ok(Arc::new(Scripted { program, subcommand: "scripted-agent".to_string(), script }))
    }

    fn command(&self) -> Result<Arc<dyn Agent>, Problem> {
        let [program, arguments @ ..] = self.settings.agent_command.as_slice() else {
            return Err(Problem::usage(
                "the agent is a command, and no command is set",
                "autopilot starts it for every step",
                "set autopilot.agent_command in .planning/config.json, as in [\"my-agent\", \"--quiet\"]",
            ));
        };
        let program = self.found(program, "autopilot.agent_command")?;
        Ok(Arc::new(CommandAgent {
            program,
            arguments: arguments.iter().map(Into::into).collect(),
            variables: self.settings.agent_variables.clone(),
        }))
    }

    fn acp(&self) -> Result<Arc<dyn Agent>, Problem> {
        let [program, arguments @ ..] = self.settings.acp_command.as_slice() else {
            return Err(Problem::usage(
                "the agent speaks the Agent Client Protocol, and no command is set",
                "autopilot starts it for every step",
                "set autopilot.acp_command in .planning/config.json, as in [\"my-agent\", \"--acp\"]",
            ));
        };
        let program = self.found(program, "autopilot.acp_command")?;
        Ok(Arc::new(AcpAgent {
            client: self.client(),
            program,
            arguments: arguments.iter().map(Into::into).collect(),
            variables: self.settings.agent_variables.clone(),
        }))
    }

    /// Autopilot itself, as the one that talks.
    fn client(&self) -> Client {
        let program = self.around.program.to_path_buf();
        Client { program, subcommand: "acp-client".to_string() }
    }

    fn found(&self, program: &str, setting: &str) -> Result<PathBuf, Problem> {
        let program = PathBuf::from(program);
        if program.components().count() == 1
            && process::find_program(&program, self.around.machine.path()).is_none()
        {
            return Err(Problem::environment(
                format!("the agent {} was not found", program.display()),
                "it is the program that does the work",
                format!("install it, or name another in {setting}"),
            ));
        }
        Ok(program)
    }
}

/// An agent without a version of its own.
fn ours(agent: Arc<dyn Agent>) -> Chosen {
    Chosen { agent, version: env!("CARGO_PKG_VERSION").to_string(), paid: None }
}

/// As it is recorded.
pub fn payment(paid: Paid) -> Payment {
    match paid {
        Paid::Subscription => Payment::Subscription,
        Paid::Key => Payment::Key,
        Paid::Token => Payment::Token,
        Paid::Cloud => Payment::Cloud,
    }
}

/// `2.1.325` of `2.1.325 (Claude Code)`.
fn number_in(version: &str) -> String {
    let is_number =
        |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    version.split_whitespace().find(is_number).unwrap_or(version).to_string()
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
