//! A SHA-256 as text: how a hash is written in files, events and messages. What is hashed is the caller's.

/// What a hash in a file or an event begins with.
pub const PREFIX: &str = "sha256:";
const DIGITS: usize = 64;

/// The digits of a SHA-256.
pub fn hex(digest: &[u8]) -> [u8; DIGITS] {
    const ALL: &[u8; 16] = b"0123456789abcdef";
    let mut hex = [b'0'; DIGITS];
    for (pair, byte) in hex.chunks_exact_mut(2).zip(digest) {
        pair[0] = ALL[usize::from(byte >> 4)];
        pair[1] = ALL[usize::from(byte & 15)];
    }
    hex
}

/// `sha256:` and the digits.
pub fn text(digest: &[u8]) -> String {
    let mut text = String::with_capacity(PREFIX.len() + DIGITS);
    text.push_str(PREFIX);
    text.extend(hex(digest).map(char::from));
    text
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn a_hash_is_written_as_other_tools_write_it() {
        // printf '' | sha256sum
        let expected = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(text(&Sha256::digest(b"")), expected);
    }
}
