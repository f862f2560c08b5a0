//! Any bytes as traces, in JSON where they begin like it, else in protobuf: what is taken can be stored, assembled and
//! masked, and goes out as a document that is read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pawl_engine::trace::{Assembled, Export, Span, otlp};

fuzz_target!(|bytes: &[u8]| {
    let export = match std::str::from_utf8(bytes) {
        Ok(text) if text.trim_start().starts_with('{') => match otlp::read(text) {
            Ok(export) => export,
            Err(error) => {
                assert!(
                    error.line >= 1 && error.line <= text.split('\n').count(),
                    "{error}"
                );
                return;
            }
        },
        _ => match pawl_server::read_protobuf(bytes) {
            Ok(export) => export,
            Err(_) => return,
        },
    };
    let spans = taken(&export);
    let refused = export.rejected().map_or(0, |(count, _)| count);
    assert_eq!(
        spans.len() as u64 + refused,
        export.len() as u64,
        "each span is taken or refused"
    );
    export.stored().expect("what is taken can be stored");
    let made = Assembled::of(&spans.iter().collect::<Vec<_>>());
    let again = otlp::read(&otlp::document(&spans).to_string()).expect("what goes out is a document");
    assert_eq!(again.rejected(), None, "what goes out comes in");
    let again = taken(&again);
    assert_eq!(again.len(), spans.len());
    assert_eq!(
        Assembled::of(&again.iter().collect::<Vec<_>>()),
        made,
        "and makes the same interaction"
    );
});

fn taken(export: &Export) -> Vec<Span> {
    export.spans().to_vec()
}
