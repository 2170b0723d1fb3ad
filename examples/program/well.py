"""An environment for Roundtable: where along a road three villagers drill a well.

Each answer is one line of JSON for one line of JSON, and depends on nothing but its
question: numbers are drawn from the question's own seed. The lines are explained in
docs/guides/program-environment.md.
"""
import json
import random
import sys

NAMES = ["Ana", "Ben", "Cleo"]


def walked(homes, km):
    return sum(abs(home - km) for home in homes)


def describe(q):
    return {"version": 1, "measure": "share", "instances": 0, "policies": ["neighbour", "stubborn"]}


def instance(q):
    road = q["params"].get("road", 10)
    draw = random.Random(f'{q["seed"]}/{q["index"]}')
    homes = [draw.randint(0, 10 * road) / 10 for _ in NAMES]
    return {
        "id": f'well-{q["index"]}',
        "task": f"The three of you drill one well along a road of {road} km. Everybody wants a short way to it.",
        "proposal": f'A proposal is a JSON object: {{"km": <number from 0 to {road}>}}; one decimal counts.',
        "agents": [{"name": name, "background": f"Your house is at kilometre {home}.", "view": home}
                   for name, home in zip(NAMES, homes)],
        "problem": {"homes": homes, "road": road},  # comes back with each proposal
        "facts": [{"name": "Houses", "text": ", ".join(f"{n}: {h} km" for n, h in zip(NAMES, homes))}],
    }


def parse(q):
    proposal, road = q["proposal"], q["problem"]["road"]
    km = proposal.get("km") if isinstance(proposal, dict) and len(proposal) == 1 else None
    if type(km) not in (int, float) or not 0 <= km <= road:
        return {"error": f'a proposal is {{"km": <number>}} with a number from 0 to {road}'}
    return {"proposal": {"km": round(float(km), 1)}}  # equal proposals in equal words


def score(q):
    homes, road, km = q["problem"]["homes"], q["problem"]["road"], q["proposal"]["km"]
    best, worst = walked(homes, sorted(homes)[1]), max(walked(homes, 0), walked(homes, road))
    return {"score": min(1, max(0, (worst - walked(homes, km)) / (worst - best))),
            "utilities": [-abs(home - km) for home in homes]}


def act(q):
    """What a scripted agent does: it knows its view (its house) and what was said."""
    home = q["view"] if q["view"] is not None else 5  # a speaker with a role has no house
    heard = [offer["proposal"]["km"] for offer in q["offers"] if offer["agent"] != q["agent"]]
    wish = (home + heard[-1]) / 2 if heard and q["policy"] == "neighbour" else home
    if q["do"] == "message":
        return {"text": f"Let us drill at kilometre {wish:.1f}.", "to": []}
    if q["do"] == "propose":
        return {"proposal": {"km": round(wish, 1)}}
    if q["do"] == "reserve":
        return {"value": 0.6 if q["policy"] == "neighbour" else 0.9}
    return {"value": max(0, 1 - abs(home - q["candidate"]["km"]) / 10)}


for line in sys.stdin:
    question = json.loads(line)
    answer = globals()[question["ask"]](question)
    print(json.dumps({"n": question["n"], **answer}), flush=True)
