"""The talks as samples of an inspect_ai task. Started again, eval_retry keeps the samples
that were finished."""

import asyncio
import glob
import os
import sys

from inspect_ai import Task, eval, eval_retry, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.solver import Generate, TaskState, solver

AGENTS, PLANS = 3, 30


@solver
def talk():
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model, said = get_model(), []
        for plan in range(PLANS):
            answers = await asyncio.gather(*(
                model.generate([
                    ChatMessageSystem(content=f"You are agent {agent} of talk {state.sample_id}. Plan {plan}."),
                    ChatMessageUser(content="What was said:\n" + "\n".join(said)),
                ]) for agent in range(AGENTS)))
            said += [a.completion for a in answers]
        state.output.completion = said[-1]
        return state
    return solve


@task
def talks(count: int = 1):
    return Task(dataset=[Sample(id=n + 1, input="talk") for n in range(count)], solver=talk())


def main(url, count, folder):
    os.environ["OPENAI_API_KEY"] = "none"  # eval_retry keeps no key
    how = dict(max_samples=count, display="none", log_dir=folder)
    how |= dict(adaptive_connections=True) if "ADAPTIVE" in os.environ else dict(max_connections=AGENTS * count)
    begun = sorted(glob.glob(folder + "/*.eval"))
    if begun:
        logs = eval_retry(begun[-1], **how)
    else:
        logs = eval(__file__ + "@talks", task_args={"count": count}, model="openai/fast", model_base_url=url,
                    model_args={"responses_api": False}, **how)
    if logs[0].status != "success":
        sys.exit(f"the task ended as {logs[0].status}: {logs[0].error}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
