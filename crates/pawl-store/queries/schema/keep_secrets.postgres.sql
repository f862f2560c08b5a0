insert into _pawl_secrets (jwt_secret, ingestion_secret, created_at)
values ($1, $2, $3)
on conflict (id) do nothing
