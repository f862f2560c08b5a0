//! The scripted model server as a program, for clients in other languages: it reads a script, prints the variables by
//! which it is found as one JSON object, and ends when its standard input does.
//!
//! ```sh
//! cargo run -p pawl-testkit --features models --example model_server -- script.json
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;

use pawl_testkit::{ModelServer, Script};
use tokio::io::AsyncReadExt as _;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: model_server SCRIPT.json")?;
    let script: Script = serde_json::from_slice(&std::fs::read(path)?)?;
    let server = ModelServer::start(script).await;
    let variables = [server.variables(), server.vertex_variables()].concat();
    let variables: BTreeMap<_, _> = variables.into_iter().collect();
    let mut output = std::io::stdout();
    writeln!(output, "{}", serde_json::to_string(&variables)?)?;
    output.flush()?;
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    Ok(())
}
