package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/lake"
)

// TestForgedJudgement: a stored judgement with another score, its text and checksum
// made to match, is not that of the rows; and a study of scored answers shows outcomes.
func TestForgedJudgement(t *testing.T) {
	t.Parallel()
	dir := example(t, "judged-questions.yaml")
	exampleData(t, dir)
	output(t, dir, "run", "judged-questions.yaml")
	contains(t, output(t, dir, "verify", "judged-questions"), "Nothing is wrong.")
	shown := output(t, dir, "analyze", "judged-questions")
	contains(t, shown, "Outcome of each condition", "a program's or judge's score")
	if strings.Contains(shown, "accuracy in %") {
		t.Errorf("answers that are scored are shown as right or wrong:\n%s", shown)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "lake/answers/campaign=judged-questions/judge-*/*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d judgements: %v", len(paths), err)
	}
	forged := 0
	for _, path := range paths {
		var body map[string]any
		data, err := os.ReadFile(path)
		noError(t, err)
		of, err := lake.UnsealAny(path, data, &body)
		noError(t, err)
		turn, ok := body["turns"].([]any)[0].(map[string]any)
		text, said := turn["proposal"].(string)
		if !ok || !said || !strings.Contains(text, `"score":4,"share":1`) {
			continue
		}
		turn["proposal"] = strings.Replace(text, `"score":4,"share":1`, `"score":0,"share":0`, 1)
		sealed, err := lake.Seal(of, body)
		noError(t, err)
		noError(t, os.WriteFile(path, sealed, 0o600))
		forged++
	}
	if forged == 0 {
		t.Fatal("no judgement gives the best score")
	}
	d := command(t, dir, nil, "verify", "judged-questions")
	if d.code == 0 || strings.Contains(d.out, "Nothing is wrong.") {
		t.Errorf("%d judgements are forged, verify says\n%s", forged, d.out)
	}
}
