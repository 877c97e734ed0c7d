//! The rows of the table in `faults`: what each fault comes to with each agent, or why an agent has no such ending. An agent more is a
//! column more.

use autopilot_testkit::model_server::{Script, Step, Usage};
use serde_json::json;

use super::gemini_stage::WAYS;
use super::stage::Stage;
use super::{codex_phase, goose_phase, opencode_phase};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    LimitWithTime,
    Limit,
    /// The server says to come back in an hour, and the agent does without a word.
    SilentWait,
    Overload,
    ServerError,
    Dropped,
    BrokenStream,
    NotLoggedIn,
    Stall,
    NoForm,
    Turns,
    Budget,
    Permission,
    AgentTerminated,
    Stopped,
    AutopilotKilled,
}

/// Those that are waited for come first: they take longest, and mostly nothing.
pub(crate) const EVERY: [Fault; 16] = [
    Fault::Limit,
    Fault::SilentWait,
    Fault::Overload,
    Fault::ServerError,
    Fault::Dropped,
    Fault::BrokenStream,
    Fault::Turns,
    Fault::Stall,
    Fault::LimitWithTime,
    Fault::NotLoggedIn,
    Fault::NoForm,
    Fault::Budget,
    Fault::Permission,
    Fault::AgentTerminated,
    Fault::Stopped,
    Fault::AutopilotKilled,
];

/// What a fault comes to.
#[derive(Debug)]
pub(crate) enum Comes {
    /// To a failure of this name in the journal, or to an attempt that is over, and what that attempt has spent.
    To(&'static str, Spent),
    /// To nothing: the agent has no such ending, and this says so.
    Never(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Spent {
    Exactly(Usage),
    /// How much of an answer came through depends on when it was cut; more than was asked for never.
    UpTo(Usage),
}

/// An agent and its rows.
pub(crate) struct Column {
    pub(crate) agent: &'static str,
    pub(crate) stage: fn(Script, Fault) -> Stage,
    /// Its process while it works.
    pub(crate) at_work: fn(&Stage) -> Option<u32>,
    /// Where starting it takes seconds, a row ends with its fault; only after autopilot was killed the run is taken to its end.
    pub(crate) is_slow: bool,
    /// An answer that says when a limit is over: so late that nobody waits for it.
    pub(crate) limit: fn() -> Step,
    /// Whether it has told what it can of an answer that stays unfinished after a whole one.
    pub(crate) has_told: fn(&Stage) -> bool,
    /// What it tells of such an answer.
    pub(crate) begun: Usage,
    pub(crate) rows: &'static [(Fault, Comes)],
}

pub(crate) const COST: Usage = Usage { input: 700, output: 31, cache_read: 90, cache_write: 12 };
const TWICE: Usage = Usage { input: 1_400, output: 62, cache_read: 180, cache_write: 24 };
/// An answer, and the beginning of another.
const MORE: Usage = Usage { input: 1_400, output: 32, cache_read: 180, cache_write: 24 };
/// What an answer has cost when it begins.
const HALF: Usage = Usage { input: 700, output: 1, cache_read: 90, cache_write: 12 };
const NONE: Usage = Usage { input: 0, output: 0, cache_read: 0, cache_write: 0 };
const NOTHING: Spent = Spent::Exactly(NONE);
const ONCE: Spent = Spent::Exactly(COST);
/// 300 turns.
const ALL_TURNS: Usage = Usage { input: 900, output: 300, cache_read: 0, cache_write: 0 };
/// What a phase may spend where a row is about that: two answers are within it, three are not.
pub(crate) const CAP: u64 = 2_000;
const CAP_AND_ONE: Usage = Usage { input: 2_100, output: 93, cache_read: 270, cache_write: 36 };

pub(crate) const CLAUDE: Column = Column {
    agent: "claude",
    stage: claude,
    at_work: |stage| stage.at_work("claude", "stream-json"),
    is_slow: false,
    limit: limit_of_a_subscription,
    has_told: |stage| stage.logged("\"message_start\"") > 1,
    begun: HALF,
    rows: &[
        (Fault::LimitWithTime, Comes::To("limit_reached", NOTHING)),
        (Fault::Limit, Comes::To("limit_reached", NOTHING)),
        (
            Fault::SilentWait,
            Comes::Never("CLAUDE_CODE_MAX_RETRIES bounds its tries, and it tells each"),
        ),
        (Fault::Overload, Comes::To("overloaded", NOTHING)),
        (Fault::ServerError, Comes::To("overloaded", NOTHING)),
        (Fault::Dropped, Comes::To("overloaded", NOTHING)),
        // It asks anew for an answer that broke off, also without a stream.
        (Fault::BrokenStream, Comes::To("overloaded", Spent::UpTo(CAP_AND_ONE))),
        (Fault::NotLoggedIn, Comes::To("not_logged_in", NOTHING)),
        (Fault::Stall, Comes::To("stalled", Spent::Exactly(MORE))),
        // It is reminded once of the form by itself.
        (Fault::NoForm, Comes::To("contract_broken", Spent::Exactly(TWICE))),
        (Fault::Turns, Comes::To("allowance_used", Spent::Exactly(ALL_TURNS))),
        (Fault::Budget, Comes::To("allowance_used", Spent::UpTo(CAP_AND_ONE))),
        (Fault::Permission, Comes::To("refused", Spent::Exactly(TWICE))),
        (Fault::AgentTerminated, Comes::To("crashed", Spent::Exactly(MORE))),
        (Fault::Stopped, Comes::To("attempt_cancelled", Spent::Exactly(MORE))),
        (Fault::AutopilotKilled, Comes::To("attempt_lost", Spent::Exactly(MORE))),
    ],
};

pub(crate) const CODEX: Column = Column {
    agent: "codex",
    stage: |script, _| codex_phase::planned(script),
    at_work: |stage| stage.at_work("codex", "exec"),
    is_slow: false,
    limit: limit_of_a_plan,
    has_told: |stage| stage.server.requests().len() > 1,
    // It counts tokens when an answer is whole.
    begun: NONE,
    rows: &[
        (Fault::LimitWithTime, Comes::To("limit_reached", NOTHING)),
        (Fault::Limit, Comes::To("limit_reached", NOTHING)),
        (
            Fault::SilentWait,
            Comes::Never("its provider's tries are bounded, and it asks none later"),
        ),
        (Fault::Overload, Comes::To("overloaded", NOTHING)),
        (Fault::ServerError, Comes::To("overloaded", NOTHING)),
        (Fault::Dropped, Comes::To("overloaded", NOTHING)),
        (Fault::BrokenStream, Comes::To("overloaded", NOTHING)),
        (Fault::NotLoggedIn, Comes::To("not_logged_in", NOTHING)),
        (Fault::Stall, Comes::To("stalled", ONCE)),
        (Fault::NoForm, Comes::To("contract_broken", ONCE)),
        (
            Fault::Turns,
            Comes::Never("`codex exec` 0.166.0 has no switch for turns; time and tokens bound it"),
        ),
        (Fault::Budget, Comes::To("allowance_used", Spent::UpTo(CAP_AND_ONE))),
        (
            Fault::Permission,
            Comes::Never(
                "it runs with approvals bypassed inside our fence, and asks nobody outside of it",
            ),
        ),
        (Fault::AgentTerminated, Comes::To("crashed", ONCE)),
        (Fault::Stopped, Comes::To("attempt_cancelled", ONCE)),
        (Fault::AutopilotKilled, Comes::To("attempt_lost", ONCE)),
    ],
};

/// Where there is no word for what goes into a cache.
const IN_ALL: Spent =
    Spent::Exactly(Usage { input: 712, output: 31, cache_read: 90, cache_write: 0 });

/// What is spent in turns is seen a moment later in a file beside the stream; 300 turns are not.
const A_FEW_MORE: Spent =
    Spent::UpTo(Usage { input: 14_240, output: 620, cache_read: 1_800, cache_write: 240 });
/// 300 turns, and what an agent that is ended manages meanwhile.
const ALL_TURNS_AND_A_FEW: Spent =
    Spent::UpTo(Usage { input: 960, output: 320, cache_read: 0, cache_write: 0 });

pub(crate) const GEMINI: Column = Column {
    agent: WAYS[0],
    stage: |script, _| Stage::gemini(script, WAYS[0]).knowing_its_version(),
    at_work: Stage::gemini_at_work,
    is_slow: true,
    limit: limit_of_a_quota,
    has_told: |stage| stage.server.requests().len() > 1,
    begun: NONE,
    rows: &[
        (Fault::LimitWithTime, Comes::To("limit_reached", NOTHING)),
        (Fault::Limit, Comes::To("limit_reached", NOTHING)),
        // It does not look at the header.
        (Fault::SilentWait, Comes::To("limit_reached", NOTHING)),
        (Fault::Overload, Comes::To("overloaded", NOTHING)),
        (Fault::ServerError, Comes::To("overloaded", NOTHING)),
        (Fault::Dropped, Comes::To("overloaded", NOTHING)),
        (Fault::BrokenStream, Comes::To("overloaded", NOTHING)),
        (Fault::NotLoggedIn, Comes::To("not_logged_in", NOTHING)),
        (Fault::Stall, Comes::To("stalled", IN_ALL)),
        (Fault::NoForm, Comes::To("contract_broken", IN_ALL)),
        (Fault::Turns, Comes::To("allowance_used", Spent::Exactly(ALL_TURNS))),
        (Fault::Budget, Comes::To("allowance_used", A_FEW_MORE)),
        (Fault::Permission, NOBODY_IS_ASKED),
        (Fault::AgentTerminated, Comes::To("crashed", IN_ALL)),
        (Fault::Stopped, Comes::To("attempt_cancelled", IN_ALL)),
        (Fault::AutopilotKilled, Comes::To("attempt_lost", IN_ALL)),
    ],
};

const NOBODY_IS_ASKED: Comes = Comes::Never(
    "what its workspace or our fence refuses is an error of the tool; its model gets it and goes on, and nobody is asked",
);

pub(crate) const GEMINI_ACP: Column = Column {
    agent: WAYS[1],
    stage: |script, _| Stage::gemini(script, WAYS[1]).knowing_its_version(),
    rows: &[
        (Fault::LimitWithTime, Comes::To("limit_reached", NOTHING)),
        (Fault::Limit, Comes::To("limit_reached", NOTHING)),
        (Fault::SilentWait, Comes::To("limit_reached", NOTHING)),
        (Fault::Overload, Comes::To("overloaded", NOTHING)),
        (Fault::ServerError, Comes::To("overloaded", NOTHING)),
        (Fault::Dropped, Comes::To("overloaded", NOTHING)),
        // Here it takes the half for the whole, and says that it is done.
        (Fault::BrokenStream, Comes::To("contract_broken", NOTHING)),
        (Fault::NotLoggedIn, Comes::To("not_logged_in", NOTHING)),
        (Fault::Stall, Comes::To("stalled", IN_ALL)),
        (Fault::NoForm, Comes::To("contract_broken", IN_ALL)),
        (Fault::Turns, Comes::To("allowance_used", Spent::Exactly(ALL_TURNS))),
        (Fault::Budget, Comes::To("allowance_used", A_FEW_MORE)),
        (Fault::Permission, NOBODY_IS_ASKED),
        (Fault::AgentTerminated, Comes::To("crashed", IN_ALL)),
        (Fault::Stopped, Comes::To("attempt_cancelled", IN_ALL)),
        (Fault::AutopilotKilled, Comes::To("attempt_lost", IN_ALL)),
    ],
    ..GEMINI
};

pub(crate) const OPENCODE: Column = Column {
    agent: "opencode",
    stage: |script, _| opencode_phase::planned(script),
    at_work: |stage| stage.at_work("opencode", "run"),
    is_slow: true,
    limit: || Step::status(429),
    has_told: |stage| stage.server.requests().len() > 1 && stage.logged("step_finish") > 0,
    begun: NONE,
    rows: &[
        (
            Fault::LimitWithTime,
            Comes::Never("it waits in silence as long as it is told to; its log has no time"),
        ),
        // Five tries of its own.
        (Fault::Limit, Comes::To("limit_reached", NOTHING)),
        // Its log tells why it was silent.
        (Fault::SilentWait, Comes::To("overloaded", NOTHING)),
        (Fault::Overload, Comes::To("overloaded", NOTHING)),
        (Fault::ServerError, Comes::To("overloaded", NOTHING)),
        (Fault::Dropped, Comes::To("overloaded", NOTHING)),
        // It asks anew without an end, and is ended. It tells of no tokens.
        (Fault::BrokenStream, Comes::To("overloaded", NOTHING)),
        (Fault::NotLoggedIn, Comes::To("not_logged_in", NOTHING)),
        (Fault::Stall, Comes::To("stalled", IN_ALL)),
        (Fault::NoForm, Comes::To("contract_broken", IN_ALL)),
        (Fault::Turns, Comes::To("allowance_used", ALL_TURNS_AND_A_FEW)),
        (Fault::Budget, Comes::To("allowance_used", A_FEW_MORE)),
        (Fault::Permission, NOBODY_IS_ASKED),
        (Fault::AgentTerminated, Comes::To("crashed", IN_ALL)),
        (Fault::Stopped, Comes::To("attempt_cancelled", IN_ALL)),
        (Fault::AutopilotKilled, Comes::To("attempt_lost", IN_ALL)),
    ],
};

pub(crate) const GOOSE: Column = Column {
    agent: "goose",
    stage: |script, _| goose_phase::planned(script),
    at_work: |stage| stage.at_work("goose", "run"),
    is_slow: true,
    limit: || Step::status(429).header("retry-after", "259200"),
    has_told: |stage| stage.server.requests().len() > 1 && stage.logged("toolResponse") > 0,
    begun: NONE,
    rows: &[
        // It would wait in silence, but its log says for how long.
        (Fault::LimitWithTime, Comes::To("limit_reached", NOTHING)),
        // Three tries of its own.
        (Fault::Limit, Comes::To("limit_reached", NOTHING)),
        (
            Fault::SilentWait,
            Comes::Never("what it waits for stands in its log: a limit with a time"),
        ),
        (Fault::Overload, Comes::To("overloaded", NOTHING)),
        (Fault::ServerError, Comes::To("overloaded", NOTHING)),
        (Fault::Dropped, Comes::To("overloaded", NOTHING)),
        // It takes the half for the whole.
        (Fault::BrokenStream, Comes::To("contract_broken", Spent::Exactly(HALF))),
        (Fault::NotLoggedIn, Comes::To("not_logged_in", NOTHING)),
        (Fault::Stall, Comes::To("stalled", ONCE)),
        (Fault::NoForm, Comes::To("contract_broken", ONCE)),
        (Fault::Turns, Comes::To("allowance_used", Spent::Exactly(ALL_TURNS))),
        (Fault::Budget, Comes::To("allowance_used", A_FEW_MORE)),
        (Fault::Permission, NOBODY_IS_ASKED),
        // What the first answer cost stands in its log.
        (Fault::AgentTerminated, Comes::To("crashed", ONCE)),
        (Fault::Stopped, Comes::To("attempt_cancelled", ONCE)),
        (Fault::AutopilotKilled, Comes::To("attempt_lost", ONCE)),
    ],
};

pub(crate) const COLUMNS: [&Column; 6] = [&CLAUDE, &CODEX, &GEMINI, &GEMINI_ACP, &OPENCODE, &GOOSE];

/// Only a subscription tells when its limit is over.
fn claude(script: Script, fault: Fault) -> Stage {
    let stage = Stage::planned(script);
    match fault {
        Fault::LimitWithTime => {
            stage.without("ANTHROPIC_API_KEY").variable("CLAUDE_CODE_OAUTH_TOKEN", "scripted")
        }
        _ => stage,
    }
}

fn limit_of_a_subscription() -> Step {
    let at = resets_at().to_string();
    Step::status(429)
        .header("anthropic-ratelimit-unified-status", "rejected")
        .header("anthropic-ratelimit-unified-reset", &at)
        .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
        .header("anthropic-ratelimit-unified-5h-status", "rejected")
        .header("anthropic-ratelimit-unified-5h-reset", &at)
        .header("anthropic-ratelimit-unified-5h-utilization", "1.0")
        .header("anthropic-ratelimit-unified-overage-status", "rejected")
}

/// Gemini's server says it in words that the agent hands on.
fn limit_of_a_quota() -> Step {
    let words = "You exceeded your current quota. Please retry in 259200s.";
    Step::status(429).error("RESOURCE_EXHAUSTED", words)
}

/// In three days, in seconds since 1970.
fn resets_at() -> u64 {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    now + 3 * 24 * 60 * 60
}

fn limit_of_a_plan() -> Step {
    Step::status(429)
        .error("usage_limit_reached", "The usage limit has been reached")
        .error_fields(json!({"plan_type": "plus", "resets_at": resets_at()}))
}
