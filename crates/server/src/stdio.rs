//! MCP for the one client that started this process.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, mpsc as std_mpsc};
use std::thread;
use std::time::Duration;

use hark_engine::operation::Family;
use tokio::runtime;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::calls::{Calls, threads};
use crate::error::ServeError;
use crate::mcp::{Handler, Input, Place, Shared, serve_lines};
use crate::pool::Pool;
use crate::signal::told_to_stop;
use crate::{MAX_MESSAGE_BYTES, parent};

/// How long calls may go on after the client has gone.
const GRACE: Duration = Duration::from_millis(500);

/// Lines read ahead of the service.
const READ_AHEAD: usize = 8;

/// Serves until stdin ends, the parent process dies, or a signal says so; then returns, with calls still
/// running left to end with the process.
///
/// stdin and stdout have a thread each: clients hand over pipes, sockets, files or terminals, and blocking
/// reads and writes work on all of them alike.
pub fn serve_stdio(pool: Arc<Pool>, families: &[Family]) -> Result<(), ServeError> {
    let shared = Shared::new(Calls::new(pool), families);
    let parent_died = parent::died();
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(threads())
        .build()
        .map_err(ServeError::Runtime)?;
    let result = runtime.block_on(serve(shared, parent_died));
    runtime.shutdown_background();
    result
}

async fn serve(
    shared: Arc<Shared>,
    parent_died: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let stop = Arc::new(Notify::new());
    let over = Arc::new(Notify::new());
    let (input_tx, input) = mpsc::channel(READ_AHEAD);
    let (output, output_rx) = std_mpsc::channel();
    let written = Arc::new(Notify::new());

    thread::Builder::new()
        .name("stdin".into())
        .spawn(move || read_lines(io::stdin().lock(), &input_tx))
        .map_err(ServeError::Runtime)?;
    thread::Builder::new()
        .name("stdout".into())
        .spawn({
            let (written, stop) = (Arc::clone(&written), Arc::clone(&stop));
            move || {
                if write_lines(io::stdout().lock(), &output_rx).is_err() {
                    // The client no longer reads answers.
                    stop.notify_one();
                }
                written.notify_one();
            }
        })
        .map_err(ServeError::Runtime)?;
    tokio::spawn({
        let stop = Arc::clone(&stop);
        async move {
            tokio::select! {
                () = parent_died => {}
                () = told_to_stop() => {}
            }
            stop.notify_one();
        }
    });

    let handler = Handler::new(shared, Arc::new(Place::beside_client()));
    let serving = serve_lines(handler, input, output, stop, Arc::clone(&over));
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => {}
        () = over.notified() => {
            let deadline = Instant::now() + GRACE;
            let _ = tokio::time::timeout_at(deadline, serving).await.is_ok();
        }
    }
    // The sender went with the service, so the writer ends once it has written everything.
    let _ = tokio::time::timeout(Duration::from_millis(100), written.notified()).await.is_ok();
    Ok(())
}

fn read_lines(mut stdin: impl BufRead, input: &mpsc::Sender<Input>) {
    let mut line = Vec::new();
    let mut skipping = false;
    loop {
        let chunk = match stdin.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        if chunk.is_empty() {
            break;
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(chunk.len(), |at| at + 1);
        if !skipping && line.len() + taken > MAX_MESSAGE_BYTES {
            skipping = true;
            line = Vec::new();
            if input.blocking_send(Input::TooLong).is_err() {
                return;
            }
        }
        if !skipping {
            line.extend_from_slice(&chunk[..taken]);
        }
        stdin.consume(taken);
        if end.is_some() {
            let whole = std::mem::take(&mut line);
            let lost = !skipping && input.blocking_send(Input::Line(whole)).is_err();
            skipping = false;
            if lost {
                return;
            }
        }
    }
    if !line.is_empty() {
        // A last line need not be terminated.
        let _ = input.blocking_send(Input::Line(line)).is_ok();
    }
}

fn write_lines(mut stdout: impl Write, output: &std_mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    for line in output {
        stdout.write_all(&line)?;
        stdout.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], buffer: usize) -> Vec<Option<Vec<u8>>> {
        let (tx, mut rx) = mpsc::channel(100);
        read_lines(io::BufReader::with_capacity(buffer, text), &tx);
        drop(tx);
        let mut lines = Vec::new();
        while let Some(input) = rx.blocking_recv() {
            lines.push(match input {
                Input::Line(line) => Some(line.trim_ascii().to_vec()),
                Input::TooLong => None,
            });
        }
        lines
    }

    #[test]
    fn lines_come_whole_whatever_the_buffer() {
        for buffer in [1, 3, 1000] {
            assert_eq!(
                lines(b"one\ntwo\r\n\nlast", buffer),
                [Some(b"one".to_vec()), Some(b"two".to_vec()), Some(Vec::new()), Some(b"last".to_vec())]
            );
        }
    }

    #[test]
    fn a_line_too_long_is_skipped_to_its_end() {
        let mut text = b"a\n".to_vec();
        text.resize(text.len() + MAX_MESSAGE_BYTES + 1, b'x');
        text.extend_from_slice(b"\nb\n");
        assert_eq!(lines(&text, 64 * 1024), [Some(b"a".to_vec()), None, Some(b"b".to_vec())]);
    }
}
