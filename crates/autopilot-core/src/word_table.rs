//! Finds a word among a few known ones, whatever its case. Whole roadmaps are looked through word by word, so one that is not
//! known must cost next to nothing: its first letter and its length nearly always tell.

/// Words that mean the same stand together. They are written in lower case and have fewer than 64 bytes.
pub struct WordTable<T: 'static> {
    words: &'static [(T, &'static [&'static str])],
    /// For the last five bits of a first byte, which letters of either case share: a bit for each length there is.
    lengths: [u64; 32],
}

impl<T: Copy> WordTable<T> {
    pub const fn new(words: &'static [(T, &'static [&'static str])]) -> WordTable<T> {
        let mut lengths = [0; 32];
        let mut group = 0;
        while group < words.len() {
            let mut word = 0;
            while word < words[group].1.len() {
                let bytes = words[group].1[word].as_bytes();
                lengths[(bytes[0] & 31) as usize] |= 1 << bytes.len();
                word += 1;
            }
            group += 1;
        }
        WordTable { words, lengths }
    }

    pub fn find(&self, word: &str) -> Option<T> {
        match word.is_ascii() {
            true => self.find_ascii(word.as_bytes()),
            false => self.find_ascii(word.to_lowercase().as_bytes()),
        }
    }

    /// The same where only the case of ASCII letters may differ.
    pub fn find_ascii(&self, word: &[u8]) -> Option<T> {
        let lengths = self.lengths[usize::from(word.first()? & 31)];
        if word.len() >= 64 || lengths >> word.len() & 1 == 0 {
            return None;
        }
        let is_same = |known: &&str| known.as_bytes().eq_ignore_ascii_case(word);
        let holds = |words: &[&'static str]| words.iter().any(is_same);
        self.words.iter().find(|(_, words)| holds(words)).map(|(meaning, _)| *meaning)
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
