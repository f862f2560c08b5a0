use serde_json::json;

use super::*;

fn object(value: &Value) -> Attributes {
    value.as_object().unwrap().clone()
}

fn read(attributes: &Value, events: &[(&str, Value)]) -> Reading {
    Reading::of(&Span {
        name: "a span".to_owned(),
        attributes: object(attributes),
        events: events
            .iter()
            .map(|(name, attributes)| Event {
                name: (*name).to_owned(),
                attributes: object(attributes),
                ..Event::default()
            })
            .collect(),
        ..Span::default()
    })
}

/// Roles and texts of messages.
fn said(messages: &[Message]) -> Vec<(&str, &str)> {
    messages
        .iter()
        .map(|message| (message.role.as_str(), message.text.as_str()))
        .collect()
}

#[test]
fn what_spans_are() {
    for (attributes, role) in [
        (json!({"gen_ai.operation.name": "chat"}), Some(Role::Model)),
        (
            json!({"gen_ai.operation.name": "text_completion"}),
            Some(Role::Model),
        ),
        (
            json!({"gen_ai.operation.name": "generate_content"}),
            Some(Role::Model),
        ),
        (
            json!({"gen_ai.operation.name": "invoke_agent"}),
            Some(Role::Agent),
        ),
        (json!({"gen_ai.operation.name": "execute_tool"}), Some(Role::Tool)),
        (
            json!({"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "m"}),
            Some(Role::Retrieval),
        ),
        (json!({"gen_ai.operation.name": "create_agent"}), None),
        (
            json!({"gen_ai.system": "openai", "gen_ai.request.model": "m"}),
            Some(Role::Model),
        ),
        (json!({"gen_ai.tool.name": "t"}), Some(Role::Tool)),
        (json!({"openinference.span.kind": "LLM"}), Some(Role::Model)),
        (json!({"openinference.span.kind": "AGENT"}), Some(Role::Agent)),
        (json!({"openinference.span.kind": "CHAIN"}), Some(Role::Step)),
        (json!({"openinference.span.kind": "TOOL"}), Some(Role::Tool)),
        (json!({"openinference.span.kind": "EVALUATOR"}), None),
        (json!({"http.route": "/"}), None),
    ] {
        assert_eq!(read(&attributes, &[]).role, role, "{attributes}");
    }
}

#[test]
fn newer_messages_are_read_as_lists_and_as_texts() {
    let input = json!([
        {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
        {"role": "user", "parts": [{"type": "text", "content": "Weather"}, {"type": "text", "content": "in Paris?"}]},
        {"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm."},
            {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Paris"}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rainy"}]},
    ]);
    let output = json!([{"role": "assistant", "parts": [{"type": "text", "content": "Rain."}], "finish_reason": "stop"}]);
    let as_lists = json!({"gen_ai.operation.name": "chat", "gen_ai.input.messages": input,
        "gen_ai.output.messages": output, "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": "3"});
    let as_texts = json!({"gen_ai.operation.name": "chat", "gen_ai.input.messages": input.to_string(),
        "gen_ai.output.messages": output.to_string(), "gen_ai.usage.prompt_tokens": 7.0, "gen_ai.usage.completion_tokens": 3});
    let in_an_event = json!({"gen_ai.input.messages": input, "gen_ai.output.messages": output});
    let read_all = [
        read(&as_lists, &[]),
        read(&as_texts, &[]),
        Reading {
            input_tokens: Some(7),
            output_tokens: Some(3),
            ..read(
                &json!({"gen_ai.operation.name": "chat"}),
                &[("gen_ai.client.inference.operation.details", in_an_event)],
            )
        },
    ];
    for reading in &read_all {
        assert_eq!(
            said(&reading.input),
            [
                ("system", "Be brief."),
                ("user", "Weather\nin Paris?"),
                ("assistant", ""),
                ("tool", "")
            ]
        );
        assert_eq!(
            reading.input[2].calls[0].arguments,
            Some(json!({"city": "Paris"}))
        );
        assert_eq!(
            reading.input[3].results,
            [(Some("c1".to_owned()), json!("rainy"))]
        );
        assert_eq!(said(&reading.output), [("assistant", "Rain.")]);
        assert_eq!((reading.input_tokens, reading.output_tokens), (Some(7), Some(3)));
    }
}

#[test]
fn older_messages_are_read_from_events_and_numbered_keys() {
    let model = json!({"gen_ai.system": "openai", "gen_ai.request.model": "m"});
    let call = json!([{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Paris\"}"}}]);
    let expected_input = [("system", "Be brief."), ("user", "Weather?")];
    let by_event_each = read(
        &model,
        &[
            ("gen_ai.system.message", json!({"content": "Be brief."})),
            (
                "gen_ai.user.message",
                json!({"gen_ai.event.content": "{\"content\":\"Weather?\"}"}),
            ),
            (
                "gen_ai.choice",
                json!({"index": 0, "finish_reason": "stop",
                    "message": json!({"role": "assistant", "content": "Rain.", "tool_calls": call}).to_string()}),
            ),
        ],
    );
    let messages =
        json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]);
    let choices = json!([{"role": "assistant", "content": "Rain.", "tool_calls": call}]);
    let by_two_events = read(
        &model,
        &[
            (
                "gen_ai.content.prompt",
                json!({"gen_ai.prompt": messages.to_string()}),
            ),
            (
                "gen_ai.content.completion",
                json!({"gen_ai.completion": choices.to_string()}),
            ),
        ],
    );
    let by_numbered_keys = read(
        &json!({"gen_ai.system": "openai", "llm.request.type": "chat",
            "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
            "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "[{\"type\":\"text\",\"text\":\"Weather?\"}]",
            "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Rain.",
            "gen_ai.completion.0.tool_calls.0.id": "c1", "gen_ai.completion.0.tool_calls.0.name": "weather",
            "gen_ai.completion.0.tool_calls.0.arguments": "{\"city\":\"Paris\"}"}),
        &[],
    );
    for reading in [by_event_each, by_two_events, by_numbered_keys] {
        assert_eq!(said(&reading.input), expected_input);
        assert_eq!(said(&reading.output), [("assistant", "Rain.")]);
        let call = &reading.output[0].calls[0];
        assert_eq!((call.id.as_deref(), call.name.as_str()), (Some("c1"), "weather"));
        assert_eq!(call.arguments, Some(json!({"city": "Paris"})));
    }
    let plain = read(
        &json!({"gen_ai.system": "x", "gen_ai.prompt": "Weather?", "gen_ai.completion": "Rain."}),
        &[],
    );
    assert_eq!(said(&plain.input), [("user", "Weather?")]);
    assert_eq!(said(&plain.output), [("assistant", "Rain.")]);
}

#[test]
fn open_inference_is_read() {
    let reading = read(
        &json!({"openinference.span.kind": "LLM", "llm.token_count.prompt": 25, "llm.token_count.completion": 8,
            "llm.cost.total": 0.0066, "input.value": "{}",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.contents.0.message_content.type": "text",
            "llm.input_messages.0.message.contents.0.message_content.text": "Weather?",
            "llm.input_messages.1.message.role": "tool", "llm.input_messages.1.message.content": "rainy",
            "llm.input_messages.1.message.tool_call_id": "c1",
            "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "Rain.",
            "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c2",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{\"city\":\"Paris\"}"}),
        &[],
    );
    assert_eq!(said(&reading.input), [("user", "Weather?"), ("tool", "rainy")]);
    assert_eq!(
        reading.input[1].results,
        [(Some("c1".to_owned()), json!("rainy"))]
    );
    assert_eq!(said(&reading.output), [("assistant", "Rain.")]);
    assert_eq!(reading.output[0].calls[0].name, "weather");
    assert_eq!(
        (reading.input_tokens, reading.output_tokens, reading.cost_usd),
        (Some(25), Some(8), Some(0.0066))
    );
    let chain = read(
        &json!({"openinference.span.kind": "CHAIN", "input.value": "{\"messages\":[[{\"role\":\"user\",\"content\":\"Hi\"}]]}",
            "output.value": "{\"answer\": 42}"}),
        &[],
    );
    assert_eq!(said(&chain.input), [("user", "Hi")]);
    assert_eq!(said(&chain.output), [("assistant", "{\"answer\": 42}")]);
}

#[test]
fn calls_of_tools_say_what_went_in_and_out() {
    let gen_ai = read(
        &json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": "{\"city\":\"Paris\"}", "gen_ai.tool.call.result": "rainy"}),
        &[],
    );
    let open_inference = read(
        &json!({"openinference.span.kind": "TOOL", "tool.name": "weather", "tool_call.id": "c1",
            "input.value": "{\"city\":\"Paris\"}", "output.value": "rainy"}),
        &[],
    );
    let expected = Call {
        id: Some("c1".to_owned()),
        name: "weather".to_owned(),
        arguments: Some(json!({"city": "Paris"})),
        result: Some(json!("rainy")),
        error: None,
    };
    assert_eq!(gen_ai.call.as_ref(), Some(&expected));
    assert_eq!(open_inference.call, Some(expected));
    let unnamed = read(&json!({"gen_ai.operation.name": "execute_tool"}), &[]);
    assert_eq!(unnamed.call.unwrap().name, "a span");
}

#[test]
fn odd_values_are_no_numbers_and_no_messages() {
    let reading = read(
        &json!({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": -1, "gen_ai.usage.output_tokens": "NaN",
            "gen_ai.usage.cost": "Infinity", "gen_ai.input.messages": "{not json", "gen_ai.output.messages": null}),
        &[],
    );
    assert_eq!(
        (reading.input_tokens, reading.output_tokens, reading.cost_usd),
        (None, None, None)
    );
    assert_eq!(said(&reading.input), [("user", "{not json")]);
    assert!(reading.output.is_empty());
}
