package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/cmd/internal/transcripts"
)

// TestPromptsInSQL: the functions of query give what show --prompts --raw gives, of
// collaborations with answers that could not be used and were asked again.
func TestPromptsInSQL(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	service := newVendor(t)
	dir := t.TempDir()
	campaignFile(t, dir, service.URL, 2)
	output(t, dir, "run", "campaign.yaml")

	var ids []string
	for _, row := range rowsOfQuery(t, dir, "SELECT collaboration_id FROM collaborations ORDER BY ALL") {
		ids = append(ids, row["collaboration_id"].(string))
	}
	if len(ids) < 2 {
		t.Fatalf("%d collaborations", len(ids))
	}
	var shown struct {
		Asked []transcripts.EntryAsked
	}
	noError(t, json.Unmarshal([]byte(output(t, dir, "show", ids[0], "--prompts", "--raw", "--json")), &shown))
	var messages, answers []string
	for _, a := range shown.Asked {
		for i, m := range a.Prompt {
			messages = append(messages, fmt.Sprint(a.Entry, i, m.Role, m.Content, a.PromptHash, *a.Matches))
		}
		for _, answer := range a.Answers {
			answers = append(answers, fmt.Sprint(a.Entry, answer.Ask, answer.Raw, answer.Fault))
		}
	}
	var inSQL []string
	for _, r := range rowsOfQuery(t, dir, fmt.Sprintf("FROM prompts('%s') ORDER BY entry, message", ids[0])) {
		inSQL = append(inSQL, fmt.Sprint(r["entry"], r["message"], r["role"], r["content"], r["prompt_hash"], r["matches"]))
	}
	if len(messages) == 0 || !slices.Equal(messages, inSQL) {
		t.Errorf("show has %d messages, SQL %d, not the same", len(messages), len(inSQL))
	}
	inSQL = nil
	for _, r := range rowsOfQuery(t, dir, fmt.Sprintf("SELECT * REPLACE (coalesce(fault, '') AS fault) FROM raw_answers('%s') ORDER BY entry, ask", ids[0])) {
		inSQL = append(inSQL, fmt.Sprint(r["entry"], r["ask"], r["raw"], r["fault"]))
	}
	if len(answers) == 0 || !slices.Equal(answers, inSQL) {
		t.Errorf("show has %d answers, SQL %d, not the same", len(answers), len(inSQL))
	}

	// The whole campaign, joined with a table; one column of many rows.
	joined := rowsOfQuery(t, dir, `SELECT count(DISTINCT collaboration_id) AS n, count(*) FILTER (t.entry IS NULL) AS alone
		FROM prompts('killed/') LEFT JOIN turns t USING (campaign_id, collaboration_id, generation, entry)`)
	if fmt.Sprint(joined[0]["n"], joined[0]["alone"]) != fmt.Sprint(len(ids), 0) {
		t.Errorf("joined with turns: %v, of %d collaborations", joined[0], len(ids))
	}
	if out, err := program(t, dir, "query", "FROM prompts('nobody')").CombinedOutput(); err == nil || !strings.Contains(string(out), `no collaboration that has begun is "nobody"`) {
		t.Errorf("of nobody: %v, %s", err, out)
	}
}

// rowsOfQuery are what a statement answers.
func rowsOfQuery(t *testing.T, dir, statement string) (rows []map[string]any) {
	t.Helper()
	noError(t, json.Unmarshal([]byte(output(t, dir, "query", statement, "--json")), &rows))
	return rows
}
