//! How much may be spent: reserved before a call, settled after it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Cost, Usd};

/// The most that may be spent, and whose word that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// A person set it. What has no price is refused.
    User(Usd),
    /// Nobody set it. What has no price is charged [`FLAT_CHARGE`].
    Default(Usd),
}

/// What a call without a price is charged under a cap that nobody set: $0.10.
pub const FLAT_CHARGE: Usd = Usd::from_nanos(100_000_000);

impl Cap {
    /// The amount.
    #[must_use]
    pub const fn limit(self) -> Usd {
        match self {
            Self::User(limit) | Self::Default(limit) => limit,
        }
    }
}

/// Why a call must not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// Its price is not known.
    #[error("the price of the call is not known, so that a budget of ${limit} cannot be kept")]
    UnknownPrice {
        /// The cap.
        limit: Usd,
    },
    /// It could cost more than is left.
    #[error("the call could cost ${upper}, and ${left} of the budget of ${limit} is left")]
    Exceeded {
        /// The most that it could cost.
        upper: Usd,
        /// What is neither spent nor reserved.
        left: Usd,
        /// The cap.
        limit: Usd,
    },
}

/// What was charged for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The amount.
    pub amount: Usd,
    /// Where it comes from.
    pub basis: ChargeBasis,
}

/// Where a charge comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChargeBasis {
    /// Tokens and prices.
    Measured,
    /// [`FLAT_CHARGE`], since the model has no price.
    Flat,
    /// All that was reserved, since nobody counted the tokens.
    Reserved,
}

/// Money that many calls spend at once. What is spent and what is reserved never exceed the cap together, as long as
/// no call costs more than was reserved for it.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    cap: Cap,
    account: Mutex<Account>,
}

#[derive(Debug, Default)]
struct Account {
    spent: Usd,
    reserved: Usd,
}

impl Budget {
    /// A budget of which nothing is spent.
    #[must_use]
    pub fn new(cap: Cap) -> Self {
        Self(Arc::new(Shared {
            cap,
            account: Mutex::default(),
        }))
    }

    /// Sets aside the most that a call can cost.
    ///
    /// # Errors
    /// When more than is left would be, or nobody knows how much it is and a person set the cap.
    pub fn reserve(&self, upper: Cost) -> Result<Reservation, BudgetError> {
        let cap = self.0.cap;
        let limit = cap.limit();
        let (amount, basis) = match (upper, cap) {
            (Cost::Known(upper), _) => (upper, ChargeBasis::Reserved),
            (Cost::Unknown, Cap::Default(_)) => (FLAT_CHARGE, ChargeBasis::Flat),
            (Cost::Unknown, Cap::User(_)) => return Err(BudgetError::UnknownPrice { limit }),
        };
        let mut account = self.0.account();
        let left = limit.less(account.spent + account.reserved);
        if amount > left {
            let upper = amount;
            return Err(BudgetError::Exceeded { upper, left, limit });
        }
        account.reserved += amount;
        Ok(Reservation {
            budget: Arc::clone(&self.0),
            whole: Charge { amount, basis },
            is_open: true,
        })
    }

    /// What was charged so far.
    #[must_use]
    pub fn spent(&self) -> Usd {
        self.0.account().spent
    }

    /// What is neither spent nor reserved.
    #[must_use]
    pub fn left(&self) -> Usd {
        let account = self.0.account();
        self.0.cap.limit().less(account.spent + account.reserved)
    }
}

impl Shared {
    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Money set aside for one call. Dropping it charges all of it: a call that was given up may be billed nevertheless.
#[derive(Debug)]
#[must_use = "what is not settled is charged in full"]
pub struct Reservation {
    budget: Arc<Shared>,
    whole: Charge,
    is_open: bool,
}

impl Reservation {
    /// Charges what the call cost, and all that was reserved where that is unknown.
    pub fn settle(mut self, cost: Cost) -> Charge {
        let charge = match cost {
            Cost::Known(amount) => Charge {
                amount,
                basis: ChargeBasis::Measured,
            },
            Cost::Unknown => self.whole,
        };
        self.close(charge.amount);
        charge
    }

    /// Charges nothing: the call was refused, or not made.
    pub fn release(mut self) {
        self.close(Usd::ZERO);
    }

    fn close(&mut self, charged: Usd) {
        if self.is_open {
            let mut account = self.budget.account();
            account.reserved = account.reserved.less(self.whole.amount);
            account.spent += charged;
            self.is_open = false;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.close(self.whole.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Usd {
        Usd::parse(text).unwrap()
    }

    fn known(text: &str) -> Cost {
        Cost::Known(usd(text))
    }

    #[test]
    fn what_is_reserved_is_not_left_and_what_is_settled_is_spent() {
        let budget = Budget::new(Cap::User(usd("1")));
        let first = budget.reserve(known("0.6")).unwrap();
        assert_eq!(
            budget.reserve(known("0.5")).unwrap_err(),
            BudgetError::Exceeded {
                upper: usd("0.5"),
                left: usd("0.4"),
                limit: usd("1"),
            }
        );
        let charge = first.settle(known("0.1"));
        assert_eq!((charge.amount, charge.basis), (usd("0.1"), ChargeBasis::Measured));
        assert_eq!((budget.spent(), budget.left()), (usd("0.1"), usd("0.9")));
        budget.reserve(known("0.9")).unwrap().release();
        assert_eq!(budget.left(), usd("0.9"));
    }

    #[test]
    fn what_is_given_up_or_not_counted_is_charged_in_full() {
        let budget = Budget::new(Cap::User(usd("1")));
        drop(budget.reserve(known("0.3")).unwrap());
        let charge = budget.reserve(known("0.2")).unwrap().settle(Cost::Unknown);
        assert_eq!((charge.amount, charge.basis), (usd("0.2"), ChargeBasis::Reserved));
        assert_eq!(budget.spent(), usd("0.5"));
    }

    #[test]
    fn without_a_price_whose_cap_it_is_decides() {
        let limit = usd("0.25");
        assert_eq!(
            Budget::new(Cap::User(limit)).reserve(Cost::Unknown).unwrap_err(),
            BudgetError::UnknownPrice { limit }
        );
        let budget = Budget::new(Cap::Default(limit));
        for _ in 0..2 {
            let charge = budget.reserve(Cost::Unknown).unwrap().settle(Cost::Unknown);
            assert_eq!((charge.amount, charge.basis), (FLAT_CHARGE, ChargeBasis::Flat));
        }
        assert!(budget.reserve(Cost::Unknown).is_err());
        assert_eq!(budget.spent(), usd("0.2"));
    }

    #[test]
    fn many_at_once_never_pass_the_cap() {
        let budget = Budget::new(Cap::User(usd("1")));
        let made: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        (0..100)
                            .filter(|_| match budget.reserve(known("0.01")) {
                                Ok(reservation) => {
                                    reservation.settle(known("0.01"));
                                    true
                                }
                                Err(_) => false,
                            })
                            .count()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((made, budget.spent()), (100, usd("1")));
    }

    proptest::proptest! {
        #[test]
        fn the_cap_holds_whatever_becomes_of_the_calls(
            calls in proptest::collection::vec((0..50_u64, 0..3_u8, 0..50_u64), 0..60),
        ) {
            let limit = Usd::from_nanos(200);
            let budget = Budget::new(Cap::User(limit));
            let mut open = Vec::new();
            for (upper, end, cost) in calls {
                if let Ok(reservation) = budget.reserve(Cost::Known(Usd::from_nanos(upper))) {
                    match end {
                        0 => drop(reservation),
                        1 => { reservation.settle(Cost::Known(Usd::from_nanos(cost.min(upper)))); }
                        _ => open.push(reservation),
                    }
                }
                proptest::prop_assert!(budget.spent() + budget.left() <= limit);
            }
            drop(open);
            proptest::prop_assert!(budget.spent() <= limit);
        }
    }
}
