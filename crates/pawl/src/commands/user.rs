//! `pawl user`.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use anyhow::Context as _;
use pawl_engine::auth::{AccountChange, AuthError, EmailAddress, NewAccount, Page, SecretString};
use pawl_engine::{Actor, Engine, EngineError};
use pawl_model::Account;
use serde_json::json;

use crate::cli::{UserAddArgs, UserCommand, UserListArgs, UserPasswdArgs};
use crate::exit::{Exit, Usage};

/// Users that are read at once.
const PAGE: u32 = 500;

/// Adds and lists users, and sets their passwords.
pub(crate) async fn user(command: UserCommand) -> anyhow::Result<Exit> {
    match command {
        UserCommand::Add(args) => add(args).await,
        UserCommand::List(args) => list(args).await,
        UserCommand::Passwd(args) => passwd(args).await,
    }
}

async fn add(args: UserAddArgs) -> anyhow::Result<Exit> {
    let password = if args.password_stdin {
        Some(read_password()?)
    } else {
        None
    };
    let new = NewAccount {
        id: args.id,
        password,
        ..NewAccount::of(EmailAddress::parse(&args.email).map_err(EngineError::from)?)
    };
    let engine = super::open(&args.database).await?;
    let account = engine.add_account(&new).await.map_err(EngineError::from)?;
    engine.close().await;
    if new.password.is_none() {
        let hint = "without a password nobody can log in as this user: set one by `pawl user passwd`";
        writeln!(anstream::stderr(), "{hint}")?;
    }
    show(&account, args.json)?;
    Ok(Exit::Passed)
}

async fn list(args: UserListArgs) -> anyhow::Result<Exit> {
    let engine = super::open(&args.database).await?;
    let mut offset = 0;
    loop {
        let page = Page { limit: PAGE, offset };
        let (accounts, _) = engine.accounts(page).await.map_err(EngineError::from)?;
        for account in &accounts {
            show(account, args.json)?;
        }
        if accounts.len() < PAGE as usize {
            break;
        }
        offset += u64::from(PAGE);
    }
    engine.close().await;
    Ok(Exit::Passed)
}

async fn passwd(args: UserPasswdArgs) -> anyhow::Result<Exit> {
    let engine = super::open(&args.database).await?;
    let Actor::Tenant(id) = engine.actor(Some(&args.user)).await? else {
        return Err(EngineError::from(AuthError::UnknownUser).into());
    };
    let password = if args.password_stdin || !io::stdin().is_terminal() {
        read_password()?
    } else {
        ask_password()?
    };
    set(&engine, id, password).await?;
    engine.close().await;
    writeln!(
        anstream::stderr(),
        "the password is set; all log-ins of {} have ended",
        args.user
    )?;
    Ok(Exit::Passed)
}

async fn set(engine: &Engine, id: pawl_model::UserId, password: SecretString) -> Result<(), EngineError> {
    let change = AccountChange {
        password: Some(password),
        ..AccountChange::default()
    };
    engine.change_account(id, &change).await?;
    Ok(())
}

/// The first line of standard input.
fn read_password() -> anyhow::Result<SecretString> {
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .context("cannot read the password")?;
    Ok(line.trim_end_matches(['\r', '\n']).into())
}

/// Asks twice on the terminal, which shows nothing of it.
fn ask_password() -> anyhow::Result<SecretString> {
    let password = rpassword::prompt_password("New password: ").context("cannot read the password")?;
    let again = rpassword::prompt_password("Once more: ").context("cannot read the password")?;
    if password != again {
        return Err(Usage("the two passwords differ".to_owned()).into());
    }
    Ok(password.into())
}

fn show(account: &Account, json: bool) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    let email = account.email.as_deref();
    if json {
        return writeln!(stdout, "{}", json!({"id": account.id, "email": email}));
    }
    let owner = if account.is_owner { "  owner" } else { "" };
    writeln!(
        stdout,
        "{}  {}{owner}",
        account.id,
        email.unwrap_or("(no e-mail address)")
    )
}
