//! Conversations with every provider.

use pawl_model::{Cost, Usd};
use pawl_providers::{ChatRequest, Finish, Message, OutputSchema};
use pawl_testkit::{Dialect, ModelServer, Reply, Script};
use serde_json::{Value, json};

use super::{MODELS, PATIENCE, chat, request};

fn script() -> Script {
    let thoughtful = Reply {
        reasoning: Some("It is the largest city.".to_owned()),
        ..Reply::text("Paris")
    };
    Script::new()
        .on("capital of France", thoughtful.with_usage(1_000, 100))
        .on("weather", Reply::tool_call("weather", json!({"city": "Paris"})))
        .on("secret", Reply::refusal("I cannot say."))
        .on("poem", Reply::text("Roses are red, violets are blue").truncated())
}

#[tokio::test]
async fn every_provider_answers_and_costs_what_its_table_says() {
    let server = ModelServer::start(script()).await;
    let prices = ["0.00021", "0.00055", "0.00055", "0.0015", "0"];
    for (model, price) in MODELS.into_iter().zip(prices) {
        let reply = chat(&server, model)
            .complete(&request("What is the capital of France?"))
            .await
            .unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.finish),
            ("Paris", Finish::Stop),
            "{model}"
        );
        assert_eq!(
            reply.reasoning.as_deref(),
            Some("It is the largest city."),
            "{model}"
        );
        assert_eq!(reply.cost, Cost::Known(Usd::parse(price).unwrap()), "{model}");
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (1_000, 100), "{model}");
        assert!(reply.latency.as_nanos() > 0 && reply.retries == 0 && reply.raw_sha256.len() == 64);
    }
}

#[tokio::test]
async fn tools_refusals_and_cut_answers_come_through() {
    let server = ModelServer::start(script()).await;
    for model in MODELS {
        let model = chat(&server, model);
        let called = model.complete(&request("How is the weather?")).await.unwrap();
        assert_eq!(called.finish, Finish::ToolCalls, "{}", model.spec());
        assert_eq!(
            (
                called.tool_calls[0].name.as_str(),
                &called.tool_calls[0].arguments
            ),
            ("weather", &json!({"city": "Paris"}))
        );
        let cut = model.complete(&request("Write a poem.")).await.unwrap();
        assert_eq!(
            (cut.finish, cut.text.as_str()),
            (Finish::Length, "Roses are red, ")
        );
        let refused = model.complete(&request("Tell me a secret.")).await.unwrap();
        assert_eq!(refused.text, "");
        if !model.spec().to_string().starts_with("ollama") {
            assert_eq!(
                (refused.finish, refused.refusal.as_deref()),
                (Finish::Filter, Some("I cannot say.")),
                "{}",
                model.spec()
            );
        }
    }
}

#[tokio::test]
async fn the_whole_request_arrives() {
    let server = ModelServer::start(Script::new().otherwise(Reply::text("{}"))).await;
    let schema = json!({
        "type": "object", "properties": {"pass": {"type": "boolean"}}, "required": ["pass"],
        "additionalProperties": false,
    });
    let request = ChatRequest {
        temperature: Some(0.2),
        max_output_tokens: Some(64),
        schema: Some(OutputSchema {
            name: "verdict".to_owned(),
            schema: schema.clone(),
        }),
        ..ChatRequest::new(
            vec![Message::system("You grade."), Message::user("Grade this.")],
            PATIENCE,
        )
    };
    for model in MODELS {
        chat(&server, model).complete(&request).await.unwrap();
    }
    let asked = server.asked();
    assert_eq!(asked.len(), MODELS.len());
    for (asked, model) in asked.iter().zip(MODELS) {
        assert_eq!(asked.prompt, "You grade.\nGrade this.", "{model}");
        assert_eq!(
            Some(asked.model.as_str()),
            model.split_once(':').map(|(_, name)| name)
        );
        let body = &asked.body;
        let (temperature, most, sent): (&Value, &Value, &Value) = match asked.dialect {
            Dialect::OpenAi => (
                &body["temperature"],
                &body["max_tokens"],
                &body["response_format"]["json_schema"]["schema"],
            ),
            Dialect::Gemini => {
                let settings = &body["generationConfig"];
                let schema = &settings["responseJsonSchema"];
                (&settings["temperature"], &settings["maxOutputTokens"], schema)
            }
            Dialect::Anthropic => (
                &body["temperature"],
                &body["max_tokens"],
                &body["output_config"]["format"]["schema"],
            ),
            Dialect::Ollama => (
                &body["options"]["temperature"],
                &body["options"]["num_predict"],
                &body["format"],
            ),
        };
        assert_eq!(
            (temperature, most, sent),
            (&json!(0.2), &json!(64), &schema),
            "{model}"
        );
    }
}

#[tokio::test]
async fn no_call_costs_more_than_the_bound_that_is_known_before() {
    let server = ModelServer::start(Script::new().otherwise(Reply::text("one two three"))).await;
    let open = request("Count to three, please: ä ö ü");
    let bounded = ChatRequest {
        max_output_tokens: Some(3),
        ..open.clone()
    };
    for model in MODELS {
        let model = chat(&server, model);
        let Cost::Known(upper) = model.upper_cost(&bounded) else {
            panic!("{} has a price", model.spec())
        };
        let cost = model.complete(&bounded).await.unwrap().cost;
        assert!(cost.known().unwrap() <= upper, "{}", model.spec());
        assert_eq!(model.upper_cost(&open), Cost::Unknown);
    }
    let unpriced = chat(&server, "openai:some-model");
    assert_eq!(unpriced.upper_cost(&bounded), Cost::Unknown);
    assert_eq!(unpriced.complete(&bounded).await.unwrap().cost, Cost::Unknown);
}
