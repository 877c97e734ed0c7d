//! Writes a document as JSON without blanks, as programs read it. Structure and plain strings are written here, because a
//! large document is hardly anything else; the rest is left to serde_json, and so is the meaning of every byte.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{self, Error as _};

/// Kept back before it is handed on; half of what a pipe holds.
const BUFFER_BYTES: usize = 32 * 1024;

type Done = Result<(), serde_json::Error>;
type Opened<'a, W> = Result<Parts<'a, W>, serde_json::Error>;

/// One document and the end of its line.
pub(crate) fn write(document: &impl Serialize, out: impl Write) -> io::Result<()> {
    let buffer = Vec::with_capacity(BUFFER_BYTES + BUFFER_BYTES / 4);
    let mut writer = Writer { buffer, out, written: Ok(()) };
    document.serialize(&mut writer)?;
    writer.push("\n");
    writer.flush();
    writer.written
}

struct Writer<W> {
    buffer: Vec<u8>,
    out: W,
    /// The first failure; after it nothing more is written.
    written: io::Result<()>,
}

impl<W: Write> Writer<W> {
    #[inline]
    fn push(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    /// A string that needs no escaping: one that was looked at, or a name of ours.
    #[inline]
    fn push_plain(&mut self, text: &str) {
        self.buffer.reserve(text.len() + 2);
        self.buffer.push(b'"');
        self.push(text);
        self.buffer.push(b'"');
    }

    fn flush(&mut self) {
        if self.written.is_ok() {
            self.written = self.out.write_all(&self.buffer);
        }
        self.buffer.clear();
    }

    /// Numbers, and strings that need escaping.
    fn leave_to_serde_json(&mut self, value: &(impl Serialize + ?Sized)) -> Done {
        serde_json::to_writer(&mut self.buffer, value)
    }

    /// Rare, and kept apart so that what is common stays small.
    #[cold]
    #[inline(never)]
    fn push_escaped(&mut self, text: &str) -> Done {
        self.leave_to_serde_json(text)
    }

    fn open(&mut self, opening: &str, closing: &'static str) -> Opened<'_, W> {
        self.push(opening);
        Ok(Parts { writer: self, is_first: true, closing })
    }

    /// `{"Variant":` and what follows.
    fn open_variant(
        &mut self,
        variant: &str,
        opening: &str,
        closing: &'static str,
    ) -> Opened<'_, W> {
        self.push("{\"");
        self.push(variant);
        self.push("\":");
        self.open(opening, closing)
    }
}

/// Bytes that are looked at together; the compiler then checks all of them at once.
const PIECE: usize = 16;

/// Whether a string stands in JSON as it is.
fn is_plain(text: &[u8]) -> bool {
    match text.last_chunk::<PIECE>() {
        // The last piece overlaps the one before it, so that no rest is left.
        Some(last) => text.as_chunks::<PIECE>().0.iter().all(are_plain) && are_plain(last),
        None => text.iter().all(|byte| awkward(*byte) == 0),
    }
}

#[inline]
fn are_plain(piece: &[u8; PIECE]) -> bool {
    piece.iter().fold(0, |found, byte| found | awkward(*byte)) == 0
}

/// 0 for a byte that stands in JSON as it is. A number, because the compiler makes better code of it than of a boolean.
fn awkward(byte: u8) -> u8 {
    u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\')
}

macro_rules! leave_to_serde_json {
    ($($method:ident: $kind:ty),*) => {
        $(fn $method(self, value: $kind) -> Done {
            self.leave_to_serde_json(&value)
        })*
    };
}

impl<'a, W: Write> ser::Serializer for &'a mut Writer<W> {
    type Ok = ();
    type Error = serde_json::Error;
    type SerializeSeq = Parts<'a, W>;
    type SerializeTuple = Parts<'a, W>;
    type SerializeTupleStruct = Parts<'a, W>;
    type SerializeTupleVariant = Parts<'a, W>;
    type SerializeMap = Parts<'a, W>;
    type SerializeStruct = Parts<'a, W>;
    type SerializeStructVariant = Parts<'a, W>;

    leave_to_serde_json!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_f32: f32, serialize_f64: f64, serialize_bool: bool, serialize_char: char
    );

    fn serialize_str(self, value: &str) -> Done {
        if !is_plain(value.as_bytes()) {
            return self.push_escaped(value);
        }
        self.push_plain(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Done {
        self.leave_to_serde_json(value)
    }

    fn serialize_none(self) -> Done {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        self.push("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Done {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Done {
        self.push_plain(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Done {
        let parts = self.open_variant(variant, "", "}")?;
        value.serialize(&mut *parts.writer)?;
        parts.close()
    }

    fn serialize_seq(self, _length: Option<usize>) -> Opened<'a, W> {
        self.open("[", "]")
    }

    fn serialize_tuple(self, _length: usize) -> Opened<'a, W> {
        self.open("[", "]")
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Opened<'a, W> {
        self.open("[", "]")
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Opened<'a, W> {
        self.open_variant(variant, "[", "]}")
    }

    fn serialize_map(self, _length: Option<usize>) -> Opened<'a, W> {
        self.open("{", "}")
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Opened<'a, W> {
        self.open("{", "}")
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Opened<'a, W> {
        self.open_variant(variant, "{", "}}")
    }
}

/// What stands between brackets.
struct Parts<'a, W> {
    writer: &'a mut Writer<W>,
    is_first: bool,
    closing: &'static str,
}

impl<W: Write> Parts<'_, W> {
    #[inline(always)]
    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.writer.buffer.push(b',');
        }
    }

    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Done {
        self.separate();
        value.serialize(&mut *self.writer)
    }

    /// Names of fields are our own words and need no escaping. Where this is put into its caller the compiler knows the name, and
    /// copies it without a loop.
    #[inline(always)]
    fn field(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Done {
        self.separate();
        self.writer.push_plain(name);
        self.writer.buffer.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn close(self) -> Done {
        self.writer.push(self.closing);
        if self.writer.buffer.len() >= BUFFER_BYTES {
            self.writer.flush();
        }
        Ok(())
    }
}

macro_rules! write_elements {
    ($($kind:ident: $method:ident),*) => {
        $(impl<W: Write> ser::$kind for Parts<'_, W> {
            type Ok = ();
            type Error = serde_json::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                self.element(value)
            }

            fn end(self) -> Done {
                self.close()
            }
        })*
    };
}

write_elements!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! write_fields {
    ($($kind:ident),*) => {
        $(impl<W: Write> ser::$kind for Parts<'_, W> {
            type Ok = ();
            type Error = serde_json::Error;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Done {
                self.field(name, value)
            }

            fn end(self) -> Done {
                self.close()
            }
        })*
    };
}

write_fields!(SerializeStruct, SerializeStructVariant);

impl<W: Write> ser::SerializeMap for Parts<'_, W> {
    type Ok = ();
    type Error = serde_json::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        self.separate();
        let start = self.writer.buffer.len();
        key.serialize(&mut *self.writer)?;
        match self.writer.buffer.get(start) {
            Some(b'"') => Ok(()),
            _ => Err(serde_json::Error::custom("a key of a document must be text")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        self.writer.buffer.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Done {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Choice {
        Nothing,
        One(u8),
        Pair(i64, bool),
        Named { text: String },
    }

    #[derive(Serialize)]
    struct Everything {
        texts: Vec<String>,
        absent: Option<u32>,
        present: Option<f64>,
        choices: [Choice; 4],
        map: BTreeMap<String, (char, ())>,
        empty: (Vec<u8>, BTreeMap<String, u8>),
        value: serde_json::Value,
    }

    /// Each awkward character at each place of words of many lengths, so that it falls into every piece.
    fn texts() -> Vec<String> {
        let awkward = ['"', '\\', '\n', '\u{0}', '\u{1f}', '\u{7f}', ' ', 'ä', '✅'];
        let mut texts = vec![String::new()];
        for length in [1, 7, 15, 16, 17, 31, 32, 33, 50] {
            for place in 0..length {
                let letter = |at: usize| if at == place { awkward[place % 9] } else { 'x' };
                texts.push((0..length).map(letter).collect());
            }
        }
        texts
    }

    #[test]
    fn the_same_bytes_as_serde_json() {
        let everything = Everything {
            texts: texts(),
            absent: None,
            present: Some(-0.5),
            choices: [
                Choice::Nothing,
                Choice::One(1),
                Choice::Pair(-1, true),
                Choice::Named { text: "a\"b".to_string() },
            ],
            map: BTreeMap::from([("a".to_string(), ('ä', ())), ("b\n".to_string(), ('"', ()))]),
            empty: (Vec::new(), BTreeMap::new()),
            value: serde_json::json!({"a": [1, null, {"b": {}}], "c": "d"}),
        };
        // More than a buffer holds.
        let many: Vec<&Everything> = std::iter::repeat_n(&everything, 20).collect();
        let mut written = Vec::new();
        write(&many, &mut written).unwrap();
        assert!(written.len() > 2 * BUFFER_BYTES);
        let expected = format!("{}\n", serde_json::to_string(&many).unwrap());
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }

    #[test]
    fn a_key_that_is_no_text_is_refused() {
        assert!(write(&BTreeMap::from([((1, 2), 3)]), io::sink()).is_err());
    }
}
