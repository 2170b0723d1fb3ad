"""The talks as a LangGraph graph with SQLite checkpoints: a node an agent, a superstep a
plan. Started again, each talk goes on from its last checkpoint."""

import asyncio
import operator
import sys
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from openai import AsyncOpenAI

AGENTS, PLANS = 3, 30


class Talk(TypedDict):
    talk: int
    plan: int
    said: Annotated[list[str], operator.add]


def graph(client):
    def speaker(agent):
        async def speak(state: Talk):
            answer = await client.chat.completions.create(model="fast", messages=[
                {"role": "system", "content": f"You are agent {agent} of talk {state['talk']}. Plan {state['plan']}."},
                {"role": "user", "content": "What was said:\n" + "\n".join(state["said"])},
            ])
            return {"said": [answer.choices[0].message.content]}
        return speak

    names = [f"agent{n}" for n in range(AGENTS)]
    g = StateGraph(Talk)
    g.add_node("next", lambda state: {"plan": state["plan"] + 1})
    for n, name in enumerate(names):
        g.add_node(name, speaker(n))
    g.add_conditional_edges(START, lambda _: names, names)
    g.add_edge(names, "next")
    g.add_conditional_edges("next", lambda state: names if state["plan"] < PLANS else END, [*names, END])
    return g


async def main(url, talks, file):
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=2, timeout=600)
    async with AsyncSqliteSaver.from_conn_string(file) as saver:
        app = graph(client).compile(checkpointer=saver)

        async def hold(n):
            config = {"configurable": {"thread_id": str(n)}, "recursion_limit": 1000}
            begun = await app.aget_state(config)
            if begun.values.get("plan") == PLANS:
                return
            done = await app.ainvoke(None if begun.next else {"talk": n, "plan": 0, "said": []}, config, durability="sync")
            if done["plan"] != PLANS:
                sys.exit(f"talk {n} ended after plan {done['plan']}")

        await asyncio.gather(*(hold(n) for n in range(talks)))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
