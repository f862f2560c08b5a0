//! `pawl key`.

use std::io::{self, Write as _};

use pawl_engine::EngineError;
use pawl_engine::auth::ExposeSecret as _;
use pawl_model::ApiKey;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use crate::cli::{KeyCommand, KeyCreateArgs, KeyListArgs, KeyRevokeArgs};
use crate::exit::{Exit, Usage};

/// Makes, lists and revokes keys of programs.
pub(crate) async fn key(command: KeyCommand) -> anyhow::Result<Exit> {
    match command {
        KeyCommand::Create(args) => create(args).await,
        KeyCommand::List(args) => list(args).await,
        KeyCommand::Revoke(args) => revoke(args).await,
    }
}

async fn create(args: KeyCreateArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let made = engine
        .create_api_key(user, args.scope.into())
        .await
        .map_err(EngineError::from)?;
    engine.close().await;
    let text = made.text.expose_secret();
    let mut stdout = anstream::stdout().lock();
    if args.json {
        let mut document = described(&made.key);
        document["key"] = Value::from(text);
        writeln!(stdout, "{document}")?;
    } else {
        let id = made.key.id;
        writeln!(
            anstream::stderr(),
            "key {id}; this is the only time that it is shown:"
        )?;
        writeln!(stdout, "{text}")?;
    }
    Ok(Exit::Passed)
}

async fn list(args: KeyListArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let keys = engine.api_keys(user).await.map_err(EngineError::from)?;
    engine.close().await;
    for key in &keys {
        show(key, args.json)?;
    }
    Ok(Exit::Passed)
}

async fn revoke(args: KeyRevokeArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let was_there = engine
        .revoke_api_key(user, args.id)
        .await
        .map_err(EngineError::from)?;
    engine.close().await;
    if !was_there {
        let message = format!("this user has no key {}: `pawl key list` shows them", args.id);
        return Err(Usage(message).into());
    }
    writeln!(anstream::stderr(), "key {} is revoked", args.id)?;
    Ok(Exit::Passed)
}

fn described(key: &ApiKey) -> Value {
    json!({
        "id": key.id,
        "user_id": key.user_id,
        "scope": key.scope.as_str(),
        "last_four": key.last_four,
        "created_at": key.created_at.format(&Rfc3339).ok(),
    })
}

fn show(key: &ApiKey, json: bool) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    if json {
        return writeln!(stdout, "{}", described(key));
    }
    let (id, scope, last_four) = (key.id, key.scope.as_str(), &key.last_four);
    writeln!(
        stdout,
        "{id}  {scope:<6}  …{last_four}  {}",
        key.created_at.date()
    )
}
