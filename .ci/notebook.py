"""Runs docs/notebooks on a lake and compares every number with what the program says.

    python notebook.py PROGRAM LAKE CAMPAIGN FILE

The campaign's conditions differ in their rule alone. The cells of the notebook are run
as a script, with the package in infra/python, which has to find the program on the PATH. The R script is run where Rscript and a package that reads Parquet are;
otherwise it is said that it was left out.
"""

import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys

import matplotlib

NOTEBOOKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "notebooks")


def same(what, got, want):
    assert (got is None) == (want is None), f"{what}: {got}, the program has {want}"
    assert got is None or math.isclose(got, want, rel_tol=1e-12, abs_tol=1e-12), f"{what}: {got}, the program has {want}"


def said(path, lake, campaign, *what):
    command = [path, "--lake", lake, "--json", "analyze", campaign, *what]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def value_of(cell):
    return cell["value"] if isinstance(cell, dict) else cell


def check_scores(what, rows, table):
    """Rows have the names of columns; the program's table has cells with a value."""
    want = {row["rule"]: row for row in table["rows"]}
    assert {row["rule"] for row in rows} == want.keys(), (what, rows)
    for row in rows:
        cells = want[row["rule"]]
        for column in ("outcome", "low", "high"):
            same(f"{what}: {column} of {row['rule']}", row[column], value_of(cells[column]))
        same(f"{what}: standard error of {row['rule']}", row["se"], cells["outcome"]["se"])
    print(f"{what}: {len(rows)} means with their intervals agree")


def check_rounds(by_round, figure):
    lines = {line["name"]: line["points"] for line in figure["panels"][0]["lines"] if "beside" not in line}
    points = 0
    for row in by_round:
        want = lines[row["rule"]][row["round"] - 1]
        assert (want["round"], want["n"]) == (row["round"], row["n"]), (row, want)
        for got, name in (("outcome", "value"), ("low", "low"), ("high", "high")):
            same(f"round {row['round']} of {row['rule']}", row[got], want[name])
        points += 1
    assert points == sum(len(p) for p in lines.values()), (points, lines)
    print(f"notebook: {points} points of the figure rounds agree")


def check_table1(table1, table):
    last = [c for c in table["columns"] if c.startswith("utility@")][-1]
    want = {row["rule"]: row[last]["value"] for row in table["rows"]}
    assert {row["rule"] for row in table1} == want.keys(), (table1, want)
    for row in table1:
        same(f"Table 1: {row['rule']}", row["utility"], want[row["rule"]])
    print(f"notebook: {len(want)} rows of Table 1 agree")


def run_notebook(file, lake, campaign):
    matplotlib.use("Agg")
    with open(os.path.join(NOTEBOOKS, "scores.ipynb")) as f:
        notebook = json.load(f)
    names = {}
    for i, cell in enumerate(c for c in notebook["cells"] if c["cell_type"] == "code"):
        assert cell["outputs"] == [], "the notebook is kept without outputs"
        exec("".join(cell["source"]), names)
        if i == 0:
            names["FILE"], names["LAKE"], names["CAMPAIGN"] = file, lake, campaign
    return names


def run_r(lake, campaign):
    """The rows that the R script prints; None if it cannot run here."""
    if not shutil.which("Rscript"):
        print("R: LEFT OUT: no Rscript here")
        return None
    ran = subprocess.run(["Rscript", os.path.join(NOTEBOOKS, "scores.R"), lake, campaign, os.devnull], capture_output=True, text=True)
    if "no package that reads Parquet" in ran.stderr:
        print("R: LEFT OUT: no package that reads Parquet here")
        return None
    assert ran.returncode == 0, ran.stderr
    rows = list(csv.DictReader(io.StringIO(ran.stdout)))
    numbers = ("outcome", "se", "low", "high")
    return [row | {n: None if row[n] == "NA" else float(row[n]) for n in numbers} for row in rows]


def main(path, lake, campaign, file):
    path, lake, file = os.path.abspath(path), os.path.abspath(lake), os.path.abspath(file)
    sys.path.insert(0, os.path.join(NOTEBOOKS, "..", "..", "infra", "python"))
    table = said(path, lake, campaign, "--table", "scores")["tables"][0]
    names = run_notebook(file, lake, campaign)
    check_table1(names["table1"].to_dicts(), said(path, lake, campaign, "--table", "utility-by-rule")["tables"][0])
    check_scores("notebook", names["scores"], table)
    check_rounds(names["by_round"].to_dicts(), said(path, lake, campaign, "--figure", "rounds"))
    rows = run_r(lake, campaign)
    if rows is not None:
        check_scores("R", rows, table)


if __name__ == "__main__":
    main(*sys.argv[1:])
