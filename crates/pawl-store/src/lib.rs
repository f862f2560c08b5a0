//! What is remembered: SQLite and PostgreSQL behind one door.
