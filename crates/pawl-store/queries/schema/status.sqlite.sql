select
    sqlite_version(),
    (select max(version) from _pawl_migrations where success),
    (select page_count * page_size from pragma_page_count(), pragma_page_size()),
    null,
    null
where $1 is null
