package main

import "testing"

// Groups that agree at once, and are sure enough where that is asked, end after their
// first answers; all others talk on, and no group loses its decision.
func TestDebateWhenNeeded(t *testing.T) {
	t.Parallel()
	dir := example(t, "debate-when-needed.yaml", "replicates: 6", "replicates: 1")
	exampleData(t, dir)
	output(t, dir, "run", "debate-when-needed.yaml")
	output(t, dir, "verify", "debate-when-needed")
	// One row a collaboration: its gate, and what its first answers were.
	const first = `WITH answers AS (
		SELECT collaboration_id, proposal_key, count(*) AS n,
			count(*) FILTER (CAST(json_extract(data_json, '$.v[0]') AS DOUBLE) >= 0.6) AS sure
		FROM turns WHERE round = 1 AND format = 'answer' AND status = 'said' GROUP BY 1, 2
	), started AS (SELECT collaboration_id, max(n) AS most, max(sure) AS surest FROM answers GROUP BY 1),
	talks AS (
		SELECT json_extract_string(settings_json, '$.stop.name') AS gate, CAST(json_extract(settings_json, '$.stop.params.share') AS DOUBLE) AS share,
			end_reason, rounds_run, most, surest, decision_key, CASE
				WHEN gate = 'never' THEN false
				WHEN gate = 'confident_at_start' THEN surest >= 2
				WHEN share IS NULL THEN most = 3
				ELSE most >= 2 END AS agreed
		FROM collaborations JOIN started USING (collaboration_id)
	) `
	csv := func(query string) string {
		return output(t, dir, "query", first+query, "--campaign", "debate-when-needed", "--format", "csv")
	}
	contains(t, csv("SELECT count(*) AS n FROM talks WHERE agreed AND (end_reason <> 'stopped' OR rounds_run <> 1 OR decision_key IS NULL)"), "\n0\n")
	contains(t, csv("SELECT count(*) AS n FROM talks WHERE NOT agreed AND rounds_run <> 4"), "\n0\n")
	contains(t, csv("SELECT count(DISTINCT gate) AS gates, count(*) AS n FROM talks WHERE agreed"), "\n2,")
	contains(t, csv("SELECT min(surest) AS least, max(surest) AS most FROM talks"), "\n0,3\n")
}
