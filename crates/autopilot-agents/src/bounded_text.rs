//! Cuts foreign text to a bound, at a character's edge.

/// The beginning, with a mark where it was cut.
pub(crate) fn start_of(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.into();
    }
    let at = (0..=bytes_max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &text[..at])
}

/// The end, with a mark where it was cut.
pub(crate) fn end_of(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.into();
    }
    let from = text.len() - bytes_max;
    let at = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("…{}", &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_the_edge_of_a_character() {
        assert_eq!((start_of("äöü", 6), end_of("äöü", 6)), ("äöü".into(), "äöü".into()));
        assert_eq!((start_of("äöü", 5), end_of("äöü", 5)), ("äö…".into(), "…öü".into()));
        assert_eq!((start_of("äöü", 0), end_of("äöü", 0)), ("…".into(), "…".into()));
    }
}
