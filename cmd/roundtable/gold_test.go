package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

const goldCampaign = `name: talk
replicates: 16
env: exchange
protocol: {name: roundtable, rounds: 3}
model: scripted/trader
grid: {rule: [majority, ranked]}
`

// handCode fills in a table as a coder would who gives labels by what a text says; it returns
// the name of the file.
func handCode(t *testing.T, dir, from, to string, give func(text string) string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, from))
	noError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	noError(t, err)
	for _, row := range rows[1:] {
		if row[0] != "" {
			row[3] = give(row[2])
		}
	}
	var b strings.Builder
	noError(t, csv.NewWriter(&b).WriteAll(rows))
	save(t, dir, to, b.String())
	return to
}

// byHand gives acts as the rules do, but takes a complaint for no information.
func byHand(text string) string {
	acts := []string{"Evaluate"}
	if strings.Contains(text, "matters most") {
		acts = append(acts, "Inform")
	}
	if strings.Contains(text, "?") {
		acts = append(acts, "Request")
	}
	if strings.Contains(text, "accept") {
		acts = append(acts, "Accept")
	}
	return strings.Join(acts, "; ")
}

// TestGold goes from a campaign over a page and two coders to corrected tables.
func TestGold(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "talk.yaml", goldCampaign)
	output(t, dir, "run", "talk.yaml")
	output(t, dir, "label", "talk")
	before := output(t, dir, "analyze", "talk", "--table", "dialogue-acts")
	first := output(t, dir, "label", "talk", "--gold", "120")
	contains(t, first, "talk: draw 1, code book acts:", "Written: talk-acts-1.html")
	page, err := os.ReadFile(filepath.Join(dir, "talk-acts-1.html"))
	if err != nil || strings.Contains(string(page), "majority-") || strings.Contains(string(page), "scripted-labeller") || !strings.Contains(string(page), "matters most to me") {
		t.Errorf("the page: %v", err)
	}
	output(t, dir, "label", "talk", "--gold", "120", "-o", "blank.csv")
	if now := output(t, dir, "analyze", "talk", "--table", "dialogue-acts"); strings.Contains(now, "corrected ") || !strings.Contains(now, "1 draw not coded yet") {
		t.Errorf("a draw that nobody has coded changes the table:\n%s\nwas\n%s", now, before)
	}
	contains(t, ends(t, 2, dir, nil, "label", "talk", "--gold-from", "blank.csv", "--coder", "ada").err, "items not coded")
	contains(t, ends(t, 2, dir, nil, "label", "talk", "--gold-from", "blank.csv").err, "--coder NAME")
	contains(t, ends(t, 2, dir, nil, "label", "talk", "--gold", "20").err, "drawn are 120")
	contains(t, ends(t, 2, dir, nil, "label", "talk", "--gold", "120", "--code-book", "act").err, "did you mean acts?")

	ada := handCode(t, dir, "blank.csv", "ada.csv", byHand)
	ben := handCode(t, dir, "blank.csv", "ben.csv", func(text string) string { return strings.ReplaceAll(byHand(text), "Evaluate; ", "") })
	items := 0
	if _, err := fmt.Sscanf(output(t, dir, "label", "talk", "--gold-from", ada, "--coder", "ada"), "talk: %d items coded by hand by ada", &items); err != nil || items < 80 || items > 120 {
		t.Errorf("%d items are coded: %v", items, err)
	}
	output(t, dir, "label", "talk", "--gold-from", ada, "--coder", "ada") // again changes nothing
	contains(t, ends(t, 2, dir, nil, "label", "talk", "--gold-from", ben, "--coder", "ada").err, "gold is not changed afterwards")
	contains(t, output(t, dir, "label", "talk", "--gold-from", ben, "--coder", "ben"), "kappa 1.00", "means over ada and ben")

	contains(t, output(t, dir, "analyze", "talk", "--table", "dialogue-acts"), "all rounds", "corrected", "gold alone", "coded by ada and ben (means over them)", "The labeller is right about")
	contains(t, output(t, dir, "analyze", "talk", "--table", "transitions"), "anyone, corrected", "each, 95 % from")
	contains(t, output(t, dir, "analyze", "talk", "--table", "regression"), "alone, corrected", "would be needed")
	contains(t, output(t, dir, "analyze", "talk", "--table", "early-stopping"), "Gold:", "as it would run")
	contains(t, output(t, dir, "analyze", "talk", "--table", "label-errors"), "left out rightly", "all acts: right")
	contains(t, output(t, dir, "verify", "talk"), "Nothing is wrong")
	for table, want := range map[string]int{"labels": 288, "gold": 2 * items} { // gold is not a label of a machine
		output(t, dir, "export", "talk", "--table", table, "-o", table+".csv")
		rows, err := os.ReadFile(filepath.Join(dir, table+".csv"))
		if n := strings.Count(string(rows), "\n") - 1; err != nil || n != want {
			t.Errorf("%d rows of %s, want %d: %v", n, table, want, err)
		}
	}
	contains(t, output(t, dir, "label", "talk", "--gold", "180"), "draw 2", "talk-acts-2.html")
	contains(t, output(t, dir, "analyze", "talk", "--table", "dialogue-acts"), "1 draw not coded yet")

	for _, n := range []string{"1", "2"} { // a draw that is lost: nothing takes its place
		noError(t, os.Remove(filepath.Join(dir, "lake", "lake", "_campaigns", "talk", "gold", "acts", "draw-"+n+".json")))
	}
	contains(t, ends(t, 1, dir, nil, "label", "talk", "--gold", "120", "--gold-seed", "2").err, "draw-1.json is missing, and ada coded it")
	contains(t, ends(t, 1, dir, nil, "label", "talk", "--gold-from", ada, "--coder", "ada").err, "draw-1.json is missing, and ada coded it")
	contains(t, output(t, dir, "analyze", "talk", "--table", "dialogue-acts"), "Left out: labels by ada and ben, of a draw that is missing")
	contains(t, ends(t, 1, dir, nil, "verify", "talk").out, "the draw is missing, and ada and ben coded it")
}

// TestGoldOfOne: conditions with one collaboration are named before anybody codes.
func TestGoldOfOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "talk.yaml", strings.ReplaceAll(goldCampaign, "replicates: 16", "replicates: 1"))
	output(t, dir, "run", "talk.yaml")
	contains(t, output(t, dir, "label", "talk", "--gold", "30", "-o", "blank.csv"), "No corrected figures: of majority-", "with one collaboration each")
}

// bookService labels by code books, as a model would, and counts what it is asked.
func bookService(t *testing.T, asked *atomic.Int64) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		asked.Add(1)
		labels := `{"labels": ["calm"]}`
		switch text := q.Messages[1].Content; {
		case strings.Contains(q.Messages[0].Content, "correctly") && len(text)%2 == 0:
			labels = `{"labels": ["Right"]}`
		case strings.Contains(q.Messages[0].Content, "correctly"):
			labels = `{"labels": ["Wrong"]}`
		case strings.Contains(text, `"transcript"`) && len(text)%2 == 0:
			labels = `{"labels": ["Step repetition", "Task derailment"]}`
		case strings.Contains(text, `"transcript"`):
			labels = `{"labels": []}`
		case strings.Contains(text, "?") && len(q.Messages) == 2:
			labels = `{"labels": ["Calm", "Cross"]}` // one is accepted: it is asked again
		case strings.Contains(text, "?"):
			labels = `{"labels": ["Cross"]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "r", "object": "chat.completion", "model": "fake-2026",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": labels}}},
			"usage":   map[string]any{"prompt_tokens": 500, "completion_tokens": 10, "total_tokens": 510},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

const moodBook = `name: mood
choice: one
labels:
  - {name: Calm, definition: The message is calm.}
  - {name: Cross, definition: "The message is cross, or asks for something."}
`

// TestCodeBooks labels messages by a code book of one's own and collaborations by a built-in one.
func TestCodeBooks(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "talk.yaml", strings.ReplaceAll(goldCampaign, "replicates: 16", "replicates: 8"))
	save(t, dir, "mood.yaml", moodBook)
	save(t, dir, "bad.yaml", "name: Bad\nlabels: []\n")
	output(t, dir, "run", "talk.yaml")
	output(t, dir, "label", "talk")
	acts := labelsOf(t, dir, "talk")
	var asked atomic.Int64
	by := []string{"--labeller", "openai/fake", "--price", `{"input": 1, "output": 10}`, "--params", fmt.Sprintf(`{"base_url": %q}`, bookService(t, &asked))}
	for _, book := range []string{"mood.yaml", "mast"} {
		args := append([]string{"label", "talk", "--code-book", book}, by...)
		contains(t, output(t, dir, args...), "of 16 collaborations labelled by "+strings.TrimSuffix(book, ".yaml")+".openai-fake-", "label-rates")
		n := asked.Load()
		output(t, dir, args...)
		if asked.Load() != n {
			t.Errorf("%s: what is labelled is asked again", book)
		}
	}
	contains(t, ends(t, 2, dir, nil, "label", "talk", "--code-book", "mood.yaml").err, "labels dialogue acts only")
	contains(t, ends(t, 2, dir, nil, append([]string{"label", "talk", "--code-book", "bad.yaml"}, by...)...).err, `name is "Bad"`, "1 to 100 labels")
	if now := labelsOf(t, dir, "talk"); fmt.Sprint(now) != fmt.Sprint(acts) {
		t.Error("labels by other code books change those of the acts")
	}
	contains(t, output(t, dir, "analyze", "talk", "--table", "dialogue-acts"), "scripted-labeller-")
	rates := output(t, dir, "analyze", "talk", "--table", "label-rates")
	contains(t, rates, "Step repetition", "Cross", "labels collaborations by the code book mast-", "labels messages by the code book mood-")
	contains(t, output(t, dir, "verify", "talk"), "Nothing is wrong")
	contains(t, output(t, dir, "cost", "talk"), "labels by mast.openai-fake-")

	output(t, dir, "label", "talk", "--code-book", "mood.yaml", "--gold", "100", "-o", "mood.csv")
	handCode(t, dir, "mood.csv", "ada.csv", func(text string) string {
		if strings.Contains(text, "accept") {
			return "Cross"
		}
		return "Calm"
	})
	output(t, dir, "label", "talk", "--code-book", "mood.yaml", "--gold-from", "ada.csv", "--coder", "ada")
	output(t, dir, "label", "talk", "--code-book", "mast", "--gold", "12", "-o", "mast.csv")
	handCode(t, dir, "mast.csv", "whole.csv", func(text string) string {
		if strings.Count(text, "?")%2 == 0 {
			return "none"
		}
		return "Task derailment"
	})
	contains(t, output(t, dir, "label", "talk", "--code-book", "mast", "--gold-from", "whole.csv", "--coder", "ada"), "12 items coded by hand by ada")
	contains(t, output(t, dir, "analyze", "talk", "--table", "label-rates"), "Gold: 12 ", "coded by ada")
}

// TestLabelsByHandExample makes the figures of the guide: the table coded by hand fits the draw on
// any machine.
func TestLabelsByHandExample(t *testing.T) {
	if !*long {
		t.Skip("TestExamples runs it small; -long")
	}
	t.Parallel()
	dir := example(t, "labels-by-hand.yaml")
	output(t, dir, "run", "labels-by-hand.yaml")
	contains(t, output(t, dir, "label", "labels-by-hand", "--gold", "300", "-o", "coding.html"), "294 items to code by hand, in 50 passages")
	table, err := filepath.Abs(filepath.Join("..", "..", "examples", "data", "labels-by-hand.csv"))
	noError(t, err)
	output(t, dir, "label", "labels-by-hand", "--gold-from", table, "--coder", "ada")
	for row, want := range map[string]string{
		"majority messages Evaluate": "1.00 0.08 (0.03) 0.04 0.17 0.08 (0.03)",
		"ranked messages Evaluate":   "1.00 0.22 (0.04) 0.16 0.31 0.22 (0.04)",
		"ranked messages Request":    "0.34 0.34 (0.02) 0.30 0.38 0.44 (0.07)",
	} {
		found := false
		for line := range strings.Lines(output(t, dir, "analyze", "labels-by-hand", "--table", "dialogue-acts")) {
			line = strings.Join(strings.Fields(line), " ")
			found = found || strings.HasPrefix(line, row) && strings.HasSuffix(line, want)
		}
		if !found {
			t.Errorf("no row %s ends in %s", row, want)
		}
	}
	contains(t, output(t, dir, "analyze", "labels-by-hand", "--table", "label-errors"), "0.59 (0.05)")
}
