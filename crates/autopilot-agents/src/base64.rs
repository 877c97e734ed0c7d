//! Bytes that are no text, written as text: base64 with the usual alphabet and padding (RFC 4648).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            let is_padding = digit > chunk.len();
            text.push(if is_padding { '=' } else { char::from(ALPHABET[value as usize]) });
        }
    }
    text
}

/// None for what `encode` would not have written.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| {
        let at = ALPHABET.iter().position(|known| *known == digit)?;
        u32::try_from(at).ok()
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in text.as_bytes().chunks(4) {
        let padding = chunk.iter().rev().take_while(|digit| **digit == b'=').count();
        if chunk.len() != 4 || padding > 2 {
            return None;
        }
        let mut bits = 0;
        for digit in &chunk[..4 - padding] {
            bits = bits << 6 | value(*digit)?;
        }
        bits <<= 6 * padding;
        bytes.extend(&bits.to_be_bytes()[1..4 - padding]);
    }
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let check = |bytes: &[u8], text: &str| {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        };
        check(b"", "");
        check(b"f", "Zg==");
        check(b"fo", "Zm8=");
        check(b"foo", "Zm9v");
        check(b"foob", "Zm9vYg==");
        check(&[0, 0xFF, 0xFE, 0x80], "AP/+gA==");
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["Zg", "Zg=", "Z===", "====", "Zh==", "Zg==Zg==", "Z g=", "é"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
