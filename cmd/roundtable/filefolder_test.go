package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Paths of a campaign's file are relative to it wherever the program is started.
func TestPathsAreRelativeToTheFile(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	for _, folder := range []string{"study/data", "study/words/protocol", "other"} {
		noError(t, os.MkdirAll(filepath.Join(dir, folder), 0o700))
	}
	questionsFile(t, filepath.Join(dir, "study/data"), "a.jsonl", 2)
	save(t, dir, "study/prices.json", `{"gpt-4o-mini": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "max_output_tokens": 100}}`)
	save(t, dir, "study/words/protocol/answer.tmpl", "NEXT TO THE FILE")
	text := "name: near\ndata: data\nprompts: words\nprices: prices.json\nenv: {name: qa, format: jsonl, kind: integer, file: a.jsonl}\nprotocol: {name: debate, rounds: 0}\nrule: plurality\nmodel: scripted/answerer\n"
	save(t, dir, "study/near.yaml", text)
	contains(t, output(t, dir, "plan", "study/near.yaml", "--prompts"), "2 instances × 1 replicate", "NEXT TO THE FILE")
	contains(t, output(t, filepath.Join(dir, "other"), "plan", "../study/near.yaml", "--prompts"), "2 instances × 1 replicate", "NEXT TO THE FILE")
	output(t, filepath.Join(dir, "other"), "run", "../study/near.yaml")

	save(t, dir, "other/far.yaml", "name: far\ndata: study/data\nprompts: study/words\nprices: study/prices.json\nenv: {name: qa, format: jsonl, kind: integer, file: a.jsonl}\nprotocol: {name: debate, rounds: 0}\nrule: plurality\nmodel: scripted/answerer\n")
	out, err := program(t, dir, "plan", "other/far.yaml").CombinedOutput()
	if err == nil {
		t.Error("paths of the working directory are taken")
	}
	contains(t, string(out), "line 2: data: ", "other/study/data", "line 3: prompts: ", "line 4: prices: ")

	// The answers of a replay, too, and in whatever folder a worker is.
	save(t, dir, "study/answers.jsonl", `{"condition": "plurality-00000000", "instance": 0, "replicate": 0, "entry": 0, "text": "x"}`+"\n")
	save(t, dir, "study/again.yaml", "name: again\nenv: exchange\nprotocol: {name: roundtable, rounds: 1}\nrule: majority\nmodel: {name: replay/file, file: answers.jsonl}\n")
	out, err = program(t, filepath.Join(dir, "other"), "run", "../study/again.yaml").CombinedOutput()
	if err == nil { // the file has no such answers, which is what the cells say
		t.Errorf("answers that are not there are found\n%s", out)
	}
	contains(t, string(out), "without success: 1 of 1 collaboration")
}
