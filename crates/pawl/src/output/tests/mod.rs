//! Every format on the same runs: rows of all states, with texts that try to break out.

mod comparison;
mod rig;
mod runs;
