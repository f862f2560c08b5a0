"""Exports spans of an agent by OpenTelemetry's SDK for Python: over protobuf as its exporter does, and the same spans as
JSON; then asks for the interactions that they make, and for these as traces.

Needs PAWL_URL, a key for ingestion in PAWL_INGEST_KEY, and the service key in SUPABASE_SERVICE_ROLE_KEY.
"""

import base64
import json
import os
import urllib.parse
import urllib.request

from google.protobuf import json_format
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode

URL = os.environ["PAWL_URL"]
KEY = os.environ["PAWL_INGEST_KEY"]
SERVICE = os.environ["SUPABASE_SERVICE_ROLE_KEY"]


def request(path, headers, body=None):
    asked = urllib.request.Request(URL + path, body, headers)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.loads(answer.read() or "null")


def interactions(trace_ids):
    """The interactions of these traces, as they are stored."""
    ids = ",".join(trace_ids)
    select = "id,user_id,interaction_id,prompt,response,score,latency_ms,trace"
    query = urllib.parse.urlencode({"interaction_id": f"in.({ids})", "select": select})
    return request(f"/rest/v1/evaluations?{query}", {"apikey": SERVICE, "Authorization": f"Bearer {SERVICE}"})


def converse(tracer, question, answer):
    """An agent that asks a model, calls a tool, and asks the model again; the id of its trace."""
    said = [{"role": "user", "parts": [{"type": "text", "content": question}]}]
    call = {"type": "tool_call", "id": "call_1", "name": "find_refund", "arguments": {"order": "4711"}}
    answered = [{"role": "assistant", "parts": [{"type": "text", "content": answer}], "finish_reason": "stop"}]
    agent_attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "refunds",
        "gen_ai.input.messages": json.dumps(said),
        "gen_ai.output.messages": json.dumps(answered),
    }
    model = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5-mini"}
    with tracer.start_as_current_span("invoke_agent refunds", attributes=agent_attributes) as agent:
        with tracer.start_as_current_span("chat gpt-5-mini", kind=SpanKind.CLIENT, attributes=model) as chat:
            chat.set_attribute("gen_ai.input.messages", json.dumps(said))
            chat.set_attribute("gen_ai.output.messages", json.dumps([{"role": "assistant", "parts": [call]}]))
            chat.set_attribute("gen_ai.usage.input_tokens", 82)
            chat.set_attribute("gen_ai.response.finish_reasons", ["tool_calls"])
        with tracer.start_as_current_span("execute_tool find_refund") as tool:
            tool.set_attribute("gen_ai.operation.name", "execute_tool")
            tool.set_attribute("gen_ai.tool.name", "find_refund")
            tool.set_attribute("gen_ai.tool.call.id", "call_1")
            tool.set_attribute("gen_ai.tool.call.arguments", json.dumps({"order": "4711"}))
            tool.record_exception(TimeoutError("the ledger does not answer"))
            tool.set_status(Status(StatusCode.ERROR, "timed out"))
        with tracer.start_as_current_span("chat gpt-5-mini", kind=SpanKind.CLIENT, attributes=model) as chat:
            chat.add_event("gen_ai.user.message", {"content": question})
            chat.add_event("gen_ai.choice", {"index": 0, "message": json.dumps({"role": "assistant", "content": answer})})
        verdict = {"gen_ai.evaluation.name": "Relevance", "gen_ai.evaluation.score.value": 0.75}
        agent.add_event("gen_ai.evaluation.result", verdict)
        return format(agent.get_span_context().trace_id, "032x")


def check(found, trace_id, question, answer):
    [row] = [row for row in found if row["interaction_id"] == trace_id]
    assert (row["prompt"], row["response"], row["score"]) == (question, answer, 0.75), row
    assert isinstance(row["latency_ms"], int) and 0 <= row["latency_ms"] < 60_000, row
    call = {"name": "find_refund", "arguments": {"order": "4711"}, "result": None, "error": "timed out"}
    assert row["trace"] == [call], row


def with_ids(document, written):
    """A document whose ids are written otherwise: OTLP has them in hexadecimal, protobuf's own JSON in Base64."""
    for of_resource in document["resourceSpans"]:
        for of_scope in of_resource["scopeSpans"]:
            for span in of_scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = written(span[name])
    return document


def as_otlp_json(spans):
    """The spans as OTLP has them in JSON."""
    document = json_format.MessageToDict(encode_spans(spans))
    return json.dumps(with_ids(document, lambda text: base64.b64decode(text).hex())).encode()


def as_spans(row):
    """The spans of an interaction as protobuf has them: what goes out is read by the SDK's own messages."""
    path = f"/api/interactions/{row['id']}/otlp?user_id={row['user_id']}"
    document = request(path, {"apikey": SERVICE, "Authorization": f"Bearer {SERVICE}"})
    document = with_ids(document, lambda text: base64.b64encode(bytes.fromhex(text)).decode())
    message = json_format.ParseDict(document, ExportTraceServiceRequest())
    return [span for of_resource in message.resource_spans for of_scope in of_resource.scope_spans for span in of_scope.spans]


def main():
    exporter = OTLPSpanExporter(
        endpoint=f"{URL}/v1/traces", headers={"Authorization": f"Bearer {KEY}"}, compression=Compression.Gzip
    )
    kept = InMemorySpanExporter()
    over_protobuf = TracerProvider(resource=Resource.create({"service.name": "refunds"}))
    over_protobuf.add_span_processor(BatchSpanProcessor(exporter))
    for_json = TracerProvider(resource=Resource.create({"service.name": "refunds"}))
    for_json.add_span_processor(SimpleSpanProcessor(kept))

    answers = {number: (f"Where is refund {number}?", f"Refund {number} was paid.") for number in range(20)}
    by_protobuf = {converse(over_protobuf.get_tracer("refunds.agent", "1.4.0"), *said): said for said in answers.values()}
    assert over_protobuf.force_flush(30_000), "the exporter could not export"
    by_json = {converse(for_json.get_tracer("refunds.agent", "1.4.0"), *said): said for said in answers.values()}
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    answer = request("/v1/traces", headers, as_otlp_json(kept.get_finished_spans()))
    assert answer == {}, answer

    both = by_protobuf | by_json
    found = interactions(both)
    assert len(found) == len(both), f"{len(found)} interactions of {len(both)} traces"
    for trace_id, said in both.items():
        check(found, trace_id, *said)

    sent = {span.context.span_id: span for span in kept.get_finished_spans()}
    known = 0
    for row in found:
        for span in as_spans(row):
            same = sent.get(int.from_bytes(span.span_id, "big"))
            if same is not None:
                known += 1
                assert (span.name, span.start_time_unix_nano) == (same.name, same.start_time), span
                assert len(span.attributes) == len(same.attributes) and len(span.events) == len(same.events), span
    assert known == len(sent), f"{known} of {len(sent)} spans came back"

    # One by one and again: the same spans make the same interaction.
    for span in reversed(kept.get_finished_spans()):
        assert exporter.export([span]) == SpanExportResult.SUCCESS
    assert sorted(interactions(both), key=str) == sorted(found, key=str)

    refused = OTLPSpanExporter(endpoint=f"{URL}/v1/traces", headers={"Authorization": "Bearer pawl_nobody"})
    assert refused.export(kept.get_finished_spans()) == SpanExportResult.FAILURE
    print(f"traces.py: {len(both)} traces over protobuf and JSON, an interaction each")


if __name__ == "__main__":
    main()
