//! Where a request comes from, for limits that count by address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::AppState;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Whom a limit counts: an IPv4 address, or the network of an IPv6 address that one subscriber has (its first 64 bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClientAddress(IpAddr);

impl ClientAddress {
    pub(super) fn of_request(parts: &Parts, state: &AppState) -> Self {
        let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = connection.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip());
        Self::of(peer, &parts.headers, state.settings.trusted_proxies)
    }

    /// Behind so many proxies of ours, each of which appended where it was called from, the address is so many
    /// entries from the end; whatever stands before may be anybody's invention.
    fn of(peer: IpAddr, headers: &HeaderMap, trusted_proxies: usize) -> Self {
        let forwarded: Vec<&str> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        let from_proxies = trusted_proxies
            .checked_sub(1)
            .and_then(|skipped| forwarded.into_iter().rev().nth(skipped))
            .and_then(|address| address.trim().parse().ok());
        Self(subscriber(from_proxies.unwrap_or(peer)))
    }
}

fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_what_our_proxies_said_counts() {
        let mut headers = HeaderMap::new();
        headers.append(FORWARDED_FOR, HeaderValue::from_static("6.6.6.6, 1.2.3.4"));
        headers.append(FORWARDED_FOR, HeaderValue::from_static("10.0.0.2"));
        let peer: IpAddr = "10.0.0.1".parse().unwrap();
        for (proxies, address) in [(0, "10.0.0.1"), (1, "10.0.0.2"), (2, "1.2.3.4"), (9, "10.0.0.1")] {
            let found = ClientAddress::of(peer, &headers, proxies);
            assert_eq!(found.0.to_string(), address, "behind {proxies}");
        }
        headers.append(FORWARDED_FOR, HeaderValue::from_static("unknown"));
        assert_eq!(ClientAddress::of(peer, &headers, 1).0, peer);
    }

    #[test]
    fn a_subscriber_of_ipv6_is_counted_once() {
        for (address, counted) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("::ffff:1.2.3.4", "1.2.3.4"),
            ("1.2.3.4", "1.2.3.4"),
        ] {
            assert_eq!(subscriber(address.parse().unwrap()).to_string(), counted);
        }
    }
}
