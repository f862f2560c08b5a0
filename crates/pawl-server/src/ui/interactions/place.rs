//! Places in a list, as addresses have them.

use pawl_engine::intake::list::InteractionPlace;
use pawl_model::InteractionId;
use time::OffsetDateTime;
use uuid::Uuid;

/// A place as a word: when, which, and by what it is sorted, where that is not the time.
pub(super) fn write(place: &InteractionPlace) -> String {
    // Times are kept to the microsecond.
    let microseconds = (place.created_at.unix_timestamp_nanos() / 1_000).to_string();
    let id = place.id.0.simple().to_string();
    let key = place.key.map(|key| key.to_string());
    [Some(microseconds), Some(id), key]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("_")
}

/// The place of a word, if it is one of ours.
pub(super) fn read(word: &str) -> Option<InteractionPlace> {
    let mut parts = word.split('_');
    let microseconds: i64 = parts.next()?.parse().ok()?;
    let id = Uuid::try_parse(parts.next()?).ok()?;
    let key = parts.next().map(str::parse::<f64>).transpose().ok()?;
    let is_whole = parts.next().is_none() && key.is_none_or(f64::is_finite);
    is_whole.then_some(InteractionPlace {
        key,
        created_at: OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds) * 1_000).ok()?,
        id: InteractionId(id),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_and_nothing_else_does() {
        for key in [None, Some(0.1 + 0.2), Some(1_240.0), Some(-0.5)] {
            let place = InteractionPlace {
                key,
                created_at: OffsetDateTime::UNIX_EPOCH + time::Duration::microseconds(1_234_567_890_123),
                id: InteractionId(Uuid::from_u128(7)),
            };
            assert_eq!(read(&write(&place)), Some(place));
        }
        let id = "00000000000000000000000000000007";
        for odd in ["", "1", "_", "x_y", "1_7", "99999999999999999999_1"] {
            assert_eq!(read(odd), None, "{odd}");
        }
        for odd in ["_x", "_NaN", "_inf", "_1_2"] {
            assert_eq!(read(&["1_", id, odd].concat()), None, "{odd}");
        }
    }
}
