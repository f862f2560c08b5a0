//! All spans of a trace that are there: however they arrive, the same ones make the same trace.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use pawl_model::{Json, JsonError};
use serde_json::Value;

use super::Span;

/// Spans that a trace may have.
const MAX_SPANS: usize = 10_000;
/// Bytes that its spans may have together, as they are stored.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The spans of a trace.
#[derive(Debug, Default)]
pub(crate) struct TraceSpans {
    /// By their ids, each with its text as it is stored.
    spans: BTreeMap<String, (Span, String)>,
    /// What was handed in beside an interaction, in whatever form.
    others: Vec<Value>,
    bytes: usize,
}

/// What a further span does to a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addition {
    /// It is there now.
    Added,
    /// It was there, or another one with its id that is kept.
    Known,
    /// There is no room for it.
    Full,
}

impl TraceSpans {
    /// The spans that are stored of a trace.
    pub(crate) fn read(stored: &Json) -> Self {
        let mut trace = Self {
            bytes: stored.as_str().len(),
            ..Self::default()
        };
        let Value::Array(items) = stored.to_value() else {
            return trace;
        };
        for item in items {
            match serde_json::from_value::<Span>(item.clone()) {
                Ok(span) => trace.keep(span),
                Err(_) => trace.others.push(item),
            }
        }
        trace
    }

    fn keep(&mut self, span: Span) {
        if let Ok(stored) = span.stored() {
            self.spans.insert(span.span_id.clone(), (span, stored));
        }
    }

    /// Adds a span. Of two with one id the one that ended later is kept; of two that ended at once, the one whose text
    /// comes last.
    pub(crate) fn add(&mut self, span: Span) -> Addition {
        let Ok(stored) = span.stored() else {
            return Addition::Full;
        };
        let count = self.spans.len() + self.others.len();
        let mut bytes = self.bytes + stored.len() + 1;
        match self.spans.entry(span.span_id.clone()) {
            Entry::Occupied(mut known) => {
                let (known_span, known_text) = known.get();
                let rank = (known_span.end_time_unix_nano, known_text);
                if rank >= (span.end_time_unix_nano, &stored) {
                    return Addition::Known;
                }
                bytes = bytes.saturating_sub(known_text.len() + 1);
                if bytes > MAX_BYTES {
                    return Addition::Full;
                }
                known.insert((span, stored));
            }
            Entry::Vacant(_) if count >= MAX_SPANS || bytes > MAX_BYTES => return Addition::Full,
            Entry::Vacant(free) => {
                free.insert((span, stored));
            }
        }
        self.bytes = bytes;
        Addition::Added
    }

    /// Changes every span, as masking does.
    pub(crate) fn change(&mut self, change: impl Fn(&mut Span)) {
        for (mut span, _) in std::mem::take(&mut self.spans).into_values() {
            change(&mut span);
            self.keep(span);
        }
    }

    /// Changes what was handed in in other forms.
    pub(crate) fn change_others(&mut self, change: impl Fn(&Value) -> Option<Value>) {
        for other in &mut self.others {
            if let Some(changed) = change(other) {
                *other = changed;
            }
        }
    }

    /// The spans in the order in which they began.
    pub(crate) fn in_order(&self) -> Vec<&Span> {
        let mut spans: Vec<&Span> = self.spans.values().map(|(span, _)| span).collect();
        spans.sort_by_key(|span| (span.start_time_unix_nano, &span.span_id));
        spans
    }

    /// What is to be stored.
    ///
    /// # Errors
    /// When something in it cannot be stored, which was refused when it was added.
    pub(crate) fn stored(&self) -> Result<Json, JsonError> {
        let others = self.others.iter().map(Value::to_string);
        let spans = self.in_order().into_iter();
        let spans = spans.filter_map(|span| self.spans.get(&span.span_id));
        let items: Vec<String> = others.chain(spans.map(|(_, text)| text.clone())).collect();
        Json::parse(&["[", &items.join(","), "]"].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(id: &str, ended: u64, name: &str) -> Span {
        Span {
            span_id: id.to_owned(),
            name: name.to_owned(),
            end_time_unix_nano: ended,
            ..Span::default()
        }
    }

    #[test]
    fn of_two_spans_with_one_id_the_same_is_kept_whichever_came_first() {
        let versions = [span("a", 0, "begun"), span("a", 5, "a"), span("a", 5, "b")];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut trace = TraceSpans::default();
            for place in order {
                trace.add(versions[place].clone());
            }
            assert_eq!(trace.in_order(), [&versions[2]], "{order:?}");
            assert_eq!(trace.add(versions[0].clone()), Addition::Known);
        }
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let stored = Json::parse(r#"[{"name": "in a form of its own", "spanId": 7}]"#).unwrap();
        let mut trace = TraceSpans::read(&stored);
        assert_eq!(trace.add(span("a", 1, "a")), Addition::Added);
        let once = trace.stored().unwrap();
        assert_eq!(TraceSpans::read(&once).stored().unwrap(), once);
        assert_eq!(TraceSpans::read(&once).in_order(), [&span("a", 1, "a")]);
        assert!(once.as_str().contains("in a form of its own"));
    }

    #[test]
    fn a_trace_has_an_end() {
        let mut trace = TraceSpans::default();
        let large = "x".repeat(MAX_BYTES / 4);
        for id in 0..3 {
            assert_eq!(trace.add(span(&id.to_string(), 1, &large)), Addition::Added);
        }
        assert_eq!(trace.add(span("3", 1, &large)), Addition::Full);
        assert_eq!(trace.add(span("4", 1, "small")), Addition::Added);
        // What is there already may be sent again.
        assert_eq!(trace.add(span("0", 1, &large)), Addition::Known);
    }
}
