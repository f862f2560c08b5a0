-- Tests of what mining finds are drafted as it is found.
insert into schedules (name, kind, every_seconds) values ('draft', 'draft', 600);
