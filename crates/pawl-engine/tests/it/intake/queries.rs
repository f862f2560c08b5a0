//! What is asked of interactions.
