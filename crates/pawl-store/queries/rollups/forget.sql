delete from interaction_rollups
where (user_id = $1 or $1 is null) and user_id = $2 and hour >= $3 and hour < $4
