//! Cuts a scenario file into blocks and each of their lines into sentences. What a sentence means is read elsewhere.

use super::{Misread, Place};

/// The text of one scenario; sentences stand with the line they begin on.
pub(super) struct Block {
    pub(super) place: Place,
    pub(super) rules: Vec<String>,
    pub(super) title: String,
    pub(super) given: Vec<(usize, String)>,
    pub(super) happens: Vec<(usize, String)>,
    pub(super) expect: Vec<(usize, String)>,
}

/// A block begins with `# RULE-1, RULE-2: what it shows`. Lines that begin with a space go on; `//` begins a remark.
pub(super) fn blocks(file: &str, text: &str) -> Result<Vec<Block>, Misread> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut keyword = "";
    for (number, line) in (1..).zip(text.lines()) {
        let place = Place { file: file.to_string(), line: number };
        let misread = |what: String| Misread { place: place.clone(), what };
        if line.trim().is_empty() || line.starts_with("//") {
            continue;
        }
        if let Some(heading) = line.strip_prefix("# ") {
            blocks.push(heading_of(heading, &place).map_err(&misread)?);
            keyword = "";
            continue;
        }
        let Some(block) = blocks.last_mut() else {
            return Err(misread("a scenario begins with `# RULE: what it shows`".to_string()));
        };
        let rest = match line.split_once(' ') {
            Some(("", rest)) => rest,
            Some((word @ ("given" | "happens" | "expect"), rest)) => {
                keyword = word;
                rest
            }
            _ => return Err(misread(format!("`{line}` is neither given, happens nor expect"))),
        };
        let sentences = |cut: fn(&str) -> Vec<String>| {
            cut(rest).into_iter().map(|sentence| (number, sentence)).collect::<Vec<_>>()
        };
        match keyword {
            "given" => block.given.extend(sentences(by_full_stop)),
            "happens" => block.happens.extend(sentences(|text| cut_at(text, ';'))),
            "expect" => block.expect.extend(sentences(|text| cut_at(text, ','))),
            _ => return Err(misread(format!("`{line}` stands under no given, happens or expect"))),
        }
    }
    match blocks.iter().find(|block| block.given.is_empty() || block.expect.is_empty()) {
        Some(block) => Err(Misread {
            place: block.place.clone(),
            what: "a scenario has a given and an expect".to_string(),
        }),
        None => Ok(blocks),
    }
}

fn heading_of(heading: &str, place: &Place) -> Result<Block, String> {
    let (rules, title) = heading.split_once(": ").ok_or("a heading is `# RULE: what it shows`")?;
    let rules: Vec<String> = rules.split(", ").map(str::to_string).collect();
    let is_rule = |rule: &&String| {
        rule.split_once('-').is_some_and(|(group, number)| {
            group.bytes().all(|byte| byte.is_ascii_uppercase()) && !number.is_empty()
        })
    };
    if let Some(wrong) = rules.iter().find(|rule| !is_rule(rule)) {
        return Err(format!("`{wrong}` is no rule"));
    }
    Ok(Block {
        place: place.clone(),
        rules,
        title: title.trim().to_string(),
        given: Vec::new(),
        happens: Vec::new(),
        expect: Vec::new(),
    })
}

/// At full stops; the one in `9.0` is none.
fn by_full_stop(text: &str) -> Vec<String> {
    let parts = text.split(". ").map(|part| part.trim().trim_end_matches('.').trim());
    parts.filter(|part| !part.is_empty()).map(str::to_string).collect()
}

/// At the sign, outside of parentheses.
pub(super) fn cut_at(text: &str, sign: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            Some(part) if character != sign || depth > 0 => part.push(character),
            _ => parts.push(String::new()),
        }
    }
    let trimmed = parts.iter().map(|part| part.trim().to_string());
    trimmed.filter(|part| !part.is_empty()).collect()
}
