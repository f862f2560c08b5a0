-- What was decided about a prompt, the newest first.
select
    id, name, kind, from_version, to_version, candidate_id, decided_by, reason, findings, created_at
from promotion_verdicts
where (user_id = $1 or $1 is null) and user_id = $2 and name = $3
order by created_at desc, id desc
limit $4
