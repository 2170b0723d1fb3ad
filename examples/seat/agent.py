"""An agent of one's own at the table: any program that speaks chat completions.

    python3 examples/seat/agent.py 8700

It keeps in mind what it said, by turn, so that a question that is asked again after
a crash, here or there, gets the same answer. Put your own framework into think().
"""
import json, os, re, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MEMORY = "seat-memory.jsonl"
said = {}
if os.path.exists(MEMORY):
    said = dict(json.loads(line) for line in open(MEMORY) if line.endswith("\n"))


def think(messages, turn):
    """The answer to the last message. turn holds Campaign, Agent, Round, …"""
    options = re.findall(r"^\(([A-Z])\)", "\n".join(m["content"] for m in messages), re.M)
    if '"decision"' in messages[-1]["content"]:  # a ballot
        return json.dumps({"reason_for_decision": "the first one", "decision": 1})
    return f"Round {turn['Round']}. It is the last option. Answer: ({max(options, default='A')})"


class Seat(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        turn = {k[len("Roundtable-"):]: v for k, v in self.headers.items() if k.startswith("Roundtable-")}
        key = self.headers["Idempotency-Key"]  # the same for the same turn, whatever is restarted
        if key is None:  # run asks each model once before it begins, for no turn
            return self.answer("ready")
        if key not in said:
            said[key] = think(question["messages"], turn)
            with open(MEMORY, "a") as f:
                f.write(json.dumps([key, said[key]]) + "\n")
        self.answer(said[key])

    def answer(self, text):
        answer = {"object": "chat.completion", "model": "my-agent", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Seat).serve_forever()
