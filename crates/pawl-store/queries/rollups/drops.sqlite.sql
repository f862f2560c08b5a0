-- By quarter of an hour: offsets of time zones are multiples of it.
select reason, first_at / 900000000 * 900000000, count(*)
from intake_ledger
where (user_id = $1 or $1 is null) and user_id = $2 and first_at >= $3 and first_at < $4
group by 1, 2
