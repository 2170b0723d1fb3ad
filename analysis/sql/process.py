# Runs the statements that come in, a JSON list [statement, mark] a line, and prints what
# EXPLAIN says, then the mark. Errors go to standard error.
import json
import sys

import duckdb

database = duckdb.connect()
for line in sys.stdin:
    statement, mark = json.loads(line)
    try:
        result = database.execute(statement)
        if result.description and result.description[0][0] == "explain_key":
            for row in result.fetchall():
                print(row[-1])
    except Exception as error:
        print(error, file=sys.stderr, flush=True)
    print(mark, flush=True)
