//! Reads one file from where the last run stopped to its end.

use std::fs::{self, File};
use std::io::{self, Read};

use hark_core::Timestamp;
use hark_files::regular;
use hark_hosts::transcript::{Shape, Skip, Told};
use hark_store::{Cursor, SourceFile, opencode};

use super::batch::Batch;
use super::find::Job;
use super::lines::{Line, Lines};
use super::mark;
use super::report::Report;
use super::watch::Watch;
use crate::engine::Engine;
use crate::error::EngineError;

/// A longer document is skipped, because it would have to fit in memory as a whole.
const MOST_DOCUMENT: u64 = 32 * 1024 * 1024;
/// The cursor moves at least once per this many bytes.
const STRIDE: u64 = 16 * 1024 * 1024;
/// The number of database rows per query.
const ROWS: usize = 200;

/// Reads what is new in a file. A file that cannot be read is reported and does not stop the run.
pub(super) fn file(
    engine: &mut Engine,
    job: &Job,
    report: &mut Report,
    watch: &mut Watch<'_>,
) -> Result<(), EngineError> {
    let text = job.path.to_string_lossy();
    let source = SourceFile {
        host: job.transcripts.host,
        key: blake3::hash(text.as_bytes()).to_hex()[..32].to_owned(),
        path: engine.clean(&text),
    };
    let known = engine.store.cursor(&source)?;
    let (size, mtime) = (i64::try_from(job.size).unwrap_or(i64::MAX), job.mtime);
    if known.as_ref().is_some_and(|cursor| cursor.size == size && cursor.mtime == mtime) {
        report.files.unchanged += 1;
        watch.passed(job.size);
        return Ok(());
    }
    let shown = source.path.to_string();
    let end = Cursor { size, mtime, ..known.clone().unwrap_or_default() };
    let batch = Batch::new(engine, source, &job.path, Timestamp::from_millis(mtime))
        .secondhand(job.transcripts.secondhand);
    let reading = Reading { job, known, end, batch, report, watch };
    let outcome = match job.transcripts.shape {
        Shape::Lines => reading.lines(),
        Shape::Document => reading.document(),
        Shape::Database => reading.database(),
    };
    match outcome {
        Ok(()) => {
            report.files.read += 1;
            Ok(())
        }
        // It was deleted since it was found, or is not readable.
        Err(Failure::File(error)) => {
            report.trouble(&shown, &error);
            Ok(())
        }
        Err(Failure::Store(error)) => Err(error),
    }
}

enum Failure {
    File(String),
    Store(EngineError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::File(error.to_string())
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Failure::Store(error)
    }
}

struct Reading<'a, 'w> {
    job: &'a Job,
    known: Option<Cursor>,
    /// The cursor after the whole file has been read.
    end: Cursor,
    batch: Batch<'a>,
    report: &'a mut Report,
    watch: &'a mut Watch<'w>,
}

impl Reading<'_, '_> {
    fn lines(mut self) -> Result<(), Failure> {
        let mut file = regular::open(&self.job.path)?;
        self.end.inode = mark::inode(&file);
        let from = match &self.known {
            None => 0,
            Some(cursor) => {
                let offset = u64::try_from(cursor.offset).unwrap_or(0);
                if mark::of(&mut file, offset)?.as_deref() == Some(&cursor.mark) {
                    offset
                } else {
                    self.report.files.replaced += 1;
                    0
                }
            }
        };
        self.watch.passed(from);
        let mut marked = file.try_clone()?;
        let mut lines = Lines::new(regular::open(&self.job.path)?, from)?;
        let mut reader = self.job.transcripts.reader(&self.job.path);
        let mut told = Told::default();
        let (mut told_to, mut flushed_at) = (from, from);
        loop {
            match lines.next()? {
                Line::Whole { text, at } => {
                    if !text.trim_ascii().is_empty() {
                        self.report.records += 1;
                        reader.read(text, at, &mut told);
                    }
                }
                Line::TooLong => {
                    self.report.records += 1;
                    told.skip(Skip::TooLong);
                }
                Line::End => break,
            }
            self.batch.take(&mut told, self.report);
            let position = lines.position();
            if self.batch.is_full() || position - flushed_at > STRIDE {
                let offset = reader.waits_since().unwrap_or(position).min(position);
                let cursor = Cursor { size: -1, ..self.moved(&mut marked, offset)? };
                self.batch.flush(&cursor, self.report)?;
                self.report.bytes += position - told_to;
                self.watch.read(position - told_to);
                (told_to, flushed_at) = (position, position);
                if self.watch.is_over() {
                    return Ok(());
                }
            }
        }
        let position = lines.position();
        self.report.bytes += position - told_to;
        self.watch.read(position - told_to);
        let offset = reader.waits_since().unwrap_or(position).min(position);
        let cursor = self.moved(&mut marked, offset)?;
        Ok(self.batch.flush(&cursor, self.report)?)
    }

    fn moved(&self, file: &mut File, offset: u64) -> Result<Cursor, Failure> {
        let mark = mark::of(file, offset)?.unwrap_or_default();
        Ok(Cursor { offset: i64::try_from(offset).unwrap_or(i64::MAX), mark, ..self.end.clone() })
    }

    fn document(mut self) -> Result<(), Failure> {
        let mut file = regular::open(&self.job.path)?;
        self.end.inode = mark::inode(&file);
        self.report.records += 1;
        if self.job.size > MOST_DOCUMENT {
            self.report.skip(Skip::TooLong, 1);
            return Ok(self.batch.flush(&self.end, self.report)?);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.job.size).unwrap_or(0));
        file.by_ref().take(MOST_DOCUMENT).read_to_end(&mut bytes)?;
        let mut told = Told::default();
        self.job.transcripts.reader(&self.job.path).read(&bytes, 0, &mut told);
        self.report.bytes += bytes.len() as u64;
        self.watch.read(bytes.len() as u64);
        self.batch.take(&mut told, self.report);
        self.end.offset = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        Ok(self.batch.flush(&self.end, self.report)?)
    }

    fn database(mut self) -> Result<(), Failure> {
        let mut reader = self.job.transcripts.reader(&self.job.path);
        let known = self.known.take().unwrap_or_default();
        let (mut since, mut after) = (known.offset, known.mark);
        let mut told = Told::default();
        self.end.inode = regular::open(&self.job.path).map_or(0, |file| mark::inode(&file));
        loop {
            let fetched = opencode::parts(&self.job.path, since, &after, ROWS);
            let (rows, too_long) = fetched.map_err(|e| Failure::File(e.to_string()))?;
            self.report.skip_some(Skip::TooLong, too_long);
            for row in &rows {
                self.report.records += 1;
                self.report.bytes += row.json.len() as u64;
                if !row.json.is_empty() {
                    reader.read(row.json.as_bytes(), 0, &mut told);
                }
                (since, after) = (row.updated, row.id.clone());
            }
            self.batch.take(&mut told, self.report);
            let is_last = rows.len() < ROWS;
            let size = if is_last { self.end.size } else { -1 };
            let cursor = Cursor { offset: since, mark: after.clone(), size, ..self.end.clone() };
            self.batch.flush(&cursor, self.report)?;
            if is_last || self.watch.is_over() {
                self.watch.read(fs::metadata(&self.job.path).map_or(0, |meta| meta.len()));
                return Ok(());
            }
        }
    }
}
