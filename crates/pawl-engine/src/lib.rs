//! What the product does, one folder per stage.
