"""A refund desk of a shop: answers one question with JSON. It stands for your agent; replace it.

promptfoo's contract for commands: the prompt is the first argument, the answer goes to standard output.
"""

import json
import re
import sys

POLICY_DAYS = 30


def answer(question):
    days = re.search(r"(\d+)\s+days?", question)
    if not re.search(r"refund|money back|return", question, re.IGNORECASE):
        return {"decision": "escalate", "reply": "I hand this over to a colleague."}
    if days is None:
        return {"decision": "ask", "reply": "When did you buy it?"}
    if int(days.group(1)) <= POLICY_DAYS:
        return {"decision": "refund", "reply": f"You bought it within {POLICY_DAYS} days, so you get your money back."}
    return {"decision": "refuse", "reply": f"Our policy covers {POLICY_DAYS} days, so I cannot refund it."}


print(json.dumps(answer(sys.argv[1])))
