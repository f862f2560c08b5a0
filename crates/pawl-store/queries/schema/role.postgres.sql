select
    current_user::text as role,
    role.rolsuper as is_superuser,
    role.rolbypassrls as bypasses_rls,
    pg_has_role(current_user, owned.relowner, 'usage') as is_owner
from pg_roles as role, pg_class as owned
where role.rolname = current_user and owned.oid = 'sb_eval_runs'::regclass
