select max(version) as version from _pawl_migrations where success
