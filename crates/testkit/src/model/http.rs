//! The minimum of HTTP that model clients need: one request, one answer, then the connection closes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// More than any client sends.
const MOST_BODY: u64 = 64 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Message {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// `None` if the client hung up before it sent anything.
pub(super) fn read(stream: TcpStream) -> io::Result<Option<Message>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next().filter(|m| !m.is_empty()), words.next()) else {
        return Ok(None);
    };
    let (mut length, mut chunked) = (0, false);
    loop {
        let header = line(&mut reader)?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap_or((&header, ""));
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
            "expect" => writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let mut body = Vec::new();
    if chunked {
        loop {
            let size = line(&mut reader)?;
            let size =
                u64::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16).unwrap_or(0);
            reader.by_ref().take(size.min(MOST_BODY)).read_to_end(&mut body)?;
            line(&mut reader)?;
            if size == 0 {
                break;
            }
        }
    } else {
        reader.by_ref().take(length.min(MOST_BODY)).read_to_end(&mut body)?;
    }
    Ok(Some(Message { method: method.to_owned(), path: path.to_owned(), body }))
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

pub(super) struct Answer {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Answer {
    pub(super) fn json(value: &Value) -> Self {
        Answer { status: "200 OK", kind: "application/json", body: value.to_string() }
    }

    pub(super) fn missing() -> Self {
        let body = json!({ "error": { "type": "not_found_error", "message": "not part of the script" } });
        Answer { status: "404 Not Found", kind: "application/json", body: body.to_string() }
    }

    pub(super) fn events(body: String) -> Self {
        Answer { status: "200 OK", kind: "text/event-stream", body }
    }
}

/// One event of a stream.
pub(super) fn event(name: Option<&str>, data: &Value) -> String {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {data}\n\n")
}

pub(super) fn write(mut stream: TcpStream, answer: &Answer) -> io::Result<()> {
    let Answer { status, kind, body } = answer;
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}
