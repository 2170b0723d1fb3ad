package prompt_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/activities/prompt"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
)

// A folder replaces single templates, which changes the pack's hash.
func TestOverride(t *testing.T) {
	env, rule := threeTraders(), rules()["majority"]
	files := must(fs.Sub(protocol.Prompts, "prompts/roundtable"))
	built := must(prompt.NewPack(env.Prompts(), files, nil, nil, rule.Words()))
	hashes := map[string]string{campaign.HashPack(built): "built in"}
	for name := range built {
		if path.Ext(name) != ".tmpl" { // which rule it is cannot be replaced
			continue
		}
		override := fstest.MapFS{name: &fstest.MapFile{Data: []byte("OTHER WORDS")}, "protocol/unused.tmpl": &fstest.MapFile{Data: []byte("{{")}, "README.md": &fstest.MapFile{Data: []byte("x")}}
		pack, err := prompt.NewPack(env.Prompts(), files, nil, override, rule.Words())
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := hashes[campaign.HashPack(pack)]; twice {
			t.Errorf("%s has the hash of %s", name, other)
		}
		hashes[campaign.HashPack(pack)] = name
		if len(pack) != len(built) || pack[name] != "OTHER WORDS" {
			t.Errorf("%s is %q in a pack of %d", name, pack[name], len(pack))
		}
		shown := ""
		params := rounds(2)
		g := newGame(t, env, rule, params, override)
		g.play(t, allocations, func(p protocol.Pending) { shown += fmt.Sprint(g.render(t, p.Step)) })
		if used := name != "protocol/ties.tmpl" || params.Ties != ""; used != strings.Contains(shown, "OTHER WORDS") {
			t.Errorf("%s is shown: %v", name, !used)
		}
	}
	which := fstest.MapFS{"rule/explanation.tmpl": &fstest.MapFile{Data: []byte(`{{if eq rule "majority voting"}}MORE THAN HALF{{else}}ANOTHER RULE{{end}}`)}}
	for name, want := range map[string]string{"majority": "MORE THAN HALF", "rated": "ANOTHER RULE"} {
		shown := ""
		g := newGame(t, env, rules()[name], rounds(1), which)
		g.play(t, allocations, func(p protocol.Pending) { shown += fmt.Sprint(g.render(t, p.Step)) })
		if !strings.Contains(shown, want) {
			t.Errorf("the folder's words do not tell %s from other rules", name)
		}
	}
	if same := must(prompt.NewPack(env.Prompts(), files, nil, fstest.MapFS{}, rule.Words())); campaign.HashPack(same) != campaign.HashPack(built) {
		t.Error("an empty folder changes the hash")
	}
	if other := must(prompt.NewPack(env.Prompts(), files, nil, nil, rules()["rated"].Words())); campaign.HashPack(other) == campaign.HashPack(built) {
		t.Error("another rule has the same hash")
	}
	if other := must(prompt.NewPack(movies(tiny()).Prompts(), files, nil, nil, rule.Words())); campaign.HashPack(other) == campaign.HashPack(built) {
		t.Error("another environment has the same hash")
	}
}

// Faults of templates name the file and the line.
func TestBrokenTemplates(t *testing.T) {
	env, rule := threeTraders(), rules()["majority"]
	files := must(fs.Sub(protocol.Prompts, "prompts/roundtable"))
	with := func(text string) (prompt.Pack, error) {
		return prompt.NewPack(env.Prompts(), files, nil, fstest.MapFS{"protocol/message.tmpl": &fstest.MapFile{Data: []byte(text)}}, rule.Words())
	}
	pack := must(with("one\n{{if}}"))
	if _, err := pack.Parse(); err == nil || !strings.Contains(err.Error(), "protocol/message.tmpl:2") {
		t.Errorf("error %v", err)
	}
	for _, text := range []string{"one\n{{.Secret}}", "one\n{{.Me.Name}}", "one\n{{index .Agents 7}}", "{{template \"nowhere\"}}"} {
		templates := must(must(with(text)).Parse())
		g := newGame(t, env, rule, rounds(1), nil)
		_, err := templates.Render(g.source(), prompt.SystemPrompt{}, g.Pending()[0].Step)
		if err == nil || !strings.Contains(err.Error(), "message.tmpl") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if _, err := must(with("x")).Parse(); err != nil {
		t.Error(err)
	}
	const most = 256 << 10
	_, err := must(with(strings.Repeat("x", most))).Parse()
	_, ofFolder := with(strings.Repeat("x", most+1))
	_, ofLake := prompt.Pack{"protocol/message.tmpl": strings.Repeat("x", most+1)}.Parse()
	for _, long := range []error{ofFolder, ofLake} {
		if err != nil || long == nil || !strings.Contains(long.Error(), "message.tmpl is too long; expected at most 256 KiB") {
			t.Errorf("of the longest %v, of a longer one %v", err, long)
		}
	}
	unreadable := badFS{}
	if _, err := prompt.NewPack(env.Prompts(), files, nil, unreadable, rule.Words()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("an unreadable folder gives the error %v", err)
	}
	lost := must(prompt.NewPack(fstest.MapFS{}, files, nil, nil, decision.Words{}))
	if _, err := must(lost.Parse()).RenderSystem(nil); err == nil || !strings.Contains(err.Error(), "env/task.tmpl") {
		t.Errorf("an environment without templates gives the error %v", err)
	}
}

type badFS struct{}

func (badFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}
