use pawl_testkit::samples;
use time::macros::datetime;

use super::*;

fn past(rows: u32, days: u16, zone: &str) -> Past {
    let plan = HistoryPlan {
        user: samples::user(1).id,
        rows,
        days,
        until: None,
        random_seed: 7,
    };
    let zone = Zone::named(zone).unwrap();
    Past::new(plan, &zone, datetime!(2026-11-28 13:47:12 UTC))
}

#[test]
fn a_history_has_all_its_rows_in_order_and_ends_with_the_present_hour() {
    for (rows, days, zone) in [
        (20_000, 30, "Europe/Berlin"),
        (1, 1, "UTC"),
        (999, 400, "Asia/Kolkata"),
        (50, 45, "America/New_York"),
    ] {
        let mut past = past(rows, days, zone);
        let span = past.span();
        let times: Vec<_> = past.by_ref().map(|one| one.created_at.unwrap()).collect();
        assert_eq!(times.len() as u32, rows);
        assert!(times.is_sorted(), "{zone}");
        assert!(times.iter().all(|at| span.contains(at)), "{zone}");
        assert_eq!((span.end - span.start).whole_days(), i64::from(days));
        assert!(span.end <= datetime!(2026-11-28 13:47:12 UTC) && span.end.minute() == 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_history_and_another_one_another() {
    let all = |past: Past| past.collect::<Vec<_>>();
    assert_eq!(all(past(500, 30, "UTC")), all(past(500, 30, "UTC")));
    let mut other = past(500, 30, "UTC");
    other.agent.random_seed = 8;
    assert_ne!(all(past(500, 30, "UTC"))[0].prompt, all(other)[0].prompt);
}

#[test]
fn weeks_and_days_have_their_shape_in_the_zone_of_the_tenant() {
    let zone = Zone::named("Asia/Tokyo").unwrap();
    let local: Vec<_> = past(20_000, 28, "Asia/Tokyo")
        .map(|one| zone.local(one.created_at.unwrap()))
        .collect();
    let count = |of: &dyn Fn(&OffsetDateTime) -> bool| local.iter().filter(|at| of(at)).count();
    let night = count(&|at| (1..5).contains(&at.hour()));
    let morning = count(&|at| (9..13).contains(&at.hour()));
    assert!(morning > night * 8, "{morning} in the morning, {night} at night");
    let (monday, sunday) = (
        count(&|at| at.weekday() == Weekday::Monday),
        count(&|at| at.weekday() == Weekday::Sunday),
    );
    assert!(monday > sunday * 2, "{monday} on Mondays, {sunday} on Sundays");
}

#[test]
fn an_incident_of_two_hours_is_planted_in_office_hours() {
    let mut past = past(20_000, 30, "Europe/Berlin");
    let incident = past.incident();
    assert_eq!(incident.hours.end - incident.hours.start, Duration::hours(2));
    assert!(OFFICE_HOURS.contains(&incident.hours.start.hour()));
    assert!(incident.interactions > 20, "{incident:?}");
    let (mut inside, mut flagged) = (0, 0);
    for one in past.by_ref() {
        let has_flag = one.flags.iter().any(|flag| flag == incident.flag);
        if incident.hours.contains(&one.created_at.unwrap()) {
            inside += 1;
            flagged += u32::from(has_flag);
        } else {
            assert!(!has_flag);
        }
    }
    assert_eq!(inside, incident.interactions);
    assert!(flagged * 10 > inside * 7, "{flagged} of {inside}");
    assert_eq!(
        self::past(10, 1, "UTC").incident().hours.end.hour()
            - self::past(10, 1, "UTC").incident().hours.start.hour(),
        2
    );
}
