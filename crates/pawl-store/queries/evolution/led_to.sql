-- What a parent did on the examples that a candidate was made from and screened on, the worst first.
select p.id, p.candidate_id, p.example_id, p.score, p.feedback, p.trace, p.dimension_scores, p.created_at
from prompt_evaluations p
where (p.user_id = $1 or $1 is null) and p.candidate_id = $2 and p.example_id like 'train:%' and p.deleted_at is null
    and exists (
        select 1
        from prompt_evaluations c
        where (c.user_id = $1 or $1 is null) and c.candidate_id = $3 and c.example_id = p.example_id
            and c.deleted_at is null
    )
order by p.score, p.example_id, p.created_at, p.id
limit $4
