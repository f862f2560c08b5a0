//! Values of options that several commands have, and what is said of one that is none.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::time::Duration;

use pawl_model::{RunId, UserId};

pub(super) fn run_id(text: &str) -> Result<RunId, String> {
    text.parse()
        .map_err(|_| "a run is named by its id, as `pawl run` prints it".to_owned())
}

pub(super) fn listened(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "expected an IP address and a port, such as 127.0.0.1:8787".to_owned())
}

pub(super) fn user_id(text: &str) -> Result<UserId, String> {
    text.parse()
        .map_err(|_| "expected a UUID, as `pawl user list` shows them".to_owned())
}

pub(super) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.0..=1.0).contains(&rate) => Ok(rate),
        _ => Err("must be a number from 0 to 1, such as 0.95".to_owned()),
    }
}

pub(super) fn concurrency(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(number) if number.get() <= 4_096 => Ok(number),
        _ => Err("must be a number from 1 to 4,096".to_owned()),
    }
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "must be a number of seconds above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused() {
        assert!(rate("1.1").is_err() && rate("NaN").is_err() && rate("0.5").is_ok());
        assert!(seconds("0").is_err() && seconds("inf").is_err() && seconds("0.25").is_ok());
        assert!(concurrency("0").is_err() && concurrency("5000").is_err() && concurrency("16").is_ok());
    }
}
