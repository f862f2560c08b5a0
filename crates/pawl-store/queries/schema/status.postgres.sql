select
    current_setting('server_version'),
    (select max(version) from _pawl_migrations where success),
    pg_database_size(current_database()),
    current_user::text,
    (
        select string_agg(class.oid::regclass::text, ', ' order by class.oid::regclass::text)
        from pg_class as class
        where class.relkind in ('r', 'p')
            and class.relnamespace in (to_regnamespace('public'), to_regnamespace('auth'))
            and class.relname <> '_pawl_migrations'
            and has_table_privilege(class.oid, 'select')
            and not (class.relrowsecurity and class.relforcerowsecurity)
    )
where $1 is null
