delete from auth.browser_sessions
where user_id = $2 and (user_id = $1 or $1 is null) and (
    rotated_at < $3
    or created_at < $4
    or id not in (
        select id
        from auth.browser_sessions
        where user_id = $2
        order by rotated_at desc, id desc
        limit $5
    )
)
