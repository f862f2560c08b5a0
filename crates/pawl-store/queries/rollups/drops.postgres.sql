-- By quarter of an hour: offsets of time zones are multiples of it.
select reason, to_timestamp(floor(extract(epoch from first_at) / 900) * 900), count(*)
from intake_ledger
where (user_id = $1 or $1 is null) and user_id = $2 and first_at >= $3 and first_at < $4
group by 1, 2
