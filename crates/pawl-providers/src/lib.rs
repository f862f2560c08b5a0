//! What is asked of the outside: targets over HTTP and as commands.
