do $$
declare
    runtime_role text := current_setting('pawl.runtime_role');
begin
    if not exists (select from pg_roles where rolname = runtime_role) then
        execute format('create role %I login nosuperuser nobypassrls password %L', runtime_role,
            current_setting('pawl.runtime_password'));
        perform set_config('pawl.created', 'yes', true);
    end if;
    execute format('grant usage on schema public, auth to %I', runtime_role);
    execute format('grant select, insert, update, delete on all tables in schema public to %I', runtime_role);
    execute format('grant select, insert, update, delete on auth.users, auth.credentials, auth.sessions,'
        ' auth.refresh_tokens, auth.browser_sessions, auth.api_keys to %I', runtime_role);
    execute format('revoke insert, update, delete on _pawl_migrations from %I', runtime_role);
    execute format('revoke update, delete on lineage, lineage_parents from %I', runtime_role);
end
$$
