//! How all of it is tested: databases per test, the binary, recorded targets.
