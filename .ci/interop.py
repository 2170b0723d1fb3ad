"""Reads a lake with pyarrow, pandas, Polars and DuckDB and compares every value
with what the program itself says.

    python interop.py PROGRAM LAKE CAMPAIGN

The lake holds this one campaign, which has ended. For each reader, of the raw files,
the compacted parts and the exported files, three things must agree: the number
of rows with `verify`, every row and column of every table with `show`, and a
mean computed from the columns with `analyze`. `query` must give the same means,
the lines of the campaign's card must run, what describes its files to programs
must be true of them, and tools that show transcripts must open those it exports.
"""

import contextlib
import datetime
import hashlib
import importlib.util
import io
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import duckdb
import numpy
import pandas
import polars
import pyarrow.dataset
import pyarrow.parquet

TABLES = ["collaborations", "rounds", "turns", "ballots", "calls"]
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def with_pyarrow(folder):
    return pyarrow.dataset.dataset(folder, format="parquet", partitioning="hive").to_table().to_pylist()


def with_pandas(folder):
    return pandas.read_parquet(folder, partitioning="hive", dtype_backend="pyarrow").to_dict("records")


def with_polars(folder):
    return polars.scan_parquet(f"{folder}/**/*.parquet", hive_partitioning=True).collect().to_dicts()


def with_duckdb(folder):
    db = duckdb.sql(f"SELECT * FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true)")
    return [dict(zip(db.columns, row)) for row in db.fetchall()]


READERS = {
    f"pyarrow {pyarrow.__version__}": with_pyarrow,
    f"pandas {pandas.__version__}": with_pandas,
    f"polars {polars.__version__}": with_polars,
    f"duckdb {duckdb.__version__}": with_duckdb,
}


def plain(value):
    """A value as the program's JSON has it: times in microseconds."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            value = value.replace(tzinfo=datetime.timezone.utc)
        return (value - EPOCH) // datetime.timedelta(microseconds=1)
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    return None if value is pandas.NA else value


def row_of(values):
    """A row without its absent values and the columns that come from the path."""
    campaign, condition = values.pop("campaign", values["campaign_id"]), values.pop("condition", values["condition_id"])
    assert (campaign, condition) == (values["campaign_id"], values["condition_id"]), "the path and the row disagree"
    return said({name: plain(v) for name, v in values.items()})


def said(row):
    return {name: v for name, v in row.items() if v is not None and v != []}


def key_of(row):
    return tuple(str(row.get(n)) for n in ("collaboration_id", "generation", "round", "entry", "ask", "attempt", "agent", "candidate"))


class Program:
    def __init__(self, path, lake):
        self.command = [os.path.abspath(path), "--lake", os.path.abspath(lake), "--json"]

    def __call__(self, *args):
        return json.loads(subprocess.run([*self.command, *args], check=True, stdout=subprocess.PIPE).stdout)


def compare(found, expected, what):
    """Both are lists of rows; raises with the first difference."""
    found, expected = sorted(found, key=key_of), sorted(expected, key=key_of)
    assert len(found) == len(expected), f"{what}: {len(found)} rows, the program shows {len(expected)}"
    for row, want in zip(found, expected):
        for name in sorted(row.keys() | want.keys()):
            a, b = row.get(name), want.get(name)
            assert a == b, f"{what}: {name} of {key_of(row)} is {a!r}, the program shows {b!r}"


def utility(rows):
    """Mean share of the greatest utility by rule, in percent, as in Table 1."""
    by_rule = {}
    for row in rows:
        by_rule.setdefault(row["rule"], []).append(100 * row.get("score", 0.0))
    return {rule: math.fsum(v) / len(v) for rule, v in by_rule.items()}


def shown(program, campaign, collaborations):
    """Every row that `show` gives, by table."""
    tables = {name: [] for name in TABLES}
    for c in collaborations:
        story = program("show", f"{campaign}/{c}")
        for name in TABLES:
            tables[name] += [said(row) for row in story[name]]
    return tables


def check_tables(what, found, expected, verified, table1):
    for name in TABLES:
        assert expected[name], f"{name}: the program shows no row"
        compare(found[name], expected[name], f"{what}, {name}")
    rows = sum(len(r) for r in found.values())
    assert rows == verified["rows"], f"{what}: {rows} rows, verify says {verified['rows']}"
    means = utility(found["collaborations"])
    check_means(what, means, table1)
    values = sum(len(row) for table in found.values() for row in table)
    print(f"{what}: {rows} rows, {values} values, {len(means)} means agree")


def check_means(what, means, table1):
    assert means.keys() == table1.keys(), (what, means, table1)
    for rule, mean in means.items():
        assert math.isclose(mean, table1[rule], rel_tol=1e-12, abs_tol=1e-12), f"{what}: {rule}: {mean}, analyze says {table1[rule]}"


def check_card(program, campaign):
    """Runs the lines that the campaign's card offers; each prints a mean by rule."""
    card = open(f"lake/_campaigns/{campaign}/README.md").read()
    want = {r["rule"]: r["score"] for r in program("query", "SELECT rule, avg(outcome) AS score FROM collaborations GROUP BY rule")}
    statements = re.search(r"```sql\n(.*?)```", card, re.S).group(1)
    db = duckdb.connect()
    got = {row[0]: row[3] for row in db.execute(statements).fetchall()}
    assert got.keys() == want.keys(), (got, want)
    for rule, score in got.items():
        assert math.isclose(score, want[rule], rel_tol=1e-12), (rule, score, want[rule])
    turns = program("query", "SELECT count(*) AS n FROM turns")[0]["n"]
    assert db.execute("SELECT count(*) FROM turns").fetchone()[0] == turns
    for lines in re.findall(r"```python\n(.*?)```", card, re.S):
        names, printed = {}, io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(lines, names)
        assert all(rule in printed.getvalue() for rule in want), printed.getvalue()
        collaborations, known = names["collaborations"], names["turns"]
        if isinstance(known, polars.LazyFrame):
            collaborations, known = collaborations.collect(), known.collect()
        assert len(known) == turns, (len(known), turns)
        got = {}
        for rule, score in zip(collaborations["rule"], collaborations["outcome"]):
            got.setdefault(rule, []).append(score)
        for rule, scores in got.items():
            mean = [x for x in scores if x is not None and not math.isnan(x)]
            assert math.isclose(sum(mean) / len(mean), want[rule], rel_tol=1e-12), (rule, scores)
    print(f"card: the lines for DuckDB, Polars and pandas give {len(want)} means and {turns} turns as query does")


def check_descriptions(campaign):
    """Holds files.json, schema.json and croissant.json to the files."""
    files, schema, croissant = (json.load(open(f"lake/_campaigns/{campaign}/{name}.json")) for name in ("files", "schema", "croissant"))
    sets = {d["@id"]: d["includes"] for d in croissant["distribution"]}
    checked = 0
    for table, records in zip(schema["tables"], croissant["recordSet"]):
        columns = [c["name"] for c in table["columns"]]
        assert records["@id"] == table["name"] and [f["name"] for f in records["field"]] == columns, records["@id"]
        assert all(c["about"] for c in table["columns"]), table["name"]
        source = {f["source"]["fileSet"]["@id"] for f in records["field"]}
        assert len(source) == 1 and sets[source.pop()] == [f["key"] for f in files["files"][table["name"]]], table["name"]
        for f in files["files"][table["name"]]:
            data = open(f["key"], "rb").read()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (f["size"], f["sha256"]), f["key"]
            part = pyarrow.parquet.ParquetFile(io.BytesIO(data))
            assert part.schema_arrow.names == columns and part.metadata.num_rows == f["rows"], f["key"]
            checked += 1
    print(f"schema.json, files.json and croissant.json are true of {checked} files")


def check_published(program, campaign, expected):
    """Opens an exported data set as the Hub and programs that read Croissant do."""
    with tempfile.TemporaryDirectory() as out:
        program("export", campaign, "--dataset", "-o", out)
        head = open(f"{out}/README.md").read().split("---\n")[1]
        configs = dict(re.findall(r"- config_name: (\w+)\n(?:  default: true\n)?  data_files:\n  - split: train\n    path: (\S+)\n", head))
        assert sorted([*configs.values(), "README.md", "croissant.json"]) == sorted(os.listdir(out)), (configs, os.listdir(out))
        for name, file in configs.items():
            compare([row_of(r) for r in pyarrow.parquet.read_table(f"{out}/{file}").to_pylist()], expected[name], f"published, {name}")
        if importlib.util.find_spec("mlcroissant") is None:
            print("croissant.json of an export: LEFT OUT: no mlcroissant here")
            return
        check_croissant(f"{out}/croissant.json", configs, expected)
        broken = json.load(open(f"{out}/croissant.json"))
        broken["recordSet"][0]["field"][0]["source"]["fileObject"]["@id"] = "elsewhere.parquet"
        json.dump(broken, open(f"{out}/broken.json", "w"))
        try:
            check_croissant(f"{out}/broken.json", configs, expected)
        except Exception:
            return
        raise AssertionError("mlcroissant accepts a source that is nowhere")


def check_imported(program, campaign, expected):
    """Imports the transcripts as Inspect Scout has them, as we and as pyarrow write them."""
    said = sum(1 for t in expected["turns"] if t["kind"] == "ask" and t.get("text"))
    with tempfile.TemporaryDirectory() as out:
        program("export", campaign, "--format", "scout", "-o", f"{out}/ours")
        table = pyarrow.parquet.read_table(f"{out}/ours/{campaign}.parquet")
        os.mkdir(f"{out}/theirs")
        table = table.drop_columns(["condition_id", "rule", "label", "cost_usd"]).append_column("limit", pyarrow.nulls(len(table)))
        pyarrow.parquet.write_table(table, f"{out}/theirs/t.parquet", compression="zstd")
        there, turns = Program(program.command[0], f"{out}/lake"), {}
        for name in ("ours", "theirs"):
            sums = there("import", f"{out}/{name}", "--name", name)
            assert sums["transcripts"] == len(expected["collaborations"]) and sums["unread"] == [], sums
            assert there("label", name)["messages"] == sums["messages"] >= said, (said, sums)
            assert there("verify", name)["ok"], name
            turns[name] = there("query", f"SELECT * EXCLUDE campaign_id FROM turns WHERE campaign_id = '{name}' ORDER BY collaboration_id, entry")
        assert turns["ours"] == turns["theirs"] and len(turns["ours"]) > sums["messages"], len(turns["ours"])
        outcomes = there("query", "SELECT outcome FROM collaborations WHERE campaign_id = 'theirs' ORDER BY outcome")
        assert [r["outcome"] for r in outcomes] == sorted(c.get("outcome", 0) for c in expected["collaborations"])
    print(f"import: {sums['transcripts']} transcripts with {sums['messages']} messages, labelled, verified, with the same outcomes")


def check_opened(program, campaign, expected):
    """Opens the transcripts as Inspect Scout and inspect do: their checkers, their commands, their server."""
    scout, inspect = shutil.which("scout"), shutil.which("inspect")
    if not scout or not inspect:
        print("transcripts: LEFT OUT: no inspect_scout here")
        return
    with tempfile.TemporaryDirectory() as out:
        program("export", campaign, "--format", "scout", "-o", f"{out}/scout")
        subprocess.run([scout, "db", "validate", f"{out}/scout"], check=True, stdout=subprocess.DEVNULL)
        os.mkdir(f"{out}/broken")
        table = pyarrow.parquet.read_table(f"{out}/scout/{campaign}.parquet").drop_columns(["transcript_id"])
        pyarrow.parquet.write_table(table, f"{out}/broken/t.parquet")
        assert subprocess.run([scout, "db", "validate", f"{out}/broken"], capture_output=True).returncode, "scout takes anything"
        program("export", campaign, "--format", "eval", "-o", f"{out}/eval")
        logs = json.loads(subprocess.check_output([inspect, "log", "list", "--log-dir", f"{out}/eval", "--json"]))
        scores = []
        for log in logs:
            path = f"{out}/eval/{os.path.basename(log['name'])}"
            header, whole = (json.loads(subprocess.check_output([inspect, "log", "dump", path, *only])) for only in (["--header-only"], []))
            assert header["eval"] == whole["eval"] and len(whole["samples"]) == header["results"]["total_samples"], path
            scores += [s["scores"]["outcome"]["value"] for s in whole["samples"]]
        assert sorted(scores) == sorted(c.get("outcome", 0) for c in expected["collaborations"]), scores
        shown = served(inspect, f"{out}/eval")
        assert len(shown) == len(logs) == len({c["condition_id"] for c in expected["collaborations"]}), (shown, logs)
    print(f"transcripts: scout db validate passes, inspect log and inspect view open {len(logs)} logs with {len(scores)} samples")


def served(inspect, folder):
    """The headers of the logs that inspect's viewer shows."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        at = f"http://127.0.0.1:{free.getsockname()[1]}/api"
    viewer = subprocess.Popen([inspect, "view", "start", "--log-dir", folder, "--port", at.split(":")[2].split("/")[0]], stdout=subprocess.DEVNULL)
    try:
        for _ in range(60):
            try:
                names = [f["name"] for f in json.load(urllib.request.urlopen(f"{at}/log-files"))["files"]]
                break
            except OSError:
                time.sleep(1)
        return json.load(urllib.request.urlopen(f"{at}/log-headers?" + urllib.parse.urlencode({"file": names}, doseq=True)))
    finally:
        viewer.terminate()
        viewer.wait()


def check_croissant(path, tables, expected):
    """Has mlcroissant judge a description and read what it describes."""
    import mlcroissant

    described = mlcroissant.Dataset(jsonld=path)
    issues = described.metadata.issues
    assert not issues.errors and not issues.warnings, issues.report()
    for name in tables:
        rows = sum(1 for _ in described.records(name))
        assert rows == len(expected[name]), f"{name}: mlcroissant reads {rows} rows of {len(expected[name])}"
    print(f"{os.path.basename(path)}: mlcroissant finds nothing wrong, and reads the rows of {len(tables)} tables")


def main(path, lake, campaign):
    program = Program(path, lake)
    verified = program("verify", campaign)
    assert verified["ok"], verified
    first = next(t for t in program("analyze", campaign)["tables"] if t["name"] == "utility-by-rule")
    column = [c for c in first["columns"] if c.startswith("utility@")][-1]  # at the last round
    table1 = {row["rule"]: row[column]["value"] for row in first["rows"]}

    check_means("query", {r["rule"]: r["mean"] for r in program("query", "SELECT rule, avg(100 * coalesce(score, 0)) AS mean FROM collaborations GROUP BY rule")}, table1)
    cells = [r["id"] for r in program("query", "SELECT collaboration_id AS id FROM collaborations ORDER BY id")]
    expected = shown(program, campaign, cells)
    with tempfile.TemporaryDirectory() as out:
        program("export", campaign, "-o", out)
        for reader, read in READERS.items():
            for what in ("raw", "lake"):
                found = {name: [row_of(r) for r in read(f"{lake}/{what}/{name}")] for name in TABLES}
                check_tables(f"{reader}, {what}", found, expected, verified, table1)
        exported = {name: [row_of(r) for r in pyarrow.parquet.read_table(f"{out}/{name}.parquet").to_pylist()] for name in TABLES}
        check_tables("export", exported, expected, verified, table1)
    check_published(program, campaign, expected)
    check_imported(program, campaign, expected)
    check_opened(program, campaign, expected)
    os.chdir(lake)
    check_card(program, campaign)
    check_descriptions(campaign)
    if importlib.util.find_spec("mlcroissant"):  # its paths are those of the lake's folder
        shutil.copy(f"lake/_campaigns/{campaign}/croissant.json", "croissant.json")
        check_croissant("croissant.json", TABLES, expected)


if __name__ == "__main__":
    main(*sys.argv[1:])
