"""Runs the official clients of OpenAI, Google and Anthropic against the scripted model server, so that what our own
clients are tested with speaks as the providers do.

    models.py --server target/debug/examples/model_server
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import anthropic
import openai
from google import genai
from google.genai import errors, types
from google.oauth2 import service_account

SCRIPT = [
    {"prompt": "capital of France", "reply": {"text": "It is Paris.", "usage": [12, 3]}},
    {"prompt": "weather", "reply": {"tool_calls": [{"name": "weather", "arguments": {"city": "Paris"}}]}},
    {"prompt": "grade", "reply": {"text": '{"pass": true}'}},
    {"prompt": "long poem", "reply": {"text": "Roses are", "is_cut_short": True}},
    {"prompt": "busy once", "times": 1, "reply": {"fault": {"status": {"status": 429, "retry_after": "0"}}}},
    {"prompt": "busy once", "reply": {"text": "Now I have time."}},
    {"prompt": "busy", "reply": {"fault": {"status": {"status": 429, "retry_after": "0"}}}},
    {"prompt": "broken", "reply": {"fault": {"status": {"status": 500}}}},
    {"prompt": "forbidden", "reply": {"fault": {"status": {"status": 401}}}},
    {"prompt": "cut", "reply": {"text": "never read to its end", "fault": "cut_connection"}},
    {"prompt": "hang", "reply": {"fault": "hang"}},
]
SCHEMA = {"type": "object", "properties": {"pass": {"type": "boolean"}}, "required": ["pass"], "additionalProperties": False}
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TEXTS = ["the refund was late", "the refund came late", "sunshine in Paris"]


def raises(error, call):
    try:
        call()
    except error as raised:
        assert type(raised) is error, f"{type(raised)} instead of {error}"
        return
    raise AssertionError(f"no {error}")


def check_vectors(vectors):
    near, far = (sum(a * b for a, b in zip(vectors[0], other)) for other in vectors[1:])
    assert near > 0.7 > 0.4 > far, (near, far)


def check_openai(variables):
    client = openai.OpenAI(api_key=variables["OPENAI_API_KEY"], base_url=variables["OPENAI_BASE_URL"], max_retries=0, timeout=30)

    def chat(prompt, client=client, **options):
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
        return client.chat.completions.create(model="gpt-4o-mini", messages=messages, **options)

    answer = chat("What is the capital of France?")
    assert answer.choices[0].message.content == "It is Paris." and answer.choices[0].finish_reason == "stop"
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (12, 3)
    chunks = list(chat("What is the capital of France?", stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "It is Paris."
    assert chunks[-1].usage.total_tokens == 15 and len(chunks) > 4
    tools = [{"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}]
    call = chat("How is the weather?", tools=tools).choices[0].message.tool_calls[0].function
    assert call.name == "weather" and json.loads(call.arguments) == {"city": "Paris"}
    deltas = [chunk.choices[0].delta for chunk in chat("How is the weather?", tools=tools, stream=True)]
    assert [delta.tool_calls[0].function.name for delta in deltas if delta.tool_calls] == ["weather"]
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True}}
    assert json.loads(chat("Please grade this.", response_format=form).choices[0].message.content) == {"pass": True}
    assert chat("Write a long poem.").choices[0].finish_reason == "length"
    assert [model.id for model in client.models.list()] == ["scripted"]
    embeddings = client.embeddings.create(model="text-embedding-3-small", input=TEXTS, encoding_format="float")
    check_vectors([item.embedding for item in embeddings.data])
    raises(openai.RateLimitError, lambda: chat("Are you busy?"))
    raises(openai.InternalServerError, lambda: chat("Are you broken?"))
    raises(openai.AuthenticationError, lambda: chat("Is it forbidden?"))
    raises(openai.AuthenticationError, lambda: chat("Hello", client=client.with_options(api_key="wrong")))
    raises(openai.BadRequestError, lambda: chat("Nothing that the script knows"))
    raises(openai.APIConnectionError, lambda: chat("Will it be cut?"))
    raises(openai.APITimeoutError, lambda: chat("Will it hang?", timeout=0.2))
    assert chat("You were busy once.", client=client.with_options(max_retries=2)).choices[0].message.content == "Now I have time."


def check_google(variables):
    options = types.HttpOptions(base_url=variables["GEMINI_BASE_URL"], timeout=30_000)
    client = genai.Client(api_key=variables["GEMINI_API_KEY"], http_options=options)

    def chat(prompt, client=client, **config):
        config = types.GenerateContentConfig(system_instruction="Be brief.", **config)
        return client.models.generate_content(model="gemini-2.5-flash", contents=prompt, config=config)

    answer = chat("What is the capital of France?")
    assert answer.text == "It is Paris." and answer.candidates[0].finish_reason == types.FinishReason.STOP
    usage = answer.usage_metadata
    assert (usage.prompt_token_count, usage.candidates_token_count) == (12, 3)
    pieces = client.models.generate_content_stream(model="gemini-2.5-flash", contents="What is the capital of France?")
    pieces = [piece.text for piece in pieces]
    assert "".join(piece or "" for piece in pieces) == "It is Paris." and len(pieces) > 2
    declaration = types.FunctionDeclaration(name="weather", parameters_json_schema=PARAMETERS)
    calls = chat("How is the weather?", tools=[types.Tool(function_declarations=[declaration])]).function_calls
    assert [(call.name, call.args) for call in calls] == [("weather", {"city": "Paris"})]
    graded = chat("Please grade this.", response_mime_type="application/json", response_json_schema=SCHEMA)
    assert json.loads(graded.text) == {"pass": True}
    assert chat("Write a long poem.").candidates[0].finish_reason == types.FinishReason.MAX_TOKENS
    embeddings = client.models.embed_content(model="gemini-embedding-001", contents=TEXTS)
    check_vectors([embedding.values for embedding in embeddings.embeddings])
    raises(errors.ClientError, lambda: chat("Are you busy?"))
    raises(errors.ServerError, lambda: chat("Are you broken?"))
    raises(errors.ClientError, lambda: chat("Is it forbidden?"))
    stranger = genai.Client(api_key="wrong", http_options=options)
    raises(errors.ClientError, lambda: chat("Hello", client=stranger))
    for prompt in ("Will it be cut?", "Will it hang?"):
        hasty = genai.Client(api_key=variables["GEMINI_API_KEY"], http_options=types.HttpOptions(base_url=variables["GEMINI_BASE_URL"], timeout=300))
        try:
            chat(prompt, client=hasty)
        except Exception as error:
            assert not isinstance(error, (AssertionError, errors.APIError)), error
        else:
            raise AssertionError("an answer that never came to its end")
    patient = types.HttpOptions(base_url=options.base_url, timeout=30_000, retry_options=types.HttpRetryOptions(attempts=3, initial_delay=0.01))
    client = genai.Client(api_key=variables["GEMINI_API_KEY"], http_options=patient)
    assert chat("You were busy once.", client=client).text == "Now I have time."


def check_vertex(variables):
    credentials = service_account.Credentials.from_service_account_file(
        variables["GOOGLE_APPLICATION_CREDENTIALS"], scopes=["https://www.googleapis.com/auth/cloud-platform"]
    )
    options = types.HttpOptions(base_url=variables["VERTEX_BASE_URL"], timeout=30_000)
    client = genai.Client(vertexai=True, project="scripted", location="global", credentials=credentials, http_options=options)
    answer = client.models.generate_content(model="gemini-2.5-flash", contents="What is the capital of France?")
    assert answer.text == "It is Paris." and answer.usage_metadata.total_token_count == 15
    embeddings = [client.models.embed_content(model="text-embedding-005", contents=text).embeddings[0] for text in TEXTS]
    check_vectors([embedding.values for embedding in embeddings])
    assert embeddings[0].statistics.token_count == 4
    raises(errors.ServerError, lambda: client.models.generate_content(model="gemini-2.5-flash", contents="Are you broken?"))


def check_anthropic(variables):
    client = anthropic.Anthropic(api_key=variables["ANTHROPIC_API_KEY"], base_url=variables["ANTHROPIC_BASE_URL"], max_retries=0, timeout=30)

    def request(prompt, **options):
        return {"model": "claude-haiku-4-5", "max_tokens": 100, "system": "Be brief.", "messages": [{"role": "user", "content": prompt}], **options}

    def chat(prompt, client=client, **options):
        return client.messages.create(**request(prompt, **options))

    answer = chat("What is the capital of France?")
    assert answer.content[0].text == "It is Paris." and answer.stop_reason == "end_turn"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (12, 3)
    with client.messages.stream(**request("What is the capital of France?")) as stream:
        pieces = list(stream.text_stream)
        last = stream.get_final_message()
    assert "".join(pieces) == "It is Paris." and len(pieces) > 2 and last.usage.output_tokens == 3
    tools = [{"name": "weather", "input_schema": PARAMETERS}]
    call = chat("How is the weather?", tools=tools)
    assert call.stop_reason == "tool_use" and call.content[0].input == {"city": "Paris"}
    with client.messages.stream(**request("How is the weather?", tools=tools)) as stream:
        assert stream.get_final_message().content[0].input == {"city": "Paris"}
    graded = chat("Please grade this.", output_config={"format": {"type": "json_schema", "schema": SCHEMA}})
    assert json.loads(graded.content[0].text) == {"pass": True}
    assert chat("Write a long poem.").stop_reason == "max_tokens"
    raises(anthropic.RateLimitError, lambda: chat("Are you busy?"))
    raises(anthropic.InternalServerError, lambda: chat("Are you broken?"))
    raises(anthropic.AuthenticationError, lambda: chat("Is it forbidden?"))
    raises(anthropic.AuthenticationError, lambda: chat("Hello", client=client.with_options(api_key="wrong")))
    raises(anthropic.BadRequestError, lambda: chat("Nothing that the script knows"))
    raises(anthropic.APIConnectionError, lambda: chat("Will it be cut?"))
    raises(anthropic.APITimeoutError, lambda: chat("Will it hang?", timeout=0.2))
    assert chat("You were busy once.", client=client.with_options(max_retries=2)).content[0].text == "Now I have time."


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    arguments = parser.parse_args()
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "GEMINI_", "GOOGLE_", "ANTHROPIC_"))]:
        del os.environ[name]
    for check in (check_openai, check_google, check_vertex, check_anthropic):
        with tempfile.TemporaryDirectory(prefix="pawl-models-") as folder:
            script = pathlib.Path(folder, "script.json")
            script.write_text(json.dumps(SCRIPT), encoding="utf-8")
            with subprocess.Popen([arguments.server, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
                try:
                    check(json.loads(server.stdout.readline()))
                finally:
                    server.stdin.close()
            if server.returncode != 0:
                sys.exit(f"the model server ended with {server.returncode}")
        print(f"{check.__name__.removeprefix('check_')}: answers and faults as its client expects them", flush=True)


if __name__ == "__main__":
    main()
