//! Writes and reads documents of Firestore, so that other clients can be held against ours. It is found by the variables
//! of the environment; documents are JSON on standard input and output.
//!
//!     firestore_documents put COLLECTION          < {"ID": {…}}
//!     firestore_documents update COLLECTION ID    < {"PATH": …}
//!     firestore_documents get COLLECTION ID…      > {"ID": {…} or null}

use std::error::Error;
use std::io::{Write as _, stdin, stdout};

use pawl_providers::ModelSettings;
use pawl_providers::firestore::{Firestore, FirestoreSettings, Write};
use serde_json::{Map, Value};
use time::OffsetDateTime;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let variable = |name: &str| std::env::var(name).ok();
    let models = ModelSettings::from_variables(variable, || OffsetDateTime::UNIX_EPOCH)?;
    let firestore = Firestore::new(&FirestoreSettings::from_variables(variable), &models)?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["put", collection] => {
            let documents: Map<String, Value> = serde_json::from_reader(stdin())?;
            let puts = documents.into_iter().map(|(id, document)| match document {
                Value::Object(fields) => Ok(Write::put(collection, &id, fields)),
                _ => Err(format!("{id} is no object")),
            });
            firestore.commit(&puts.collect::<Result<Vec<_>, _>>()?).await?;
        }
        ["update", collection, id] => {
            let changes: Map<String, Value> = serde_json::from_reader(stdin())?;
            let changes = changes.iter().map(|(path, value)| (path.as_str(), value.clone()));
            firestore
                .commit(&[Write::update(collection, id, changes)])
                .await?;
        }
        ["get", collection, ref ids @ ..] => {
            let found = firestore.get(collection, ids).await?;
            let fields = found
                .into_iter()
                .map(|found| found.map(|document| document.fields));
            let documents: Map<String, Value> = ids
                .iter()
                .zip(fields)
                .map(|(id, fields)| ((*id).to_owned(), fields.into()))
                .collect();
            writeln!(stdout(), "{}", Value::from(documents))?;
        }
        _ => return Err("usage: firestore_documents put|update|get COLLECTION [ID]…".into()),
    }
    Ok(())
}
