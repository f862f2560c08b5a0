//! What is asked of stored interactions, in the ways in which pages and exports do.

use std::error::Error;

use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, InteractionPlace, ListRequest, search};
use pawl_engine::intake::overview::{Days, Step};
use pawl_engine::{Actor, Engine};
use pawl_model::{InteractionId, UserId};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::interactions::word;

/// Interactions of a page.
const PAGE: u32 = 50;

/// A question, a little different in each round.
pub(crate) struct Question {
    /// What it is called.
    pub(crate) name: &'static str,
    ask: Ask,
}

enum Ask {
    Overview(Days),
    Page(InteractionOrder, Box<dyn Fn(usize) -> Wanted>),
}

/// What is wanted of a list.
#[derive(Default)]
struct Wanted {
    filter: InteractionFilter,
    after: Option<InteractionPlace>,
}

impl Wanted {
    fn words(words: impl IntoIterator<Item = String>) -> Self {
        Self::of(InteractionFilter {
            search: search(&words.into_iter().collect::<Vec<_>>().join(" ")),
            ..InteractionFilter::default()
        })
    }

    fn flag(flag: &str) -> Self {
        Self::of(InteractionFilter {
            any_flags: vec![flag.to_owned()],
            ..InteractionFilter::default()
        })
    }

    fn of(filter: InteractionFilter) -> Self {
        Self { filter, after: None }
    }

    fn after(key: Option<f64>, created_at: OffsetDateTime) -> Self {
        Self {
            filter: InteractionFilter::default(),
            after: Some(InteractionPlace {
                key,
                created_at,
                id: InteractionId(Uuid::nil()),
            }),
        }
    }
}

/// All questions about the 30 days up to now.
pub(crate) fn all(now: OffsetDateTime) -> Result<Vec<Question>, Box<dyn Error>> {
    use InteractionOrder::{HighestScore, LowestScore, Newest, Slowest};

    let today = now.date();
    let first = today.checked_sub(Duration::days(29)).ok_or("no such day")?;
    let overview = Question {
        name: "overview of 30 days",
        ask: Ask::Overview(Days { first, last: today }),
    };
    let page = |name, order, wanted: Box<dyn Fn(usize) -> Wanted>| Question {
        name,
        ask: Ask::Page(order, wanted),
    };
    let rare = |round| word(20_000 + 97 * round);
    let common = |round| word(5 + round % 30);
    Ok(vec![
        overview,
        page("newest page", Newest, Box::new(|_| Wanted::default())),
        page(
            "page in the middle",
            Newest,
            Box::new(move |round| {
                Wanted::after(
                    None,
                    now - Duration::days(15) + Duration::hours(round as i64 % 24),
                )
            }),
        ),
        page(
            "words: a rare one",
            Newest,
            Box::new(move |round| Wanted::words([rare(round)])),
        ),
        page(
            "words: a common one",
            Newest,
            Box::new(move |round| Wanted::words([common(round)])),
        ),
        page(
            "words: two of medium frequency",
            Newest,
            Box::new(|round| Wanted::words([word(200 + round), word(400 + round)])),
        ),
        page(
            "words: a phrase",
            Newest,
            Box::new(|round| Wanted::words([[word(5 + round % 10), word(100 + round)].join(" ")])),
        ),
        page(
            "words: a common one, worst first",
            LowestScore,
            Box::new(move |round| Wanted::words([common(round)])),
        ),
        page("worst first", LowestScore, Box::new(|_| Wanted::default())),
        page(
            "best first, from the middle",
            HighestScore,
            Box::new(move |round| {
                Wanted::after(Some(0.6 + round as f64 % 20.0 / 100.0), now - Duration::days(15))
            }),
        ),
        page("slowest first", Slowest, Box::new(|_| Wanted::default())),
        page("flag of 2 %", Newest, Box::new(|_| Wanted::flag("hallucination"))),
        page("flag of 0.1 %", Newest, Box::new(|_| Wanted::flag("toxicity"))),
        page(
            "flag of 2 %, slowest first",
            Slowest,
            Box::new(|_| Wanted::flag("hallucination")),
        ),
    ])
}

/// Asks, as the tenant; tells how many interactions the answer has, of an overview: how many it counts.
pub(crate) async fn ask(
    engine: &Engine,
    user: UserId,
    question: &Question,
    round: usize,
) -> Result<usize, Box<dyn Error>> {
    let actor = Actor::Tenant(user);
    match &question.ask {
        Ask::Overview(days) => {
            let overview = engine.overview(actor, user, *days, Step::Day).await?;
            Ok(usize::try_from(overview.total.interactions())?)
        }
        Ask::Page(order, wanted) => {
            let Wanted { filter, after } = wanted(round);
            let request = ListRequest {
                user_id: user,
                filter: &filter,
                order: *order,
                after: after.as_ref(),
                limit: PAGE,
            };
            Ok(engine.interactions(actor, &request).await?.items.len())
        }
    }
}
