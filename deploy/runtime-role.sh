#!/bin/bash
# Run by PostgreSQL's image when it makes the database: the role that servers and workers connect as, with a password that
# they know. `pawl migrate` gives it its rights.
set -euo pipefail

psql --set=ON_ERROR_STOP=1 --set=password="$PAWL_APP_PASSWORD" \
    --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role pawl_app login nosuperuser nobypassrls password :'password';
SQL
