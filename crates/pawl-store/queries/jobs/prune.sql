delete from jobs
where (user_id = $1 or $1 is null)
    and (state = 'finished' and finished_at < $2 or state = 'dead' and finished_at < $3)
