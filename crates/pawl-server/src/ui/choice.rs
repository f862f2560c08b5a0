//! What a page offers to choose from by links, such as which rows a list shows.

/// Something to choose, and whether it is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) href: String,
    pub(super) is_chosen: bool,
}
