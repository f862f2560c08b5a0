#!/usr/bin/env bash
# Hands in an interaction by curl, as docs/INTAKE.md shows it, and once more; then some at once.
#
# Needs SUPABASE_URL, INGESTION_API_SECRET, and a tenant of the id that the example has.
set -euo pipefail

# Whether an answer, its body and then its status, is like this pattern.
expect() {
    local answer=$1 expected=$2
    if [[ $answer != $expected ]]; then
        printf 'expected: %s\nanswered: %s\n' "$expected" "$answer" >&2
        exit 1
    fi
}

hand_in() {
    curl --silent --show-error --write-out ' %{http_code}' -X POST "$SUPABASE_URL/api/evals/ingest" \
        -H "Content-Type: application/json" \
        -H "X-Ingestion-Secret: $INGESTION_API_SECRET" \
        -d '{
    "user_id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
    "interaction_id": "session_12345",
    "prompt": "What is machine learning?",
    "response": "Machine learning is a subset of AI...",
    "score": 0.92,
    "latency_ms": 145,
    "flags": ["technical"],
    "pii_tokens_redacted": 0
  }'
}

expect "$(hand_in)" '{"status":"created","id":"*"} 201'
expect "$(hand_in)" '{"status":"duplicate","id":"*"} 200'

line='{"user_id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","interaction_id":"%d","prompt":"p","response":"r"}\n'
lines=$(for n in 1 2 3; do printf "$line" "$n"; done | gzip --no-name --to-stdout |
    curl --silent --show-error --write-out ' %{http_code}' "$SUPABASE_URL/api/evals/ingest" \
        -H "Content-Type: application/x-ndjson" -H "Content-Encoding: gzip" \
        -H "X-Ingestion-Secret: $INGESTION_API_SECRET" --data-binary @-)
expect "$lines" '{"results":\[{"status_code":201,*},{"status_code":201,*},{"status_code":201,*}\]} 201'

form=$(curl --silent --show-error --write-out ' %{http_code}' "$SUPABASE_URL/api/evals/ingest" \
    -H "X-Ingestion-Secret: $INGESTION_API_SECRET" -d '{}')
expect "$form" '*"code":"unsupported_media_type"*Content-Type: application/json* 415'

stranger=$(curl --silent --show-error --write-out ' %{http_code}' "$SUPABASE_URL/api/evals/ingest" \
    -H "X-Ingestion-Secret: guessed" -d '{}')
expect "$stranger" '*"code":"unauthenticated"* 401'

policy=$(curl --silent --show-error --write-out ' %{http_code}' -H "X-Ingestion-Secret: $INGESTION_API_SECRET" \
    "$SUPABASE_URL/api/evals/policy?user_id=a1b2c3d4-e5f6-7890-abcd-ef1234567890")
expect "$policy" '*"run_policy":"always"*"remaining_today":996* 200'

echo "handed in by curl"
