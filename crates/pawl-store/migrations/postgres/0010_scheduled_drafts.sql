-- Tests of what mining finds are drafted as it is found. Schedules of all tenants are the service's alone.
select set_config('request.jwt.claims', '{"role": "service_role"}', true);
insert into schedules (name, kind, every_seconds) values ('draft', 'draft', 600);
