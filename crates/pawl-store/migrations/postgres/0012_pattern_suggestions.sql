-- A pattern names its suggestion wherever that is kept: it need not be a row of this database. Patterns of a suggestion
-- that is one go with it all the same.
alter table failure_patterns drop constraint failure_patterns_user_id_suggestion_id_fkey;

create function pawl_delete_patterns() returns trigger language plpgsql as $f$
begin
    delete from failure_patterns where user_id = old.user_id and suggestion_id = old.suggestion_id;
    return null;
end
$f$;
create trigger patterns_by_suggestion after delete on suggestions
    for each row execute function pawl_delete_patterns();
