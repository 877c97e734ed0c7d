//! Finds a word among a few known ones, whatever its case. Whole roadmaps are looked through word by word, so one that is not
//! known must cost next to nothing: its length and its first and last letter nearly always tell.

/// Every known word is shorter: the lengths there are fit the bits of a `u32`.
const BYTES_END: usize = 32;

/// Words that mean the same stand together, in at most 32 groups. They are written in lower case.
pub struct WordTable<T: 'static> {
    words: &'static [(T, &'static [&'static str])],
    /// By the last five bits of a first byte, which letters of either case share.
    starts: [Start; 32],
}

/// What there is among the words that start alike: a bit for each length, for each last byte by its last five bits, and for
/// each group that has one of them.
#[derive(Clone, Copy)]
struct Start {
    lengths: u32,
    ends: u32,
    groups: u32,
}

impl<T: Copy> WordTable<T> {
    pub const fn new(words: &'static [(T, &'static [&'static str])]) -> WordTable<T> {
        let mut starts = [Start { lengths: 0, ends: 0, groups: 0 }; 32];
        let mut group = 0;
        while group < words.len() {
            let mut word = 0;
            while word < words[group].1.len() {
                let bytes = words[group].1[word].as_bytes();
                let start = &mut starts[(bytes[0] & 31) as usize];
                start.lengths |= 1 << bytes.len();
                start.ends |= 1 << (bytes[bytes.len() - 1] & 31);
                start.groups |= 1 << group;
                word += 1;
            }
            group += 1;
        }
        WordTable { words, starts }
    }

    pub fn find(&self, word: &str) -> Option<T> {
        match word.is_ascii() {
            true => self.find_ascii(word.as_bytes()),
            false => self.find_ascii(word.to_lowercase().as_bytes()),
        }
    }

    /// The same where only the case of ASCII letters may differ.
    #[inline]
    pub fn find_ascii(&self, word: &[u8]) -> Option<T> {
        let start = self.starts[usize::from(word.first()? & 31)];
        if word.len() >= BYTES_END || start.lengths >> word.len() & 1 == 0 {
            return None;
        }
        if start.ends >> (word.last()? & 31) & 1 == 0 {
            return None;
        }
        self.find_among(start.groups, word)
    }

    fn find_among(&self, mut groups: u32, word: &[u8]) -> Option<T> {
        let mut lower = [0; BYTES_END];
        lower[..word.len()].copy_from_slice(word);
        lower.make_ascii_lowercase();
        let lower = &lower[..word.len()];
        while groups != 0 {
            let (meaning, words) = &self.words[groups.trailing_zeros() as usize];
            if words.iter().any(|known| known.as_bytes() == lower) {
                return Some(*meaning);
            }
            groups &= groups - 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_either_case_and_others_are_not() {
        const TABLE: WordTable<u8> =
            WordTable::new(&[(1, &["goal", "ziel"]), (2, &["цель", "ui hint"])]);
        let check =
            |word: &str, expected: Option<u8>| assert_eq!(TABLE.find(word), expected, "{word}");
        check("goal", Some(1));
        check("GoAL", Some(1));
        check("Ziel", Some(1));
        check("ЦЕЛЬ", Some(2));
        check("UI hint", Some(2));
        check("goals", None);
        check("gaol", None);
        check("", None);
        check(&"g".repeat(64), None);
        check(&"g".repeat(68), None);
    }
}
