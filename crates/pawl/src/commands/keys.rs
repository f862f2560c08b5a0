//! `pawl keys`.

use std::io::Write as _;

use pawl_engine::EngineError;
use pawl_engine::auth::ExposeSecret as _;
use serde_json::json;

use crate::cli::KeysArgs;
use crate::exit::Exit;

/// Prints what clients are given; the secrets are made where there are none yet.
pub(crate) async fn keys(args: KeysArgs) -> anyhow::Result<Exit> {
    let engine = super::open(&args.database).await?;
    let keys = engine.keys().await.map_err(EngineError::from)?;
    engine.close().await;
    let url = args.url.trim_end_matches('/');
    let (anon, service) = (keys.anon_key.as_str(), keys.service_role_key.expose_secret());
    let ingestion = keys.ingestion_secret.expose_secret();
    let mut stdout = anstream::stdout().lock();
    if args.json {
        let document = json!({
            "url": url, "anon_key": anon, "service_role_key": service, "ingestion_secret": ingestion,
        });
        writeln!(stdout, "{document:#}")?;
    } else if args.env {
        for (name, value) in [
            ("SUPABASE_URL", url),
            ("SUPABASE_ANON_KEY", anon),
            ("NEXT_PUBLIC_SUPABASE_URL", url),
            ("NEXT_PUBLIC_SUPABASE_ANON_KEY", anon),
            ("SUPABASE_SERVICE_ROLE_KEY", service),
            ("INGESTION_API_SECRET", ingestion),
        ] {
            writeln!(stdout, "{name}={value}")?;
        }
    } else {
        for (name, value) in [
            ("url", url),
            ("anon key", anon),
            ("service role key", service),
            ("ingestion secret", ingestion),
        ] {
            writeln!(stdout, "{name:<17} {value}")?;
        }
    }
    Ok(Exit::Passed)
}
