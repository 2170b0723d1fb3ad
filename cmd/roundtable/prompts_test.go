package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
)

// askedBy are the phases and roles of every prompt that a campaign renders.
func askedBy(t *testing.T, file string) (kinds []string) {
	t.Helper()
	s, err := store.NewLocal(t.TempDir())
	noError(t, err)
	p, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), file, s, false)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	prompts, err := planning.RenderPrompts(catalogue.Builtin(), p, s)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	seen := map[string]bool{}
	conditions := map[string]bool{}
	for _, r := range prompts {
		text := r.Phase + r.Role + r.Text()
		if seen[text] {
			t.Errorf("%s: a prompt is there twice: %s", file, r.Title())
		}
		seen[text] = true
		for _, id := range r.Conditions {
			conditions[id] = true
		}
		kind := p.Campaign.Conditions[0].Protocol.Name + " " + r.Phase + " " + r.Role
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(conditions) != len(p.Campaign.Conditions) {
		t.Errorf("%s: prompts of %d of %d conditions", file, len(conditions), len(p.Campaign.Conditions))
	}
	return kinds
}

// Rehearsals reach every phase and role of every protocol: each template that a
// phase is named after is rendered by some example or campaign below.
func TestPromptsReachEveryPhase(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Setenv("OPENAI_API_KEY", "x")
	t.Setenv("ANTHROPIC_API_KEY", "x")
	t.Setenv("GOOGLE_API_KEY", "x")
	files, err := filepath.Glob("../../examples/*.yaml")
	noError(t, err)
	dir := t.TempDir()
	noError(t, os.CopyFS(filepath.Join(dir, "data"), os.DirFS("../../examples/data")))
	const questions = "data: data\nenv: {name: qa, format: strategyqa, file: strategies.json, agents: 3}\nmodel: scripted/answerer\n"
	for name, text := range map[string]string{
		"summary":   questions + "protocol: {name: debate, talk: summarizer}\nrule: plurality\n",
		"votes":     questions + "protocol: {name: debate, ballots: true}\nrule: majority\n",
		"judge":     questions + "protocol: {name: discussion, personas: generated, vote_from: 2, rounds: 3}\nrule: judge\n",
		"retrieval": questions + "protocol: {name: discussion, challenge: retrieval}\nrule: simple\nmodels: {retriever: {name: retrieval/here, base_url: \"http://127.0.0.1:1\"}}\nprices: {retrieval/here: {input: 0, output: 0}}\n",
		"ballot":    "env: menu\nprotocol: {name: deliberation, authority: vote}\nrule: majority\nmodel: scripted/sharer\ninstances: 1\n",
	} {
		save(t, dir, name+".yaml", "name: "+name+"\n"+text)
		files = append(files, filepath.Join(dir, name+".yaml"))
	}
	var kinds []string
	for _, file := range files {
		for _, kind := range askedBy(t, file) {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	for _, want := range []string{
		"debate summary summarizer", "discussion vote judge", "discussion material retriever", "discussion challenge agent", "discussion persona personas",
	} {
		if !slices.Contains(kinds, want) {
			t.Errorf("nothing rendered %q; there are %q", want, kinds)
		}
	}
	templates, err := fs.Glob(protocol.Prompts, "prompts/*/*.tmpl")
	noError(t, err)
	parts := []string{"system"} // of other templates
	for _, file := range templates {
		text, err := fs.ReadFile(protocol.Prompts, file)
		noError(t, err)
		for _, part := range regexp.MustCompile(`\{\{-? *template "([a-z]+)`).FindAllStringSubmatch(string(text), -1) {
			parts = append(parts, part[1])
		}
	}
	for _, file := range templates {
		phase := strings.TrimSuffix(path.Base(file), ".tmpl")
		want := path.Base(path.Dir(file)) + " " + phase + " "
		if !slices.Contains(parts, phase) && !slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(kind, want) }) {
			t.Errorf("no prompt of the phase %sis rendered; there are %q", want, kinds)
		}
	}
}

// The prompts of all conditions are printed, or written to a folder with a list.
func TestPlanPrompts(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := example(t, "debate.yaml")
	exampleData(t, dir)
	out := output(t, dir, "plan", "debate.yaml", "--prompts")
	contains(t, out, "=== answer, agent (Agent 1), round 1: plurality-", "=== debate, agent (Agent 10), round 2: plurality-")
	contains(t, output(t, dir, "plan", "debate.yaml", "--prompts", "-o", "prompts"), " prompts to prompts; ")
	index := read(t, dir, "prompts/index.md")
	contains(t, index, "debate-agent-10-round-2.txt", "protocol: ")
	for _, name := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(index, -1) {
		contains(t, read(t, dir, filepath.Join("prompts", name[1])), "--- user\n")
	}
	d := document(t, output(t, dir, "plan", "debate.yaml", "--prompts", "--json"))
	if list, _ := d["prompts"].([]any); len(list) != strings.Count(out, "\n=== ") {
		t.Errorf("%d prompts as JSON, %d as text", len(list), strings.Count(out, "\n=== "))
	}
	for _, args := range [][]string{{"--prompts", "-o", "prompts"}, {"-o", "elsewhere"}} {
		if out, err := program(t, dir, append([]string{"plan", "debate.yaml"}, args...)...).CombinedOutput(); err == nil {
			t.Errorf("%v is accepted\n%s", args, out)
		}
	}
}

// A misspelt template is refused, all of them at once, with the right name.
func TestMisspeltTemplates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	noError(t, os.MkdirAll(filepath.Join(dir, "words/protocol"), 0o700))
	save(t, dir, "campaign.yaml", "name: words\nprompts: words\nenv: exchange\nprotocol: roundtable\nrule: majority\nmodel: scripted/trader\n")
	s, err := store.NewLocal(t.TempDir())
	noError(t, err)
	if _, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), filepath.Join(dir, "campaign.yaml"), s, false); err == nil || !strings.Contains(err.Error(), "prompts: no file in it replaces a template") {
		t.Errorf("of an empty folder: %v", err)
	}
	for _, name := range []string{"protocol/message.tmpl", "protocol/talk.tmpl", "README.md"} { // talk is of another protocol
		save(t, dir, "words/"+name, "x")
	}
	if _, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), filepath.Join(dir, "campaign.yaml"), s, false); err != nil {
		t.Fatal(err)
	}
	save(t, dir, "words/protocol/mesage.tmpl", "x")
	save(t, dir, "words/vote.tmpl", "x")
	_, _, _, err = (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), filepath.Join(dir, "campaign.yaml"), s, false)
	if err == nil {
		t.Fatal("misspelt templates are passed over")
	}
	contains(t, err.Error(), "prompts: protocol/mesage.tmpl replaces no template; did you mean protocol/message.tmpl?",
		"prompts: vote.tmpl replaces no template; did you mean protocol/vote.tmpl?", "expected one of env/background.tmpl, ")
}
