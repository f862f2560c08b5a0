//! What can be judged without I/O: checks, text metrics, statistics.
