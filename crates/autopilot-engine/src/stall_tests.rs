//! What is judged dead and what is not, over hours of a clock that only the test moves.

use autopilot_agents::activity::Spend;

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const PATIENCE: Duration = Duration::from_secs(600);

/// An agent as the test plays it: what it does in each second.
struct Played {
    says: fn(u64) -> Option<Activity>,
    /// Hundredths of a core, or what the kernel does not tell.
    busy: fn(u64) -> Option<u64>,
    /// Changes of files so far.
    files: fn(u64) -> u64,
    waits_for: fn(u64) -> Option<WaitsFor>,
    /// What the clock shows.
    clock: fn(u64) -> Duration,
}

const SILENT: Played = Played {
    says: |_| None,
    busy: |_| Some(0),
    files: |_| 0,
    waits_for: |_| None,
    clock: Duration::from_secs,
};

fn said(text: &str) -> Option<Activity> {
    Some(Activity::Said(text.to_string()))
}

/// Every verdict with its minute and second, for at most so long.
fn verdicts(played: &Played, minutes: u64) -> Vec<String> {
    let mut stall = Stall::new(PATIENCE);
    let mut found = Vec::new();
    let mut cpu = Some(Duration::ZERO);
    for second in 0..=minutes * 60 {
        let now = (played.clock)(second);
        cpu = (played.busy)(second).zip(cpu).map(|(busy, cpu)| cpu + SECOND * busy as u32 / 100);
        if let Some(activity) = (played.says)(second) {
            stall.heard(&activity, now, 1_000_000 + second);
        }
        if stall.wants_sample(now) {
            stall.saw(Sample { cpu, files: (played.files)(second) }, now);
        }
        let Some(verdict) = stall.judge((played.waits_for)(second), now) else { continue };
        let word = match verdict {
            Verdict::Warn(_) => "warn",
            Verdict::Nudge(_) => "nudge",
            Verdict::End(_) => "end",
            Verdict::Lives => "lives",
        };
        found.push(format!("{word} {}:{:02}", second / 60, second % 60));
        if word == "end" {
            break;
        }
    }
    found
}

fn check(what: &str, played: &Played, minutes: u64, expected: &[&str]) {
    assert_eq!(verdicts(played, minutes), expected, "{what}");
}

#[test]
fn dead_work_is_warned_of_nudged_and_ended() {
    check("silence", &SILENT, 60, &["warn 4:00", "nudge 7:00", "end 10:00"]);
    let dots = Played { says: |second| said(&".".repeat(second as usize % 4)), ..SILENT };
    check("dots", &dots, 60, &["warn 4:00", "nudge 7:00", "end 10:00"]);
    let spinner = Played {
        says: |second| {
            said(&format!("{} Thinking… ({second}s)", ["|", "/", "-"][second as usize % 3]))
        },
        // A shell that prints and sleeps takes a little CPU.
        busy: |_| Some(2),
        ..SILENT
    };
    check("a spinner", &spinner, 60, &["warn 4:01", "nudge 7:01", "end 10:01"]);
    let same = Played { says: |_| said("waiting for the server"), ..SILENT };
    check("the same line", &same, 60, &["warn 4:01", "nudge 7:01", "end 10:01"]);
    let turns = Played {
        says: |second| said(["Pondering", "Musing", "Brewing", "Baking"][second as usize % 4]),
        ..SILENT
    };
    check("four words in turn", &turns, 60, &["warn 4:04", "nudge 7:04", "end 10:04"]);
    let noise = Played {
        says: |second| Some(Activity::Unknown(format!("{{\"ping\":\"{second}\"}}"))),
        ..SILENT
    };
    check("lines nobody understands", &noise, 60, &["warn 4:00", "nudge 7:00", "end 10:00"]);
    let nothing_spent = Played { says: |_| Some(Activity::Spent(Spend::default())), ..SILENT };
    check("no tokens", &nothing_spent, 60, &["warn 4:00", "nudge 7:00", "end 10:00"]);
    let last_words =
        Played { says: |second| said("Done soon").filter(|_| second == 130), ..SILENT };
    check("its last words", &last_words, 60, &["warn 6:10", "nudge 9:10", "end 12:10"]);
}

#[test]
fn healthy_work_that_looks_dead_is_let_go_on() {
    let build = Played { busy: |second| Some(if second < 660 { 95 } else { 0 }), ..SILENT };
    check("a silent build of eleven minutes", &build, 14, &[]);
    let slow = Played { busy: |_| Some(6), ..SILENT };
    check("a build on a crowded machine", &slow, 60, &[]);
    let bursts = Played { busy: |second| Some(if second % 200 < 10 { 80 } else { 0 }), ..SILENT };
    check("work in bursts", &bursts, 60, &[]);
    let files = Played { files: |second| second / 230, ..SILENT };
    check("a file every four minutes", &files, 60, &[]);
    let speaks = Played {
        says: |second| {
            let word = "abcdefghij".get(second as usize / 200 % 10..)?;
            said(word).filter(|_| second % 200 == 0 && second < 2_000)
        },
        ..SILENT
    };
    check("new words every three minutes", &speaks, 33, &[]);
    let spends = Played {
        says: |second| {
            let spend = Spend { output_tokens: 1, ..Spend::default() };
            (second % 220 == 0).then_some(Activity::Spent(spend))
        },
        ..SILENT
    };
    check("tokens", &spends, 60, &[]);
    let polls = Played {
        says: |second| {
            let tool = Activity::UsedTool { name: "sh".into(), summary: "cat log".into() };
            (second % 120 == 0).then_some(tool)
        },
        ..SILENT
    };
    check("the same tool again and again", &polls, 60, &[]);
}

#[test]
fn a_tree_that_is_busy_for_hours_is_left_to_the_time_of_the_step() {
    check("a loop", &Played { busy: |_| Some(100), ..SILENT }, 180, &[]);
}

#[test]
fn what_it_waits_for_makes_patience_longer() {
    let model = Played { waits_for: |_| Some(WaitsFor::Model), ..SILENT };
    check("a model that never answers", &model, 60, &["warn 8:00", "nudge 14:00", "end 20:00"]);
    let answers = Played { says: |second| said("Here it is").filter(|_| second == 1_140), ..model };
    check(
        "one that answers after 19 minutes",
        &answers,
        20,
        &["warn 8:00", "nudge 14:00", "lives 19:00"],
    );
    let tool = Played { waits_for: |_| Some(WaitsFor::Tool), ..SILENT };
    check("a tool that waits for another machine", &tool, 11, &[]);
    check("one that never ends", &tool, 60, &["warn 12:00", "nudge 21:00", "end 30:00"]);
    let ended =
        Played { waits_for: |second| Some(WaitsFor::Tool).filter(|_| second < 660), ..SILENT };
    let expected = ["warn 15:00", "nudge 18:00", "end 21:00"];
    check("one that ends after eleven minutes, and then nothing", &ended, 60, &expected);
    let unseen = Played { busy: |_| None, ..SILENT };
    check(
        "a kernel that tells no CPU time",
        &unseen,
        60,
        &["warn 12:00", "nudge 21:00", "end 30:00"],
    );
}

#[test]
fn a_usage_limit_is_waited_for_as_long_as_it_said() {
    let waits = Played {
        says: |second| {
            let until_unix_s = Some(1_000_000 + 3_600);
            (second == 0).then_some(Activity::WaitingForLimit { until_unix_s })
        },
        ..SILENT
    };
    check("an hour", &waits, 63, &[]);
    check("and then nothing", &waits, 90, &["warn 64:00", "nudge 67:00", "end 70:00"]);
    let over = Played {
        says: |second| match second {
            0 => Some(Activity::WaitingForLimit { until_unix_s: Some(1_003_600) }),
            60 => said("It works again"),
            _ => None,
        },
        ..SILENT
    };
    check("over sooner", &over, 90, &["warn 5:00", "nudge 8:00", "end 11:00"]);
}

#[test]
fn signs_of_life_start_it_over() {
    let wakes = Played { says: |second| said("Now I see").filter(|_| second == 450), ..SILENT };
    let expected =
        ["warn 4:00", "nudge 7:00", "lives 7:30", "warn 11:30", "nudge 14:30", "end 17:30"];
    check("it woke", &wakes, 60, &expected);
}

#[test]
fn a_clock_that_jumps_ends_nobody() {
    // A laptop that was closed for eight hours, and a clock that counts them.
    let closed = Played {
        clock: |second| {
            SECOND * second as u32 + if second > 120 { 480 * MINUTE } else { Duration::ZERO }
        },
        ..SILENT
    };
    check("forward", &closed, 60, &["warn 3:51", "nudge 6:51", "end 9:51"]);
    let back = Played {
        clock: |second| {
            let jump = if second > 120 { 30 * MINUTE } else { 60 * MINUTE };
            SECOND * second as u32 + jump
        },
        ..SILENT
    };
    check("back", &back, 60, &["warn 3:51", "nudge 6:51", "end 9:51"]);
    // Closed every other minute, for an hour each time: of each hour ten seconds count.
    let often = Played {
        clock: |second| SECOND * second as u32 + 60 * MINUTE * (second / 120) as u32,
        says: |second| said("Going on").filter(|_| second == 0),
        ..SILENT
    };
    check("often", &often, 9, &["warn 3:51", "nudge 6:33"]);
}

#[test]
fn without_patience_nobody_is_ended() {
    let mut stall = Stall::new(Duration::ZERO);
    for second in 0..10_000 {
        assert!(!stall.wants_sample(SECOND * second));
        assert_eq!(stall.judge(None, SECOND * second), None);
    }
}
