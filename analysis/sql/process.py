# Runs the statements that come in, each up to a line ".print MARK", as DuckDB's command
# line does, and prints what EXPLAIN says. Errors go to standard error.
import sys

import duckdb

database, lines = duckdb.connect(), []
for line in sys.stdin:
    if not line.startswith(".print "):
        lines.append(line)
        continue
    try:
        statement = "".join(lines)
        result = database.execute(statement)
        if statement.lstrip().upper().startswith("EXPLAIN"):
            for row in result.fetchall():
                print(row[-1])
    except Exception as error:
        print(error, file=sys.stderr, flush=True)
    lines = []
    print(line[len(".print "):], end="", flush=True)
