//! Reads an export record by record, in either layout, and reports where it is damaged.
//!
//! A file is read twice: once to check all of it, once to import it. So an incomplete download changes
//! nothing.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use hark_files::regular;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::export::io_error;
use super::format::{Header, NAME, Record, SECTIONS, VERSION};
use super::markdown;
use super::seal::{self, Opened, Passphrase};
use crate::error::EngineError;

/// Longer lines are not ours: a memory has at most a few megabytes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Where a record stands, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Line(u64),
    Number(u64),
    File(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Number(number) => write!(f, "record {number}"),
            Place::File(file) => f.write_str(file),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    Document,
    Folder,
}

/// An export on disk.
pub(super) struct Source {
    path: PathBuf,
    layout: Layout,
    /// For one that is encrypted.
    opened: Option<Opened>,
}

type Visit<'v> = dyn FnMut(Record, Place) -> Result<(), EngineError> + 'v;

impl Source {
    pub(super) fn open(path: &Path, passphrase: Option<&Passphrase>) -> Result<Source, EngineError> {
        let meta = std::fs::metadata(path).map_err(|e| missing(path, e))?;
        if meta.is_dir() {
            return Ok(Source { path: path.to_owned(), layout: Layout::Folder, opened: None });
        }
        let mut source = Source { path: path.to_owned(), layout: Layout::Document, opened: None };
        source.unseal(passphrase)?;
        let mut reader = source.reader()?;
        let first = read_line(&mut reader).map_err(|e| match e.kind() {
            seal::WRONG if source.opened.is_some() => source.locked(),
            _ => source.broken(None, &e),
        })?;
        let first = first.unwrap_or_default();
        // A document is one value; the first line of a stream is a value of its own.
        if let Ok(header) = serde_json::from_slice::<Header>(&first)
            && !serde_json::from_slice::<serde_json::Value>(&first).is_ok_and(|v| v.get("memories").is_some())
        {
            source.check(&header)?;
            source.layout = Layout::Lines;
        } else if first.iter().find(|b| !b.is_ascii_whitespace()).is_some_and(|b| *b != b'{')
            || first.is_empty()
        {
            return Err(source.not_ours());
        }
        Ok(source)
    }

    fn reader(&self) -> Result<Box<dyn BufRead>, EngineError> {
        let file = regular::open(&self.path).map_err(|e| missing(&self.path, e))?;
        match &self.opened {
            None => Ok(Box::new(BufReader::with_capacity(256 * 1024, file))),
            Some(opened) => {
                let file = BufReader::with_capacity(128 * 1024, file);
                let plain = opened.reader(file).map_err(|e| self.broken(None, &e))?;
                Ok(Box::new(BufReader::with_capacity(64 * 1024, plain)))
            }
        }
    }

    fn unseal(&mut self, passphrase: Option<&Passphrase>) -> Result<(), EngineError> {
        let mut file = regular::open(&self.path).map_err(|e| missing(&self.path, e))?;
        let mut head = vec![0; seal::MAGIC.len()];
        if file.read_exact(&mut head).is_err() || head != seal::MAGIC {
            return Ok(());
        }
        let passphrase = passphrase.ok_or_else(|| {
            EngineError::invalid(
                format!("{} is encrypted", self.path.display()),
                "pass a file with --passphrase-file, or set HARK_PASSPHRASE",
            )
        })?;
        let opened = Opened::new(&mut file, passphrase)?.map_err(|e| self.broken(None, &e))?;
        self.opened = Some(opened);
        Ok(())
    }

    /// Hands every record to `visit`, in order.
    pub(super) fn each(&self, visit: &mut Visit<'_>) -> Result<(), EngineError> {
        match self.layout {
            Layout::Lines => self.lines(visit),
            Layout::Document => self.document(visit),
            Layout::Folder => markdown::each(&self.path, visit),
        }
    }

    fn lines(&self, visit: &mut Visit<'_>) -> Result<(), EngineError> {
        let mut reader = self.reader()?;
        let mut number = 0;
        loop {
            number += 1;
            let Some(line) = read_line(&mut reader).map_err(|e| self.broken(Some(number), &e))? else {
                return Ok(());
            };
            if number == 1 || line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let record = serde_json::from_slice(&line).map_err(|e| self.broken(Some(number), &said(&e)))?;
            visit(record, Place::Line(number))?;
        }
    }

    fn document(&self, visit: &mut Visit<'_>) -> Result<(), EngineError> {
        let mut header =
            Header { format: String::new(), version: 0, chosen: super::format::Chosen::default() };
        let mut failure = None;
        let mut count = 0;
        let mut json = serde_json::Deserializer::from_reader(self.reader()?);
        let mut visit = |record| {
            count += 1;
            visit(record, Place::Number(count))
        };
        let outcome = Document { header: &mut header, visit: &mut visit, failure: &mut failure }
            .deserialize(&mut json)
            .and_then(|()| json.end());
        if let Some(failure) = failure {
            return Err(failure);
        }
        outcome.map_err(|e| {
            if header.format == NAME {
                self.broken(Some(e.line() as u64), &said(&e))
            } else {
                self.not_ours()
            }
        })?;
        self.check(&header)
    }

    fn check(&self, header: &Header) -> Result<(), EngineError> {
        if header.format != NAME {
            return Err(self.not_ours());
        }
        if header.version > VERSION {
            return Err(EngineError::invalid(
                format!(
                    "{}: unsupported export version {}; this hark reads up to {VERSION}",
                    self.path.display(),
                    header.version
                ),
                "update hark and try again; nothing was imported",
            ));
        }
        Ok(())
    }

    fn not_ours(&self) -> EngineError {
        EngineError::invalid(
            format!("{} is not an export of hark", self.path.display()),
            "`hark export` makes exports; import from other tools with `hark migrate`, and notes with \
             `hark bootstrap`",
        )
    }

    fn locked(&self) -> EngineError {
        EngineError::invalid(
            format!("{}: the passphrase is wrong", self.path.display()),
            "check the passphrase; if it is the right one, the file was damaged: export it again",
        )
    }

    fn broken(&self, line: Option<u64>, what: &dyn fmt::Display) -> EngineError {
        let line = line.map_or(String::new(), |line| format!(" line {line}:"));
        EngineError::invalid(
            format!("{}:{line} {what}", self.path.display()),
            "the file is incomplete or was changed; export it again",
        )
    }
}

/// The message without the place, which it would say a second time.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // An error may quote the text, which may contain a secret: report only the safe part.
    let kind = match error.classify() {
        serde_json::error::Category::Eof => "the file is truncated".to_owned(),
        serde_json::error::Category::Syntax => "is not JSON".to_owned(),
        serde_json::error::Category::Data => match text.split(" at line ").next() {
            Some(text) if text.starts_with("missing field") => text.to_owned(),
            _ => "is not a record of an export".to_owned(),
        },
        serde_json::error::Category::Io => text,
    };
    format!("{kind} (column {})", error.column())
}

fn missing(path: &Path, error: std::io::Error) -> EngineError {
    if error.kind() == std::io::ErrorKind::NotFound {
        EngineError::invalid(format!("{}: no such file", path.display()), "pass an export of hark")
    } else {
        io_error(path, error)
    }
}

/// `None` at the end.
fn read_line(reader: &mut Box<dyn BufRead>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = reader.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    match read {
        0 => Ok(None),
        _ if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') => {
            Err(io::Error::other(format!("is longer than {} MB", LONGEST_LINE / 1024 / 1024)))
        }
        _ => Ok(Some(line)),
    }
}

/// The top of a document: keys in any order, records handed on as they come.
struct Document<'a> {
    header: &'a mut Header,
    visit: &'a mut dyn FnMut(Record) -> Result<(), EngineError>,
    failure: &'a mut Option<EngineError>,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export of hark")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" => self.header.format = map.next_value()?,
                "version" => self.header.version = map.next_value()?,
                section if SECTIONS.contains(&section) => {
                    let records = Records { visit: &mut *self.visit, failure: &mut *self.failure };
                    map.next_value_seed(records)?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct Records<'a> {
    visit: &'a mut dyn FnMut(Record) -> Result<(), EngineError>,
    failure: &'a mut Option<EngineError>,
}

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut records: A) -> Result<(), A::Error> {
        while let Some(record) = records.next_element::<Record>()? {
            if let Err(failure) = (self.visit)(record) {
                *self.failure = Some(failure);
                return Err(serde::de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}
