//! `pawl migrate`.

use std::io::Write as _;

use pawl_engine::Engine;

use crate::cli::MigrateArgs;
use crate::exit::Exit;

/// Migrates PostgreSQL as its owner and prints the URL that everything else takes.
pub(crate) async fn migrate(args: MigrateArgs) -> anyhow::Result<Exit> {
    let migrated = Engine::migrate(&args.database_url, args.runtime_role.as_deref()).await?;
    let mut stderr = anstream::stderr();
    writeln!(stderr, "the schema is at version {}", migrated.version)?;
    match migrated.runtime_url {
        Some(url) => {
            if url.contains(":PASSWORD@") {
                writeln!(
                    stderr,
                    "the role existed already: put its password in place of PASSWORD"
                )?;
            }
            writeln!(anstream::stdout(), "{url}")?;
        }
        None => writeln!(
            stderr,
            "name a role by --runtime-role NAME to have it made and given its rights"
        )?,
    }
    Ok(Exit::Passed)
}
