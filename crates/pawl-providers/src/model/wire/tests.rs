//! Requests and answers as the providers document them.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::model::chat::{Message, OutputSchema};

fn spec(text: &str) -> ModelSpec {
    text.parse().unwrap()
}

fn request() -> ChatRequest {
    let messages = vec![
        Message::system("Be brief."),
        Message::user("Two?"),
        Message::assistant("2"),
        Message::user("Three?"),
    ];
    let schema = OutputSchema {
        name: "answer".to_owned(),
        schema: json!({"type": "object"}),
    };
    ChatRequest {
        temperature: Some(0.5),
        max_output_tokens: Some(100),
        schema: Some(schema),
        ..ChatRequest::new(messages, Duration::from_secs(1))
    }
}

fn conversation(model: &str) -> Value {
    json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Two?"},
        {"role": model, "content": "2"},
        {"role": "user", "content": "Three?"},
    ])
}

#[test]
fn openai_is_asked_in_its_format() {
    let schema = json!({
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": true},
    });
    assert_eq!(
        chat_body(&spec("openai:gpt-4o-mini"), &request()),
        json!({
            "model": "gpt-4o-mini", "messages": conversation("assistant"), "temperature": 0.5, "max_tokens": 100,
            "response_format": schema,
        })
    );
    assert_eq!(
        chat_body(&spec("openai:gpt-5-mini"), &request()),
        json!({
            "model": "gpt-5-mini", "messages": conversation("assistant"), "max_completion_tokens": 100,
            "response_format": schema,
        })
    );
}

#[test]
fn google_is_asked_in_its_format() {
    let body = json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Two?"}]},
            {"role": "model", "parts": [{"text": "2"}]},
            {"role": "user", "parts": [{"text": "Three?"}]},
        ],
        "generationConfig": {
            "temperature": 0.5, "maxOutputTokens": 100,
            "responseMimeType": "application/json", "responseJsonSchema": {"type": "object"},
        },
    });
    assert_eq!(chat_body(&spec("google:gemini-2.5-flash"), &request()), body);
    assert_eq!(chat_body(&spec("vertex:gemini-2.5-flash"), &request()), body);
}

#[test]
fn anthropic_is_asked_in_its_format() {
    let mut messages = conversation("assistant");
    messages.as_array_mut().unwrap().remove(0);
    let body = json!({
        "model": "claude-haiku-4-5", "max_tokens": 100, "system": "Be brief.", "messages": messages, "temperature": 0.5,
        "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
    });
    assert_eq!(chat_body(&spec("anthropic:claude-haiku-4-5"), &request()), body);
    let newer = chat_body(
        &spec("anthropic:claude-sonnet-5"),
        &ChatRequest {
            max_output_tokens: None,
            ..request()
        },
    );
    assert_eq!(
        (newer.get("temperature"), &newer["max_tokens"]),
        (None, &json!(16_384))
    );
}

#[test]
fn ollama_is_asked_in_its_format() {
    assert_eq!(
        chat_body(&spec("ollama:llama3.2:1b"), &request()),
        json!({
            "model": "llama3.2:1b", "messages": conversation("assistant"), "stream": false,
            "options": {"temperature": 0.5, "num_predict": 100}, "format": {"type": "object"},
        })
    );
}

fn read(provider: Provider, body: &Value) -> Answer {
    read_chat(provider, body.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn texts_thoughts_and_tokens_are_read() {
    let usage = |cached_input_tokens, cache_write_tokens| Usage {
        input_tokens: 100,
        output_tokens: 20,
        cached_input_tokens,
        cache_write_tokens,
    };
    for (provider, body, expected) in [
        (
            Provider::OpenAi,
            json!({
                "choices": [{"message": {"content": "3", "reasoning_content": "2 + 1"}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": 100, "completion_tokens": 20,
                    "prompt_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 50},
                },
            }),
            usage(30, 50),
        ),
        (
            Provider::Google,
            json!({
                "candidates": [{
                    "content": {"parts": [{"text": "2 + 1", "thought": true}, {"text": "3"}]},
                    "finishReason": "STOP",
                }],
                "usageMetadata": {
                    "promptTokenCount": 100, "candidatesTokenCount": 5, "thoughtsTokenCount": 15,
                    "cachedContentTokenCount": 30,
                },
            }),
            usage(30, 0),
        ),
        (
            Provider::Anthropic,
            json!({
                "content": [
                    {"type": "thinking", "thinking": "2 + 1", "signature": ""},
                    {"type": "redacted_thinking", "data": ""},
                    {"type": "text", "text": "3"},
                ],
                "stop_reason": "end_turn",
                "usage": {
                    "input_tokens": 20, "output_tokens": 20,
                    "cache_read_input_tokens": 30, "cache_creation_input_tokens": 50,
                },
            }),
            usage(30, 50),
        ),
        (
            Provider::Ollama,
            json!({
                "message": {"content": "3", "thinking": "2 + 1"}, "done_reason": "stop",
                "prompt_eval_count": 100, "eval_count": 20,
            }),
            usage(0, 0),
        ),
    ] {
        let answer = read(provider, &body);
        assert_eq!(
            (
                answer.text.as_str(),
                answer.reasoning.as_deref(),
                answer.finish,
                answer.usage
            ),
            ("3", Some("2 + 1"), Finish::Stop, Some(expected)),
            "{provider}"
        );
        assert!(answer.tool_calls.is_empty() && answer.refusal.is_none());
    }
}

#[test]
fn tool_calls_are_read() {
    let arguments = json!({"city": "Paris"});
    for (provider, body) in [
        (
            Provider::OpenAi,
            json!({"choices": [{
                "message": {"content": null, "tool_calls": [
                    {"type": "function", "function": {"name": "weather", "arguments": arguments.to_string()}},
                ]},
                "finish_reason": "tool_calls",
            }]}),
        ),
        (
            Provider::Vertex,
            json!({"candidates": [{
                "content": {"parts": [{"functionCall": {"name": "weather", "args": arguments}}]},
                "finishReason": "STOP",
            }]}),
        ),
        (
            Provider::Anthropic,
            json!({
                "content": [{"type": "tool_use", "id": "1", "name": "weather", "input": arguments}],
                "stop_reason": "tool_use",
            }),
        ),
        (
            Provider::Ollama,
            json!({
                "message": {"tool_calls": [{"function": {"name": "weather", "arguments": arguments}}]},
                "done_reason": "stop",
            }),
        ),
    ] {
        let answer = read(provider, &body);
        let [call] = answer.tool_calls.as_slice() else {
            panic!("{provider}: not one call")
        };
        assert_eq!((call.name.as_str(), &call.arguments), ("weather", &arguments));
        assert_eq!(
            (answer.text.as_str(), answer.finish, answer.usage),
            ("", Finish::ToolCalls, None)
        );
    }
    let broken =
        json!({"choices": [{"message": {"tool_calls": [{"function": {"name": "f", "arguments": "{x"}}]}}]});
    assert_eq!(
        read(Provider::OpenAi, &broken).tool_calls[0].arguments,
        json!("{x")
    );
}

#[test]
fn refusals_and_cut_answers_are_told_apart() {
    let openai = |message: Value, reason: &str| {
        let body = json!({"choices": [{"message": message, "finish_reason": reason}]});
        read(Provider::OpenAi, &body)
    };
    let refused = openai(json!({"content": null, "refusal": "No."}), "stop");
    assert_eq!(
        (refused.refusal.as_deref(), refused.finish),
        (Some("No."), Finish::Filter)
    );
    assert_eq!(openai(json!({"content": "x"}), "length").finish, Finish::Length);
    let blocked = read(
        Provider::Google,
        &json!({"promptFeedback": {"blockReason": "SAFETY"}}),
    );
    assert_eq!(
        (blocked.refusal.as_deref(), blocked.finish),
        (Some("SAFETY"), Finish::Filter)
    );
    let cut = read(
        Provider::Google,
        &json!({"candidates": [{"finishReason": "MAX_TOKENS"}]}),
    );
    assert_eq!((cut.text.as_str(), cut.finish), ("", Finish::Length));
    let refused = json!({"content": [], "stop_reason": "refusal", "stop_details": {"explanation": "No."}});
    assert_eq!(
        read(Provider::Anthropic, &refused).refusal.as_deref(),
        Some("No.")
    );
}

#[test]
fn what_is_no_answer_is_none() {
    for provider in Provider::ALL {
        for body in [
            "",
            "null",
            "{}",
            r#"{"error": {"message": "x"}}"#,
            r#"{"choices": []}"#,
            r#"{"candidates": []}"#,
            r#"{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": NaN}}"#,
            r#"{"message": {"content": "x"}, "eval_count": NaN}"#,
            r#"{"content": [{"type": "text", "text": "x"}], "usage": NaN}"#,
        ] {
            assert!(
                read_chat(provider, body.as_bytes()).is_err(),
                "{provider}: {body}"
            );
            assert!(
                read_embeddings(provider, body.as_bytes()).is_err(),
                "{provider}: {body}"
            );
        }
    }
}

#[test]
fn embeddings_are_asked_for_and_read() {
    let texts = ["a".to_owned(), "b".to_owned()];
    let vectors = vec![vec![1.0, 0.0], vec![0.0, 0.5]];
    for (model, body, answer) in [
        (
            "openai:text-embedding-3-small",
            json!({"model": "text-embedding-3-small", "input": ["a", "b"], "encoding_format": "float"}),
            json!({
                "data": [{"index": 1, "embedding": [0, 0.5]}, {"index": 0, "embedding": [1, 0]}],
                "usage": {"prompt_tokens": 2, "total_tokens": 2},
            }),
        ),
        (
            "google:gemini-embedding-001",
            json!({"requests": [
                {"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "a"}]}},
                {"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "b"}]}},
            ]}),
            json!({
                "embeddings": [{"values": [1, 0]}, {"values": [0, 0.5]}], "usageMetadata": {"promptTokenCount": 2},
            }),
        ),
        (
            "vertex:text-embedding-005",
            json!({"instances": [{"content": "a"}, {"content": "b"}]}),
            json!({"predictions": [
                {"embeddings": {"values": [1, 0], "statistics": {"token_count": 1.0, "truncated": false}}},
                {"embeddings": {"values": [0, 0.5], "statistics": {"token_count": 1, "truncated": false}}},
            ]}),
        ),
        (
            "ollama:nomic-embed-text",
            json!({"model": "nomic-embed-text", "input": ["a", "b"]}),
            json!({"embeddings": [[1, 0], [0, 0.5]], "prompt_eval_count": 2}),
        ),
    ] {
        let spec = spec(model);
        assert_eq!(embedding_body(&spec, &texts), body);
        let read = read_embeddings(spec.provider(), answer.to_string().as_bytes());
        let read = read.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (read.vectors, read.usage.unwrap().input_tokens),
            (vectors.clone(), 2)
        );
    }
    let twice = json!({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]});
    assert!(read_embeddings(Provider::OpenAi, twice.to_string().as_bytes()).is_err());
}
