//! A small HTTP server that answers from a script.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends these bytes, ends the connection.
    Raw(Vec<u8>),
    /// Says nothing for longer than any test runs.
    Silence,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Request line and header fields.
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Reply {
    /// A whole response with this status line, these header fields and this body.
    pub(crate) fn new(status: &str, fields: &[&str], body: &[u8]) -> Self {
        let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status}\r\n{fields}content-length: {length}\r\nconnection: close\r\n\r\n");
        Self::Raw([head.as_bytes(), body].concat())
    }
}

impl Server {
    /// Serves these replies in the order of the requests, the last one for ever.
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&received);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, Arc::clone(&log), replies.clone()));
            }
        });
        Self { address, received }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, log: Arc<Mutex<Vec<Received>>>, replies: Vec<Reply>) {
    let request = read(&mut stream).await;
    let number = {
        let mut log = log.lock().unwrap();
        log.push(request);
        log.len() - 1
    };
    match replies.get(number).or(replies.last()) {
        Some(Reply::Raw(bytes)) => {
            // The client may have had enough before the end.
            let _ = stream.write_all(bytes).await;
        }
        Some(Reply::Silence) | None => tokio::time::sleep(Duration::from_secs(3_600)).await,
    }
}

async fn read(stream: &mut TcpStream) -> Received {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4_096];
    loop {
        let length = stream.read(&mut chunk).await.unwrap();
        bytes.extend_from_slice(&chunk[..length]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let whole = if head.starts_with("GET ") {
                Some(Value::Null)
            } else {
                serde_json::from_str(body).ok()
            };
            if let Some(body) = whole {
                let head = head.to_owned();
                return Received { head, body };
            }
        }
        assert!(length > 0, "the client ended in the middle of a request");
    }
}
