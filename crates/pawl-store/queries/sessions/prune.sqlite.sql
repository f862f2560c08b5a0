delete from auth_sessions
where user_id = $2 and (user_id = $1 or $1 is null) and (
    refreshed_at < $3
    or id not in (
        select id
        from auth_sessions
        where user_id = $2
        order by refreshed_at desc, id desc
        limit $4
    )
)
