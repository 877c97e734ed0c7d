//! Every bound of the program, each with the reason for its number. Nothing reads, loops, waits or keeps more than this.

use std::time::Duration;

/// A planning file beyond this is refused by its length. The largest real roadmap seen has 84 KB.
pub const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Entries looked at in one folder of `.planning/`. The largest real project has about 160 phase folders.
pub const FOLDER_ENTRIES_MAX: usize = 20_000;
/// Plan files read in one project; 10,000 phases with two plans each.
pub const PLANS_MAX: usize = 20_000;
/// Bytes of plan text read in one project, so that a hostile tree cannot fill the memory.
pub const PLAN_BYTES_TOTAL_MAX: u64 = 256 * 1024 * 1024;

/// Digits in one part of a phase id: they fit a `u32`.
pub const PHASE_ID_DIGITS_MAX: usize = 9;
/// Parts of a phase id (`1.2.3` has three). Real ones have two.
pub const PHASE_ID_PARTS_MAX: usize = 16;
/// Letters of a project prefix, as in `PROJ-42`.
pub const PHASE_ID_PREFIX_MAX: usize = 32;
/// Phases one roadmap may hold. Beyond, the text is not a roadmap.
pub const PHASES_MAX: usize = 100_000;
/// Dependencies of one roadmap, ranges and "all previous phases" written out: they are quadratic in the worst case.
pub const DEPENDENCIES_MAX: usize = 1_000_000;

/// Fields in the front matter of one plan. Real plans have about ten.
pub const FRONT_MATTER_FIELDS_MAX: usize = 200;
/// Requirement ids one line may name, ranges written out.
pub const REQUIREMENT_IDS_MAX: usize = 1_000;
/// Remarks stripped from one name, such as `(INSERTED) ✅`; each costs a look at the whole line.
pub const REMARKS_MAX: usize = 8;

/// Findings kept per file; the rest are counted. A reader of garbage must not make more garbage.
pub const FINDINGS_PER_FILE_MAX: usize = 200;
/// Characters of foreign text quoted in one message.
pub const QUOTE_CHARS_MAX: usize = 80;
/// Ids listed in all `blocks` entries together. Up to 141 phases every list is complete whatever the dependencies; beyond, each
/// is cut and the exact number stands in `blocks_count`, for listing all would be quadratic.
pub const BLOCKS_LISTED_TOTAL_MAX: usize = 20_000;
/// Ids a `blocks` entry may always list.
pub const BLOCKS_LISTED_MIN: usize = 8;
/// Nested levels in a JSON or YAML value that we walk.
pub const VALUE_DEPTH_MAX: usize = 64;

/// How long a program may take to answer `--version`: a large one read from a cold and busy disk takes seconds.
pub const VERSION_TIME_MAX: Duration = Duration::from_secs(20);
/// How long an agent may take to say whether somebody is logged in.
pub const LOGIN_TIME_MAX: Duration = Duration::from_secs(15);
/// How long a headless browser may take to render one empty page.
pub const BROWSER_TIME_MAX: Duration = Duration::from_secs(30);
/// How long one git command on a small repository may take.
pub const GIT_TIME_MAX: Duration = Duration::from_secs(30);
/// How long a detected project command is tried.
pub const COMMAND_TRY_TIME_MAX: Duration = Duration::from_secs(600);
/// Bytes kept of what a program printed on one stream; the middle is dropped.
pub const OUTPUT_BYTES_MAX: usize = 256 * 1024;
/// After a process group was ended, how long its pipes may take to close before they are left behind.
pub const PIPE_CLOSE_TIME_MAX: Duration = Duration::from_secs(2);
/// Between the polite signal and the hard one. Agents were seen to end within it; who needs longer is not ending.
pub const TERMINATE_TIME_MAX: Duration = Duration::from_secs(2);
/// What runs beside a run ends when its input closes, which takes milliseconds; after this it is ended.
pub const COMPANION_END_TIME_MAX: Duration = Duration::from_millis(500);
/// Its first line is a word; more is not waited for.
pub const COMPANION_LINE_BYTES_MAX: u64 = 1024;
/// After the hard signal only a process stuck in the kernel, on a dead network disk for one, takes longer.
pub const KILL_TIME_MAX: Duration = Duration::from_secs(5);
/// Lines shown of what a failed command printed.
pub const TAIL_LINES_MAX: usize = 5;
/// Characters shown of one such line: two and a half rows of a terminal.
pub const TAIL_LINE_CHARS_MAX: usize = 200;
/// Filters and configured hooks of one repository that are switched off by name. Real ones have one or two.
pub const GIT_DRIVERS_MAX: usize = 200;
/// Bytes read of `git status`; at about 60 bytes a file more than 100,000 changed files.
pub const GIT_STATUS_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Free disk below which a run cannot start: a worktree, a proof tree and build caches need it.
pub const DISK_FREE_MEBIBYTES_MIN: u64 = 1024;

/// Tokens one phase may spend (CB-1).
pub const PHASE_TOKENS_MAX: u64 = 500_000;
/// Tokens one run may spend (CB-1).
pub const RUN_TOKENS_MAX: u64 = 5_000_000;
/// Share of a cap from which an estimate is warned about (BUD-2).
pub const ESTIMATE_WARN_PERCENT: u64 = 80;

/// Phases one picture may hold. The largest real project has about 160; a picture of more than twice that is not read.
pub const GRAPH_NODES_MAX: usize = 400;
/// Columns a picture may take; no terminal is wider, and a pipe that claims to be would only cost time.
pub const GRAPH_COLUMNS_MAX: usize = 400;
/// Boxes and passing lines in one picture: 400 phases with four lines passing each. The time grows with it; pictures of this
/// size took about a second in a debug build.
pub const GRAPH_ITEMS_MAX: usize = 2_000;
/// Rounds of crossing reduction. Of random graphs with 30 phases, 98 in 100 are at their best after twelve.
pub const GRAPH_ORDER_ROUNDS: usize = 24;
/// Passes of swaps in one such round. On the same graphs five were enough 999 times in 1000.
pub const GRAPH_SWAP_ROUNDS: usize = 6;
/// Rounds of straightening. On the same graphs 99 in 100 move nothing after eight.
pub const GRAPH_PLACE_ROUNDS: usize = 12;

/// Phases a converted file may become. Real task lists have up to 40; the bound also keeps "depends on all" affordable.
pub const DRAFT_PHASES_MAX: usize = 1_000;
/// Characters of a converted phase's name, so that a heading stays one line on a screen.
pub const DRAFT_NAME_CHARS_MAX: usize = 80;
/// Characters of the goal in the list of phases; the details carry it whole.
pub const DRAFT_SUMMARY_CHARS_MAX: usize = 160;
/// Items of a list without headings that become a phase each. Beyond, the list is one phase's check-list.
pub const DRAFT_FLAT_PHASES_MAX: usize = 30;
/// Validation commands carried over. Each becomes a criterion of every phase; real plans name two to five.
pub const DRAFT_COMMANDS_MAX: usize = 20;
/// Characters of one validation command; longer ones are scripts, not commands.
pub const DRAFT_COMMAND_CHARS_MAX: usize = 400;
/// Phases that all sentences about dependencies in one file may name together; 40 phases that name each other are 1,600.
pub const DRAFT_REFERENCES_MAX: usize = 200_000;
/// Characters of a sentence about dependencies. Real ones have up to 150.
pub const DRAFT_SENTENCE_CHARS_MAX: usize = 400;
/// Bytes of an idea that a project is drafted from. Specifications people write by hand have up to 60 KB; with the rest of the prompt this
/// is a third of a small context window.
pub const IDEA_BYTES_MAX: usize = 128 * 1024;
/// Words an idea has at least: fewer name a topic and not what is wanted.
pub const IDEA_WORDS_MIN: usize = 3;
/// Bytes of a drafting prompt: the idea, the template, and a first draft with what was wrong in it.
pub const DRAFTING_PROMPT_BYTES_MAX: usize = 384 * 1024;
/// Bytes of a drafted project as it is returned. Twenty phases with five criteria each take about 20 KB.
pub const DRAFTING_BYTES_MAX: usize = 128 * 1024;
/// Phases one idea becomes. Real roadmaps of one milestone have three to twelve; who needs more has several.
pub const DRAFTING_PHASES_MAX: usize = 30;
/// Criteria of one of them. Beyond, it is two phases.
pub const DRAFTING_CRITERIA_MAX: usize = 12;
/// Characters of one sentence in it: it becomes a line of Markdown that people read.
pub const DRAFTING_TEXT_CHARS_MAX: usize = 1_000;
/// Faults told at once. Whoever made more has misunderstood the whole.
pub const DRAFTING_FAULTS_MAX: usize = 40;
/// Tokens that drafting may spend, both tries together. Reading through a middle-sized repository has been seen to take 200,000.
pub const DRAFTING_TOKENS_MAX: u64 = 400_000;
/// How long one try at a draft may take: reading a repository and writing twenty phases takes some minutes.
pub const DRAFTING_TIME_MAX: Duration = Duration::from_secs(20 * 60);

/// Bytes of a run's name; it becomes part of paths and branches.
pub const RUN_ID_BYTES_MAX: usize = 64;
/// Bytes of a task's id, as in `03-01-2`.
pub const TASK_ID_BYTES_MAX: usize = 96;
/// Issues a planner is sent back with; more are not read.
pub const PLAN_ISSUES_MAX: usize = 20;
/// Findings one remediation works on. Each costs a read of the file it names; twenty fill a context.
pub const FINDINGS_PER_CYCLE_MAX: usize = 20;
/// Rules from failed phases that agents are told and that learnings.md keeps: with more nobody follows any (LRN-1).
pub const LESSONS_MAX: usize = 20;
/// Checks one such rule names; the first ones are usually the cause of the rest.
pub const LESSON_CHECKS_MAX: usize = 5;
/// Files that are copied into worktrees. Settings of a machine; what is larger or more is data and belongs elsewhere.
pub const WORKTREE_COPIES_MAX: usize = 50;
pub const WORKTREE_COPY_BYTES_MAX: u64 = 1 << 20;
/// Rows of what a run spent: eleven roles, an agent or two with a model or two each. Beyond, new models are not told apart.
pub const SPENDERS_MAX: usize = 64;
/// Characters of a summary in a trace (OBS-1).
pub const SUMMARY_CHARS_MAX: usize = 200;
/// Spans of one phase's trace. A hundred tasks with two repairs each have about 1,000; beyond, the oldest go.
pub const SPANS_MAX: usize = 2_000;
/// Entries of a post-mortem's timeline (OBS-2).
pub const TIMELINE_MAX: usize = 20;
/// Commands, files and fixes a post-mortem lists of each; who needs more reads the trace.
pub const POST_MORTEM_ENTRIES_MAX: usize = 20;
/// Items of a confidence diagnostic's way to 9.0. A scorecard of a hundred entries is no way.
pub const PATH_ITEMS_MAX: usize = 30;
/// Runs that metrics.json keeps; a run a day for almost three years.
pub const METRICS_RUNS_MAX: usize = 1_000;
/// Bytes of metrics.json; a run of 100 phases takes about 12 KB, and the oldest runs go when it is full.
pub const METRICS_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Phases an entry of metrics.json and a batch report list one by one; all are counted.
pub const METRICS_PHASES_MAX: usize = 1_000;
/// Phases completed before a run that its first events name; all are counted. Even the longest ids fit an event then.
pub const SETTLED_LISTED_MAX: usize = 500;
/// Tasks one phase may have. Real plans have two to four each, real phases up to ten plans.
pub const TASKS_PER_PHASE_MAX: usize = 100;
/// Commands of its own a task may have.
pub const CHECKS_PER_TASK_MAX: usize = 10;
/// Files of a task that are remembered; more than that and the task is a phase.
pub const FILES_PER_TASK_MAX: usize = 100;
/// Tasks a delegate names that become commits of their own; a phase with more is several phases.
pub const COMMIT_PARTS_MAX: usize = 50;
/// Characters of the first line of a commit that an agent words.
pub const TITLE_CHARS_MAX: usize = 72;
/// Criteria of one phase that a run remembers. Real phases have three to seven.
pub const CRITERIA_PER_PHASE_MAX: usize = 50;
/// Characters of a name, a goal or a criterion in the journal; the roadmap has the rest.
pub const FIELD_CHARS_MAX: usize = 600;
/// Words a task must have that is asked for without a roadmap; one word says nothing that could be done.
pub const ERRAND_WORDS_MIN: usize = 2;
/// Characters of such a task. All of it goes into every prompt, where a text may have this many.
pub const ERRAND_CHARS_MAX: usize = PROMPT_TEXT_CHARS_MAX;
/// Bytes of a phase's name in the name of its folder.
pub const SLUG_BYTES_MAX: usize = 40;
/// Scores of one phase that the ledger keeps; more than anybody looks back on.
pub const SCORE_HISTORY_MAX: usize = 50;
/// Phases of another program's state.json that are looked at; the longest real roadmap has some hundred.
pub const IMPORTED_PHASES_MAX: usize = 10_000;
/// Events in state.json; the journal has all (STATE-1).
pub const EVENT_LOG_MAX: usize = 500;
/// Bytes of one event in the journal. Longer text is a file that the event names with its hash, so that reading a journal
/// stays cheap.
pub const RECORD_PAYLOAD_BYTES_MAX: usize = 64 * 1024;
/// Bytes of one line of the journal: the event, and around it version, number, time and hash, which take under 160.
pub const RECORD_LINE_BYTES_MAX: usize = RECORD_PAYLOAD_BYTES_MAX + 256;
/// Bytes one append may write; 128 events of the largest kind. Real appends have a few hundred bytes.
pub const APPEND_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of one journal. 10,000 phases with 200 events of 400 bytes each have 800 MB.
pub const JOURNAL_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Records one look at a growing journal gives back; the rest comes with the next look.
pub const FOLLOW_RECORDS_MAX: usize = 10_000;
/// Bytes of state.json or ledger.json. 500 events of the largest kind are 32 MB, and then there are the phases.
pub const PROJECTION_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes of a request from another process: what it asks for must fit in an event.
pub const REQUEST_BYTES_MAX: u64 = RECORD_PAYLOAD_BYTES_MAX as u64;
/// How long `add` waits for the run to take what was asked. A run looks once a second while an agent works or a check runs, and the
/// git work between two looks takes a few seconds on a large repository.
pub const ADD_WAIT_MAX: Duration = Duration::from_secs(10);
/// Requests taken at once; the rest comes with the next look. People and their tools put a few a minute.
pub const REQUESTS_MAX: usize = 100;
/// Letters of a run's id or a request's name, so that every file name made of it stays under the usual 255.
pub const STORED_NAME_CHARS_MAX: usize = 100;
/// Numbers tried for a file that is set aside. Beyond, somebody repairs in a loop.
pub const SET_ASIDE_MAX: u32 = 10_000;
/// Bytes of the lock file that are read; a command line longer than this is cut when it is written.
pub const LOCK_BYTES_MAX: usize = 4 * 1024;
/// Times a lock is tried while others only look whether it is held, each a pause apart. A look takes microseconds.
pub const LOCK_TRIES_MAX: u32 = 100;
/// The pause between two such tries.
pub const LOCK_PAUSE: Duration = Duration::from_millis(2);
/// Bytes of an agent's last words that are searched for its return. The largest useful ones seen have 30 KB.
pub const RETURN_TEXT_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a return as it is kept. An event holds 64 KiB, and this leaves half of it for what stands beside the return.
pub const RETURN_BYTES_MAX: usize = 32 * 1024;
/// Characters of one text in a return. A finding that needs more belongs in a file.
pub const RETURN_TEXT_CHARS_MAX: usize = 4_000;
/// Characters texts are cut down to before a return is refused as too large: a sentence survives.
pub const RETURN_TEXT_CHARS_MIN: usize = 125;
/// Entries of one list in a return. The roadmaps seen have up to 12 criteria a phase and plans up to 30 tasks.
pub const RETURN_ENTRIES_MAX: usize = 100;
/// Questions an agent may ask instead of returning (MAP-2 asks up to five).
pub const RETURN_QUESTIONS_MAX: usize = 5;
/// Answers offered for one question (FLOW-2).
pub const RETURN_OPTIONS_MAX: usize = 4;
/// Breaches told at once. Who broke more than these has misunderstood the whole.
pub const BREACHES_MAX: usize = 20;
/// Notes kept about one return.
pub const RETURN_NOTES_MAX: usize = 20;
/// Milliseconds between two writings of state.json while a run goes on (STATE-1).
pub const PROJECTION_PAUSE_MS: u64 = 1_000;
/// Files of one phase's folder that a run keeps. Real phase folders have up to 15.
pub const ARTIFACTS_MAX: usize = 60;
/// Bytes of one such file; the longest real plan has 60 KB.
pub const ARTIFACT_BYTES_MAX: u64 = 1024 * 1024;
/// Lines of a check's output that the journal keeps: enough for a failed assertion and its place.
pub const CHECK_TAIL_LINES_MAX: usize = 30;
/// Bytes of them; thirty checks must fit one event.
pub const CHECK_TAIL_BYTES_MAX: usize = 1_400;
/// Bytes of a check's output before it is ended; a test suite that prints more is broken.
pub const CHECK_OUTPUT_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How often whoever waits for a child looks around for a wish to stop.
pub const TICK_TIME: Duration = Duration::from_millis(100);
/// How long a launcher takes at most to end what a program left behind; each of them is gone a moment after its signal.
pub const STRAYS_TIME_MAX: Duration = Duration::from_secs(1);
/// How long those a program left may take to end by themselves: helpers that are on their way out were not left running.
pub const STRAYS_GRACE: Duration = Duration::from_millis(100);
/// Between two looks at who is left. A killed process needs about as long to be gone.
pub const STRAYS_PAUSE: Duration = Duration::from_millis(1);
/// How long a launcher may take to end everything when it is asked to, before its group is killed over its head.
pub const LAUNCHER_END_TIME_MAX: Duration = Duration::from_secs(2);
/// Processes looked at when those of a crashed run are searched for; the largest number Linux gives out by default.
pub const PROCESSES_MAX: usize = 4_194_304;
/// Milliseconds without any sign of life after which an agent is ended. Claude Code was seen to pause for
/// 40 s between two tries, and a long answer takes a model some minutes.
pub const STALL_TIME_MAX_MS: u64 = 10 * 60_000;
/// Hundredths of that time after which somebody is told: late enough to be rare, early enough to look.
pub const STALL_WARN_PERCENT: u32 = 40;
/// Hundredths of it after which its processes are told to go on; there is time left to see whether that helped.
pub const STALL_NUDGE_PERCENT: u32 = 70;
/// How many times as long while it waits for its model: providers give a request ten minutes, and agents ask again.
pub const STALL_MODEL_FACTOR: u32 = 2;
/// How many times as long while one of its tools runs, which may wait for a machine elsewhere; and where the CPU time of a process is
/// not to be had, because then a silent build looks dead.
pub const STALL_TOOL_FACTOR: u32 = 3;
/// Hundredths of one core from which on a process tree is at work. A loop of a shell that prints a dot ten times a second takes
/// one, a compiler a hundred.
pub const STALL_BUSY_PERCENT: u32 = 5;
/// CPU time under which a tree is not at work, however short a while was looked at: the kernel counts in steps of 10 ms.
pub const STALL_BUSY_MIN: Duration = Duration::from_millis(50);
/// Time between two looks that counts as silence at most. Whoever looks less often was stopped itself, as on a laptop that was closed.
pub const STALL_GAP_MAX: Duration = Duration::from_secs(10);
/// Different words of an agent that are remembered to know them again: more than any spinner has.
pub const STALL_WORDS_MAX: usize = 1_024;
/// Silence before processes and files are looked at: of an agent that speaks nothing more has to be known.
pub const STALL_SAMPLE_AFTER: Duration = Duration::from_secs(30);
/// Between two such looks, at least.
pub const STALL_SAMPLE_PAUSE: Duration = Duration::from_secs(5);
/// How many times as long as the last look took is waited before the next one: half a hundredth of a core.
pub const STALL_SAMPLE_COST_FACTOR: u32 = 200;
/// Processes of one agent that are looked at. A build on a large machine has some hundred.
pub const TREE_PROCESSES_MAX: usize = 2_000;
/// Files and folders of a workspace whose change is noticed, those at the top first. A walk over them takes some 30 ms.
pub const WATCHED_FILES_MAX: usize = 20_000;
/// Between the polite signal and the hard one for an agent: Claude Code was seen to need 1.2 s, and its tools may need more.
pub const AGENT_TERMINATE_TIME_MAX: Duration = Duration::from_secs(10);
/// Bytes an agent may print in one run, both streams together. A day of tool output has tens of megabytes.
pub const AGENT_OUTPUT_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Bytes kept of one line of an agent's stream; the rest of the line is dropped. An answer is at most 1 MiB, and JSON may
/// write each of its characters as several.
pub const AGENT_LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Pieces of a stream, with the lines that end in each, that wait to be looked at. When as many wait, the agent waits: with the bounds of
/// a piece and of a line 65 MiB are held at most.
pub const AGENT_LINES_QUEUED_MAX: usize = 16;
/// Bytes of an agent's raw stream that are kept in its log.
pub const AGENT_LOG_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How long an agent may take to answer one line. A slow one was seen to take 20 s to start.
pub const TRY_TIME_MAX: Duration = Duration::from_secs(180);
/// Tokens one line may cost: what an agent says of itself and its tools first has been seen to be 30,000.
pub const TRY_TOKENS_MAX: u64 = 200_000;
/// Bytes of a file of the user's that an agent gets a copy of. Claude Code's account file has been seen to grow to 10 MB.
pub const AGENT_COPY_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How long one git command on a worktree may take: a first checkout of a large repository on a slow disk takes minutes.
pub const GIT_WORKTREE_TIME_MAX: Duration = Duration::from_secs(600);
/// Bytes of one git settings file that are compared to see whether it changed. Real ones have up to 10 KB.
pub const GIT_SETTINGS_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of a run's, a phase's or a rescue's name in a ref: with the others still a file name.
pub const REF_PART_BYTES_MAX: usize = 80;
/// Linked worktrees of one repository that are looked through for ours. People have up to a few dozen.
pub const WORKTREES_MAX: usize = 10_000;
/// Files counted for the size of one folder of ours. A large `node_modules` has 300,000; counting more takes longer than anybody waits.
pub const SIZE_ENTRIES_MAX: usize = 2_000_000;
/// A larger file is not committed but named: no forge takes one, and a sparse file of a terabyte would fill the disk.
pub const COMMIT_FILE_BYTES_MAX: u64 = 100 * 1000 * 1000;
/// Files and folders of the user's that are looked through for what an agent planted there. The largest repositories have half as many.
pub const LENT_ENTRIES_MAX: usize = 1_000_000;
/// Runs that are looked through, newest first, for the last one that worked on a phase. A run a day for most of a year.
pub const RUNS_SEARCHED_MAX: usize = 300;
/// Bytes one commit may add. Beyond, it is not work but what a program left behind.
pub const COMMIT_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// A larger file is left out of a rescue and named. What agents write by hand is far smaller.
pub const RESCUE_FILE_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// Bytes one rescue may add, so that a run that fails all night does not fill the disk.
pub const RESCUE_BYTES_MAX: u64 = 100 * 1024 * 1024;
/// Rescues of one run. More than three for each of 300 tasks is a loop.
pub const RESCUES_MAX: usize = 1_000;
/// Commits looked through for a key, or listed as made by an agent. A phase has a commit a task, and about ten tasks.
pub const COMMITS_LISTED_MAX: usize = 1_000;

/// Bytes of one prompt. It carries paths and not contents; a tenth of a small context window is room enough.
pub const PROMPT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a template, ours or the user's. Ours have up to 4 KB.
pub const PROMPT_TEMPLATE_BYTES_MAX: usize = 32 * 1024;
/// Characters of one text in a prompt. The longest real goal seen has 900.
pub const PROMPT_TEXT_CHARS_MAX: usize = 4_000;
/// Characters texts are cut down to before a prompt is refused as too long.
pub const PROMPT_TEXT_CHARS_MIN: usize = 250;
/// Entries of one list in a prompt, at first; halved together with the texts while the whole is too long.
pub const PROMPT_ENTRIES_MAX: usize = 200;
/// Steps a template may take. Ours take about 2,000 with long lists; one that loops over its own loops ends here.
pub const PROMPT_FUEL_MAX: u64 = 500_000;
/// Failing commands a debugger is told of; the first ones are usually the cause of the rest.
pub const FAILURES_TOLD_MAX: usize = 12;
/// Debug attempts a phase may have (CB-1).
pub const DEBUG_ATTEMPTS_MAX: u32 = 3;
/// New plans a phase may have (CB-1).
pub const REPLAN_ATTEMPTS_MAX: u32 = 1;
/// Remediation cycles a phase may have: each costs about 60k tokens, and a phase may spend 120k beyond its first run (PIPE-11).
pub const REMEDIATION_CYCLES_MAX: u32 = 2;
/// Time one autopilot of `demo --kill` may take. The slowest sample takes under 90 s on two cores.
pub const DEMO_TIME_MAX: Duration = Duration::from_secs(600);
/// Milliseconds of running time a phase may take (CB-1).
pub const PHASE_TIME_MAX_MS: u64 = 120 * 60_000;
/// Milliseconds of running time a run may take: a day (CB-1).
pub const RUN_TIME_MAX_MS: u64 = 1_440 * 60_000;
/// Retries of every kind a run may have (CB-1).
pub const RETRIES_MAX: u32 = 10;
/// Attempts in a row that may change nothing before the breaker opens (CB-1).
pub const NO_PROGRESS_MAX: u32 = 3;
/// Times in a row the same error may come before the breaker opens (CB-1).
pub const SAME_ERROR_MAX: u32 = 5;
/// Attempts of one step in which autopilot may die in a row before the breaker opens (STATE-3).
pub const LOST_IN_A_ROW_MAX: u32 = 3;
/// Milliseconds an open breaker waits before one more try (CB-1).
pub const COOLDOWN_MS: u64 = 5 * 60_000;
/// Milliseconds of running time under which a phase of several tasks is remarked on, while something in it is only judged (CHECK-3).
pub const PHASE_TIME_MIN_MS: u64 = 5 * 60_000;
/// Milliseconds a verification takes at least, while something is only judged (CHECK-10).
pub const VERIFIER_TIME_MIN_MS: u64 = 120_000;
/// Reasons one rejection tells. Whoever broke more than these has not done the step.
pub const REJECTION_REASONS_MAX: usize = 10;
/// Places of one return that are looked up: one for each of the criteria of the largest real phase, three times over.
pub const PLACES_MAX: usize = 40;
/// Definitions locked at the start of a run, and plans of one phase: a phase has a few of them, and with their hashes they fit an event.
pub const DEFINITIONS_LOCKED_MAX: usize = 40;
/// Definitions an attempt had changed that are on record; whoever changed more changed too many.
pub const DEFINITIONS_TOUCHED_MAX: usize = 10;
/// Places in the prose of one return that are looked up; with those in fields of the contract they are all of the forty.
pub const PROSE_PLACES_MAX: usize = 20;
/// Commits one return names that are looked up, each with a few processes.
pub const COMMITS_CLAIMED_MAX: usize = 10;
/// Files a commit is said to change that are looked for. One of them is enough.
pub const CLAIMED_FILES_MAX: usize = 5;
/// Quotations of one sentence that are looked for. One of them is enough.
pub const CLAIM_QUOTES_MAX: usize = 4;
/// Characters of one; what is most its own stands at its beginning.
pub const CLAIM_QUOTE_CHARS_MAX: usize = 120;
/// Files outside of what a plan names that are told; more of them are no oversight.
pub const FOOTPRINT_FILES_MAX: usize = 12;
/// Processes a worker left running that are named.
pub const STRAYS_NAMED_MAX: usize = 6;
/// Characters of the name of one.
pub const STRAY_NAME_CHARS_MAX: usize = 60;
/// Characters of a path that a reviewer names. Longer ones are cut and name nothing.
pub const PLACE_PATH_CHARS_MAX: usize = 256;
/// Characters of words that are looked for at a place; with the paths forty of them fit an event.
pub const PLACE_QUOTE_CHARS_MAX: usize = 300;
/// Bytes of a file that is looked into for evidence. Source files beyond are made by programs.
pub const PLACE_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// JSON files of one phase that are read to see whether they can be.
pub const JSON_FILES_MAX: usize = 50;
/// Milliseconds a run waits at least for a usage limit or an overload. Overloads were seen to pass within a minute.
pub const USAGE_WAIT_MIN_MS: u64 = 30_000;
/// Milliseconds a run waits at most, all waits in a row together, before it pauses: longer than the usual window of five hours.
pub const USAGE_WAIT_MAX_MS: u64 = 6 * 60 * 60_000;
/// Billionths of a dollar a token is taken to cost where nobody tells: the list price of a model that much of the work is done with, as an
/// agent told it in November 2026.
pub const INPUT_TOKEN_NANODOLLARS: u64 = 3_000;
pub const OUTPUT_TOKEN_NANODOLLARS: u64 = 15_000;
pub const CACHE_READ_TOKEN_NANODOLLARS: u64 = 300;
pub const CACHE_WRITE_TOKEN_NANODOLLARS: u64 = 3_750;
/// Entries of a child's own folder that are made or cleared away one by one. The largest package cache seen has some 40,000.
pub const OWN_FOLDER_ENTRIES_MAX: usize = 200_000;
/// Files named that a reviewer changed and that were dropped. Whoever changed more has built into the tree.
pub const DROPPED_NAMED_MAX: usize = 50;
/// Commits whose messages, and versions of a file whose texts, an agent's git shows otherwise. A run of a hundred phases makes fewer.
pub const VEILED_COMMITS_MAX: usize = 1_000;
/// Files and folders beside the way to something hidden, each of which costs the kernel a rule: a few microseconds. A home has
/// hundreds; whoever keeps a project among a hundred thousand files can move it.
pub const FENCE_BESIDE_MAX: usize = 100_000;
/// Differences a replay lists; the rest are counted. Rules that changed much differ at nearly every phase, and nobody reads on.
pub const REPLAY_DIFFERENCES_MAX: usize = 200;
/// Values a replay names that are another in one decision. A measurement with other checks differs in four for each.
pub const REPLAY_FIELDS_MAX: usize = 12;

/// Bytes read at once of a file that an agent writes beside its stream. Lines of the largest seen, with a whole prompt in them, have some
/// 40 KB; one that is longer tells nothing we count.
pub const SIDE_PIECE_BYTES: u64 = 1024 * 1024;
/// Pieces of it read in one go.
pub const SIDE_PIECES_MAX: usize = 64;
/// Files and folders looked at for it: an agent's own home has some hundred.
pub const SIDE_ENTRIES_MAX: usize = 10_000;
/// Files followed at once. One agent keeps a file for each of its last ten requests.
pub const SIDE_FILES_MAX: usize = 64;
/// Folders below each other in which it is looked for: year, month and day.
pub const SIDE_DEPTH_MAX: usize = 4;

/// Bytes of a line of a check's output that are looked at for how many tests ran. The longest line with a figure in it, in colours, has 200.
pub const TEST_LINE_BYTES_MAX: usize = 4 * 1024;
/// Bytes of a line that is a test runner's JSON. Longer ones carry a test's own output, which tells no result.
pub const TEST_JSON_BYTES_MAX: usize = 64 * 1024;
/// Summaries of one runner in one output that may still turn out to be printed by a test. A workspace has one for each of its binaries;
/// those before the last thousand stay as they are.
pub const TEST_SUMMARIES_MAX: usize = 1_000;
/// Failed tests that are named; whoever mends ten runs the rest again.
pub const TEST_NAMES_MAX: usize = 10;
/// Characters of the name of a test.
pub const TEST_NAME_CHARS_MAX: usize = 120;
/// Bytes of all the names of one check. Thirty checks must fit one event beside the ends of their output.
pub const TEST_NAMES_BYTES_MAX: usize = 240;
/// Tests that may have begun and not ended at the same time; a runner starts all parallel ones of a package at once.
pub const TESTS_OPEN_MAX: usize = 10_000;
/// Bytes of an XML tag that are looked at. The message of a failure stands in one and may go on for pages; the name comes before it.
pub const TEST_TAG_BYTES_MAX: usize = 4 * 1024;
/// XML documents in one output that are read as reports; a runner writes one for each of its files at most.
pub const TEST_DOCUMENTS_MAX: usize = 1_000;

/// Bytes of a file that is looked into for dishonest changes; what comes behind is not read. Files people write are far smaller.
pub const HONESTY_FILE_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Doubts one look tells. A change with more of them has a reason that the first ones show.
pub const HONESTY_DOUBTS_MAX: usize = 60;
/// Those of them that are on record: with thirty checks they must fit one event.
pub const DOUBTS_RECORDED_MAX: usize = 12;
/// Files of one change that are looked into; more are a renamed folder or generated.
pub const HONESTY_FILES_MAX: usize = 400;
/// Doubts of one kind told of one file; the last of them counts the rest. A deleted file of tests would fill the list alone.
pub const HONESTY_DOUBTS_PER_FILE_MAX: usize = 8;
/// Characters of the sentence of a doubt: two quotes and thirty words.
pub const HONESTY_FACT_CHARS_MAX: usize = 360;
/// Characters of a path in a doubt. The longest path git takes on common systems.
pub const HONESTY_PATH_CHARS_MAX: usize = 200;
/// Functions and classes of one file that are told apart. The largest test file seen has some 1,200.
pub const HONESTY_ITEMS_MAX: usize = 8_000;
/// Tests of one file that are compared, from the first.
pub const HONESTY_CASES_MAX: usize = 4_000;
/// Tokens of one test that its likeness to others is told by, from the first.
pub const HONESTY_BODY_TOKENS_MAX: usize = 1_500;
/// Tokens of one list of arguments that are looked through, for what an assertion compares.
pub const HONESTY_ARGUMENT_TOKENS_MAX: usize = 400;
/// Tokens between the name of a function and its body: types, bounds, clauses.
pub const HONESTY_HEAD_TOKENS_MAX: usize = 200;
/// Bytes of a regular expression between slashes. Longer ones are taken for divisions.
pub const HONESTY_PATTERN_BYTES_MAX: usize = 2_000;
/// Pairs of tests whose bodies are compared in search of a renamed one: 200 vanished and 200 new ones.
pub const HONESTY_PAIRS_MAX: usize = 40_000;
/// Groups of tests (modules, classes, `describe`) with a mark that silences them, of one file.
pub const HONESTY_SCOPES_MAX: usize = 200;
/// Files that tests rest on and that are laid over a work as they were: a phase that changes more of them changed everything.
pub const EXPECTATIONS_MAX: usize = 200;
/// Ignored files that are named beside a red check: enough to see what kind they are.
pub const OVERLOOKED_FILES_MAX: usize = 5;
/// Entries of one ignored folder that are looked at for them.
pub const OVERLOOKED_ENTRIES_MAX: usize = 500;
