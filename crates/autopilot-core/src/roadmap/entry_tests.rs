//! ROAD-1: the spellings of a phase in headings and check-lists.

use super::*;

fn show(mention: Option<Mention<'_>>) -> String {
    match mention {
        None => "-".to_string(),
        Some(Mention::NoId) => "no id".to_string(),
        Some(Mention::Unseparated(entry)) => format!("unseparated {} {}", entry.id, entry.name),
        Some(Mention::Phase(entry)) => {
            let marks = [
                (entry.is_inserted, " inserted"),
                (entry.is_struck, " struck"),
                (entry.is_marked_done, " done"),
            ];
            let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
            format!("{}|{}|{}{marks}", entry.id, entry.name, entry.text)
        }
    }
}

#[test]
fn headings_in_every_spelling() {
    let check = |text: &str, expected: &str| assert_eq!(show(of_heading(text)), expected, "{text}");
    check("Phase 1: Login", "1|Login|");
    check("Phase 02 — Login", "2|Login|");
    check("Phase 2.1 – Login", "2.1|Login|");
    check("Phase 12A - Login - part two", "12A|Login - part two|");
    check("phase 3：登录", "3|登录|");
    check("Phase PROJ-42: Login", "PROJ-42|Login|");
    check("Phase 2.1: Wiring *(INSERTED)*", "2.1|Wiring| inserted");
    check("Phase 2.1: Wiring (inserted)", "2.1|Wiring| inserted");
    check("Phase 999.1: Idea (BACKLOG)", "999.1|Idea|");
    check("Phase 4: Settings ✅", "4|Settings| done");
    check("✅ Phase 4: Settings", "4|Settings| done");
    check("Phase 4: Settings ✔️", "4|Settings| done");
    check("**Phase 5: Bold**", "5|Bold|");
    check("~~Phase 5: Gone~~", "5|Gone| struck");
    check("Phase 5 (optional): Extras", "5|Extras|");
    check("Phase 6: Handler (/app plan + /app apply)", "6|Handler (/app plan + /app apply)|");
    check("Phase 7: Name <!-- slug -->", "7|Name|");
    check("[Phase 8: Linked](phases/08)", "8|Linked|");
    check("Phase 9. Dotted", "9|Dotted|");
    check("Phase 10", "unseparated 10 ");
    check("Phase 10 Login", "unseparated 10 Login");
    check("Phase Details", "no id");
    check("Phase One: Login", "no id");
    check("Phase 1-3: Block", "no id");
    check("Phases 1-3: Block", "-");
    check("Overview of Phase 3: x", "-");
}

#[test]
fn headings_in_other_languages() {
    let check = |text: &str, expected: &str| assert_eq!(show(of_heading(text)), expected, "{text}");
    check("Фаза 2: Вход", "2|Вход|");
    check("Fase 3 — Acceso", "3|Acceso|");
    check("Étape 4 : Connexion", "4|Connexion|");
    check("阶段 5：登录", "5|登录|");
    check("阶段5：登录", "5|登录|");
    check("第6阶段：登录", "6|登录|");
    check("フェーズ 7: ログイン", "7|ログイン|");
    check("단계 8: 로그인", "8|로그인|");
}

#[test]
fn check_list_lines_in_every_spelling() {
    let check =
        |text: &str, expected: &str| assert_eq!(show(of_check_item(text)), expected, "{text}");
    check("**Phase 1: Login** - people log in", "1|Login|people log in");
    check("**Phase 1: Login**", "1|Login|");
    check("**Phase 1:** Login — people log in", "1|Login|people log in");
    check("**Phase 1**: Login", "1|Login|");
    check(
        "**Phase 2.1: Name** (INSERTED) — text (completed 2026-01-02)",
        "2.1|Name|(INSERTED) — text (completed 2026-01-02) inserted",
    );
    check("**Phase 2.1: Name** *(INSERTED)* - text", "2.1|Name|*(INSERTED)* - text inserted");
    check(
        "Phase 3: Login (3/3 plans) -- completed 2026-03-03",
        "3|Login|(3/3 plans) -- completed 2026-03-03",
    );
    check("Phase 3: A — B (1/1 plan) — completed", "3|A — B|(1/1 plan) — completed");
    check("Phase 20: A — B — completed", "20|A — B|completed");
    check("Phase 3: Login - people log in", "3|Login|people log in");
    check("Phase 3: Login", "3|Login|");
    check("~~Phase 5: Gone~~ -- Superseded", "5|Gone|Superseded struck");
    check("[Phase 8: Linked](phases/08) - text", "8|Linked|text");
    check("**Phase 3: Cleanup** - Removed dead code", "3|Cleanup|Removed dead code");
    check("05-01-PLAN.md — close all Phase 5 work", "-");
    check("Phase 3 docs are read", "unseparated 3 docs are read");
}
