"""Runs each peer on the same talks and prints what they take, as a Markdown table."""

import argparse
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(HERE, "work")
PYTHON = sys.executable
CALLS, PLANS = 90, 30

CAMPAIGN = """name: talks
replicates: {talks}
env: exchange
protocol: roundtable
rule: plurality
model: {{name: openai/fast, base_url: {url}}}
cost: unknown
limits: {{collaborations: {talks}, calls: {calls}}}
"""


def roundtable(url, talks, folder):
    file = os.path.join(folder, "talks.yaml")
    if not os.path.exists(file):
        with open(file, "w") as f:
            f.write(CAMPAIGN.format(talks=talks, url=url, calls=3 * talks))
    return [os.path.join(WORK, "roundtable"), "run", "talks.yaml", "--no-check"]


PEERS = {
    "roundtable": roundtable,
    "goroutines that keep nothing": lambda url, talks, _: [os.path.join(WORK, "goroutines"), url, str(talks)],
    "LangGraph, SQLite checkpoints": lambda url, talks, folder: [PYTHON, os.path.join(HERE, "langgraph_talks.py"), url, str(talks), os.path.join(folder, "talks.db")],
    "inspect_ai, eval_retry": lambda url, talks, folder: [PYTHON, os.path.join(HERE, "inspect_talks.py"), url, str(talks), folder],
}


class Service:
    def __init__(self, latency, limit=0, stray=0):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % s.getsockname()[1]
        self.process = subprocess.Popen([os.path.join(WORK, "service"), self.address, "%gs" % latency, str(limit), str(stray)])
        self.url = "http://%s/v1" % self.address
        for _ in range(200):
            try:
                self.calls()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("the service does not start")

    def calls(self):
        return int(urllib.request.urlopen("http://%s/stat" % self.address).read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def start(command, folder):
    with open(os.path.join(folder, "output.txt"), "ab") as out:
        return subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, start_new_session=True)


def wait(process, folder):
    """Waits for the end and returns processor seconds and peak megabytes."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, -signal.SIGKILL):
        with open(os.path.join(folder, "output.txt"), errors="replace") as f:
            raise RuntimeError("it ended with %d: %s" % (process.returncode, f.read()[-600:]))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def whole(peer, latency, talks):
    """A run without a kill."""
    folder = tempfile.mkdtemp(dir=WORK)
    with Service(latency) as service:
        began = time.time()
        process = start(peer(service.url, talks, folder), folder)
        try:
            processor, peak = wait(process, folder)
        finally:
            kill(process)
        took, calls = time.time() - began, service.calls()
    shutil.rmtree(folder)
    if calls < talks * CALLS:
        raise RuntimeError("it made %d of %d calls" % (calls, talks * CALLS))
    return calls / took, took / (PLANS * latency), 1000 * processor / calls, peak


def refused(peer, latency, talks, limit, stray):
    """A run beside a service that refuses calls: minutes taken, calls refused."""
    folder = tempfile.mkdtemp(dir=WORK)
    with Service(latency, limit, stray) as service:
        began = time.time()
        process = start(peer(service.url, talks, folder), folder)
        try:
            wait(process, folder)
        finally:
            kill(process)
        took, calls = time.time() - began, service.calls()
    shutil.rmtree(folder)
    return took / 60, calls - talks * CALLS, calls


def killed(peer, latency, talks):
    """A run that is killed with half of its calls made, and started again: the calls that
    were made more than once."""
    folder, all_calls = tempfile.mkdtemp(dir=WORK), talks * CALLS
    with Service(latency) as service:
        process = start(peer(service.url, talks, folder), folder)
        try:
            while service.calls() < all_calls / 2:
                if process.poll() is not None:
                    raise RuntimeError("it ended before the kill")
                time.sleep(0.01)
        finally:
            kill(process)
        process.wait()
        process = start(peer(service.url, talks, folder), folder)
        try:
            wait(process, folder)
        finally:
            kill(process)
        calls = service.calls()
    shutil.rmtree(folder)
    return calls - all_calls


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    versions = open(os.path.join(WORK, "packages")).read().strip()
    return "%s cores of %s, %s, Python %s, %s" % (os.cpu_count(), model, time.strftime("%Y-%m-%d"), platform.python_version(), versions)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="20 talks and answers of 0.2 and 1 s in the place of 100 and 0.2, 1 and 10 s")
    options.add_argument("--talks", type=int, help="how many talks are held at once")
    options.add_argument("--latency", type=float, action="append", help="seconds to an answer")
    options.add_argument("--limit", type=int, default=0, help="calls a minute that the service takes; only refusals are measured")
    options.add_argument("--stray", type=float, default=0, help="share of calls that it refuses by chance; likewise")
    options.add_argument("--peer", action="append", help="only peers whose name holds this")
    o = options.parse_args()
    talks = o.talks or (20 if o.quick else 100)
    latencies = o.latency or ([0.2, 1] if o.quick else [0.2, 1, 10])
    lines = ["%d talks at once of %d calls each; %s" % (talks, CALLS, machine()), "",
             "| answers | | calls/s | makespan ÷ ideal | processor time a call | peak memory | bought again after a kill |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines), flush=True)
    for latency in latencies:
        for name, peer in PEERS.items():
            if o.peer and not any(part in name for part in o.peer):
                continue
            if o.limit or o.stray:
                os.environ["ADAPTIVE"] = "1"
                print("| %s | %.2f min | %d of %d refused |" % (name, *refused(peer, latency, talks, o.limit, o.stray)), flush=True)
                continue
            try:
                rate, makespan, processor, peak = whole(peer, latency, talks)
                again = killed(peer, latency, talks)
                line = "| %g s | %s | %.0f | %.2f | %.2f ms | %.0f MB | %d of %d |" % (latency, name, rate, makespan, processor, peak, again, talks * CALLS)
            except RuntimeError as problem:
                line = "| %g s | %s | it could not be measured: %s |" % (latency, name, str(problem).replace("\n", " ").replace("|", "/"))
            lines.append(line)
            print(line, flush=True)
    with open(os.path.join(WORK, "table.md"), "w") as f:
        f.write("\n".join(lines) + "\n")


main()
