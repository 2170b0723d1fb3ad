"""Experiments in which groups of LLM agents decide, from Python.

This calls the program ``roundtable``, which is installed beside it, and hands on what the
program writes::

    import roundtable

    roundtable.run("campaign.yaml")
    roundtable.query("SELECT rule, avg(outcome) AS outcome FROM collaborations GROUP BY rule", frame="pandas")
    roundtable.table("turns", "my-campaign")
    roundtable.show("my-campaign/majority-3fa2b1c4-i0-r7")

The functions read and write the lake that ``$ROUNDTABLE_LAKE`` names, or ``./lake``;
``Lake(location)`` has the same ones for another.
"""

from __future__ import annotations

import html
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

__all__ = ["Lake", "RoundtableError", "Transcript", "plan", "program", "query", "run", "show", "table"]

Frame = Literal["arrow", "pandas", "polars"]

# Few values that come again and again: Arrow's dictionaries, which are categoricals in pandas and polars.
_CATEGORICAL = frozenset(
    "campaign_id condition_id label labeller environment instance_id protocol rule model status "
    "measure end_reason kind phase provider model_asked model_answered".split()
)


class RoundtableError(RuntimeError):
    """The program refused or failed. ``code`` is its exit code: 2 if a file or an argument is refused."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said or f"roundtable ended with code {code}")
        self.code = code


def program() -> str:
    """Return the path of the program: the environment's own, else the one on the PATH."""
    beside = os.path.join(sysconfig.get_path("scripts"), "roundtable")
    found = beside if os.access(beside, os.X_OK) else shutil.which("roundtable")
    if found is None:
        raise FileNotFoundError(f"there is no program roundtable in {os.path.dirname(beside)} or on the PATH")
    return found


def _call(arguments: Iterable[str], *, show: bool = False) -> tuple[int, str, str]:
    """Run the program; with show, print what it tells as it goes. Return its code, output and errors."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        process = subprocess.Popen(
            [program(), *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            start_new_session=True,  # Ctrl-C is passed on once, below: the program ends at the second
        )
        assert process.stderr is not None
        told = []
        try:
            for line in process.stderr:
                told.append(line)
                if show:
                    print(line, end="", file=sys.stderr, flush=True)
            process.stderr.close()
            code = process.wait()
        except BaseException:  # as Ctrl-C: answers that are under way are kept
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
        out.seek(0)
        return code, out.read(), "".join(told)


def _check(code: int, told: str, accepted: tuple[int, ...] = (0,)) -> None:
    if code not in accepted:
        raise RoundtableError(code, told.strip())


def _read(path: str, frame: Frame) -> Any:
    import pyarrow.parquet as parquet  # type: ignore[import-untyped]

    schema = parquet.read_schema(path)
    texts = [f.name for f in schema if f.name in _CATEGORICAL and str(f.type) in ("string", "large_string")]
    read = parquet.read_table(path, read_dictionary=texts)
    if frame == "pandas":
        return read.to_pandas()
    if frame == "polars":
        import polars

        return polars.from_arrow(read)
    if frame == "arrow":
        return read
    raise ValueError(f"frame={frame!r}; expected one of: arrow, pandas, polars")


class Transcript:
    """A collaboration. ``text`` is what ``roundtable show`` prints, ``data`` its rows as the program's JSON."""

    def __init__(self, text: str, data: dict[str, Any]) -> None:
        self.text = text
        self.data = data

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        head, _, rest = self.text.partition("\n")
        return (
            f"<details open><summary><b>{html.escape(head)}</b></summary>"
            f'<pre style="white-space: pre-wrap; max-height: 40em; overflow: auto">{html.escape(rest)}</pre></details>'
        )


class Lake:
    """Where tables and answers are: a folder, ``s3://bucket/prefix``, or None for the program's default."""

    def __init__(self, location: str | os.PathLike[str] | None = None) -> None:
        self.location = None if location is None else os.fspath(location)

    def __repr__(self) -> str:
        return f"Lake({self.location!r})"

    def _arguments(self, *arguments: str) -> list[str]:
        return [*([] if self.location is None else [f"--lake={self.location}"]), *arguments]

    def _campaign(
        self, command: str, file: str | os.PathLike[str], name: str | None, set: Mapping[str, Any] | None, limit: int | None
    ) -> list[str]:
        arguments = [command, os.fspath(file), "--json"]
        arguments += [] if name is None else [f"--name={name}"]
        arguments += [] if limit is None else [f"--limit={limit}"]
        for key, value in (set or {}).items():
            arguments.append(f"--set={key}={value if isinstance(value, str) else json.dumps(value)}")
        return self._arguments(*arguments)

    def plan(
        self,
        file: str | os.PathLike[str],
        *,
        name: str | None = None,
        set: Mapping[str, Any] | None = None,
        limit: int | None = None,
    ) -> dict[str, Any]:
        """Return a campaign file's conditions, calls and predicted cost; nothing is asked.

        name, set and limit are the program's flags, as ``set={"rule": "borda"}``.
        """
        code, out, told = _call(self._campaign("plan", file, name, set, limit))
        _check(code, told)
        planned: dict[str, Any] = json.loads(out)
        return planned

    def run(
        self,
        file: str | os.PathLike[str],
        *,
        name: str | None = None,
        set: Mapping[str, Any] | None = None,
        limit: int | None = None,
        retry_failed: bool = False,
        progress: bool = True,
    ) -> dict[str, Any]:
        """Run a campaign, or resume it where it stopped, and return its summary.

        The dict has the cells by how they ended, the headline and the tables. An interrupt keeps
        the answers that are under way; the same call resumes. Cells that did not succeed are a warning.
        """
        arguments = self._campaign("run", file, name, set, limit) + (["--retry-failed"] if retry_failed else [])
        code, out, told = _call(arguments, show=progress)
        _check(code, told, (0, 3) if out.strip() else (0,))
        if code == 3:
            warnings.warn(f"something is left or did not succeed: {told.strip()}", stacklevel=2)
        summary: dict[str, Any] = json.loads(out)
        return summary

    def query(self, sql: str, *, campaigns: Iterable[str] = (), frame: Frame = "arrow") -> Any:
        """Return what a SELECT over the tables answers, as an Arrow table, or a pandas or polars frame.

        It sees all campaigns, or those that are named. It needs DuckDB and pyarrow.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.parquet")
            chosen = [f"--campaign={c}" for c in campaigns]
            code, _, told = _call(self._arguments("query", f"-o={path}", *chosen, "--", sql))
            _check(code, told)
            return _read(path, frame)

    def table(self, name: str, campaign: str | None = None, *, frame: Frame = "arrow") -> Any:
        """Return a table: collaborations, rounds, turns, ballots, calls, labels, features, gold or instances.

        Of one campaign it needs no DuckDB, and each row was checked against its hash; without
        one it is that of all campaigns. Conditions, labels and their like are categorical.
        """
        if campaign is None:
            return self.query("FROM " + name, frame=frame)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "table.parquet")
            code, _, told = _call(self._arguments("export", campaign, f"--table={name}", f"-o={path}"))
            _check(code, told)
            return _read(path, frame)

    def show(self, collaboration: str, *, prompts: bool = False, raw: bool = False, thinking: bool = False) -> Transcript:
        """Return a collaboration's transcript by its id or CAMPAIGN/ID; a notebook shows it as HTML."""
        flags = [flag for flag, on in (("--prompts", prompts), ("--raw", raw), ("--thinking", thinking)) if on]
        code, text, told = _call(self._arguments("show", collaboration, *flags))
        _check(code, told)
        code, data, told = _call(self._arguments("show", collaboration, *flags, "--json"))
        _check(code, told)
        return Transcript(text, json.loads(data))


_default = Lake()
plan, run, query, table, show = _default.plan, _default.run, _default.query, _default.table, _default.show
