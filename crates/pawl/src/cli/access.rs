//! Who is let in: `pawl keys`, `pawl user`, `pawl key`.

use clap::{Args, Subcommand, ValueEnum};
use pawl_model::{ApiKeyId, KeyScope, UserId};

use super::values::user_id;
use super::{DatabaseArgs, TenantArgs};

/// `pawl keys`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl keys
  pawl keys --env >> .env
  pawl keys --json | jq -r .anon_key

The service role key and the ingestion secret let in whoever has them: keep them out of \
browsers and repositories.")]
pub(crate) struct KeysArgs {
    /// Print JSON
    #[arg(long, conflicts_with = "env")]
    pub(crate) json: bool,
    /// Print variables as Supabase's clients read them
    #[arg(long)]
    pub(crate) env: bool,
    /// Where clients reach the server
    #[arg(
        long,
        env = "PAWL_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8787",
        hide_env_values = true
    )]
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl user`.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user; the first one owns what was there before
    Add(UserAddArgs),
    /// List users, newest first
    List(UserListArgs),
    /// Set the password of a user, which ends all their log-ins
    Passwd(UserPasswdArgs),
}

/// `pawl user add`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl user add ann@example.org
  pass show pawl/ann | pawl user add ann@example.org --password-stdin --json")]
pub(crate) struct UserAddArgs {
    /// The e-mail address to log in by
    #[arg(value_name = "EMAIL")]
    pub(crate) email: String,
    /// The id [default: a fresh one]
    #[arg(long, value_name = "UUID", value_parser = user_id)]
    pub(crate) id: Option<UserId>,
    /// Read the password from standard input; without a password the user cannot log in
    #[arg(long)]
    pub(crate) password_stdin: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl user list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl user list
  pawl user list --json | jq -r .id")]
pub(crate) struct UserListArgs {
    /// Print JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl user passwd`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl user passwd ann@example.org
  pass show pawl/ann | pawl user passwd ann@example.org --password-stdin")]
pub(crate) struct UserPasswdArgs {
    /// Whose: an e-mail address or UUID
    #[arg(value_name = "EMAIL|UUID")]
    pub(crate) user: String,
    /// Read the password from standard input, not from the terminal
    #[arg(long)]
    pub(crate) password_stdin: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl key`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key for a program; it is shown this once
    Create(KeyCreateArgs),
    /// List the keys of a user
    List(KeyListArgs),
    /// Revoke a key, at once
    Revoke(KeyRevokeArgs),
}

/// `pawl key create`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl key create --user ann@example.org --scope ingest
  pawl key create --scope read --json | jq -r .key")]
pub(crate) struct KeyCreateArgs {
    /// What the key may be used for
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Scope,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl key list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl key list
  pawl key list --user ann@example.org --json")]
pub(crate) struct KeyListArgs {
    /// Print JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl key revoke`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl key revoke 01935d1e-8a4c-7def-9abc-def012345678")]
pub(crate) struct KeyRevokeArgs {
    /// The id of the key, as `pawl key list` shows it
    #[arg(value_name = "KEY", value_parser = key_id)]
    pub(crate) id: ApiKeyId,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

fn key_id(text: &str) -> Result<ApiKeyId, String> {
    text.parse()
        .map_err(|_| "a key is named by its id, as `pawl key list` shows it".to_owned())
}

/// What a key may be used for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Scope {
    /// Hand in interactions and traces
    Ingest,
    /// Read what the user has
    Read,
    /// As `read`, and begin and stop mining, drafts and optimisations; what people decide is not for keys
    Write,
}

impl From<Scope> for KeyScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Ingest => Self::Ingest,
            Scope::Read => Self::Read,
            Scope::Write => Self::Write,
        }
    }
}
