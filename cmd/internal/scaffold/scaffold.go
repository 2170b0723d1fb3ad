// Package scaffold writes the first version of a study: a campaign file with comments, and
// questions; or of a decision rule, a stopping rule, a protocol or an environment, into a
// checkout: a plug-in that works, with a test that runs the suite of its kind. It promises
// to change no file that exists.
//
// For editors it describes the campaign file as a JSON Schema (2020-12), made from the types
// that the file is read into and from the catalogue, so that it says what the program accepts;
// what only the whole file shows is left to `plan`.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

//go:embed templates
var templates embed.FS

// kind is a kind of plug-in: where its files go, by their templates, and its
// entry in the catalogue. In names, NAME stands for the plug-in's.
type kind struct {
	name  string
	files map[string]string
	list  string // the function of the catalogue with its entries
	entry string
	tests string // what else must pass
}

// isStudy reports whether the files are a user's, who needs no source code.
func (k kind) isStudy() bool { return k.entry == "" }

var kinds = []kind{
	{name: "study", files: map[string]string{"study/study.yaml": "NAME.yaml", "study/questions.csv": "NAME.csv"}},
	{"rule", map[string]string{"rule/rule.go": "workflows/decision/NAME.go",
		"rule/rule_test.go": "workflows/decision/NAME_test.go"},
		"builtInRules", `NewRule("[[.Name]]", "the most approvals", decision.[[.Type]]Params{}, decision.New[[.Type]]),`,
		"./workflows/..."},
	{"stop", map[string]string{"stop/stop.go": "workflows/stopping/NAME.go",
		"stop/stop_test.go": "workflows/stopping/NAME_test.go"},
		"stoppingRules", `NewStop("[[.Name]]", "stop when a proposal has been selected twice", struct{}{}, Fixed(stopping.[[.Type]]{}), stopping.Decisions),`, "./workflows/..."},
	{"protocol", map[string]string{
		"protocol/protocol.go":      "workflows/protocol/NAME.go",
		"protocol/protocol_test.go": "workflows/protocol/NAME_test.go",
		"protocol/system.tmpl":      "workflows/protocol/prompts/NAME/system.tmpl",
		"protocol/proposal.tmpl":    "workflows/protocol/prompts/NAME/proposal.tmpl",
		"protocol/vote.tmpl":        "workflows/protocol/prompts/NAME/vote.tmpl"},
		"builtInProtocols", `NewProtocol("[[.Name]]", "all propose, then all vote, once", protocol.Default[[.Type]](), protocol.New[[.Type]]),`, "./workflows/... ./activities/prompt"},
	{"env", map[string]string{
		"env/env.go": "envs/NAME/NAME.go", "env/env_test.go": "envs/NAME/NAME_test.go",
		"env/task.tmpl":       "envs/NAME/prompts/task.tmpl",
		"env/background.tmpl": "envs/NAME/prompts/background.tmpl",
		"env/proposal.tmpl":   "envs/NAME/prompts/proposal.tmpl"},
		"builtInEnvironments", `NewEnvironment("[[.Name]]", "agree on a number between what all want", [[.File]].Defaults(), [[.File]].New),`, "./envs/[[.File]] ./workflows/... ./activities/prompt"},
}

// Kinds returns the kinds of files that Write can write, as its parameter of takes them.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Written lists the files that Write has written, and what is left to do by hand.
type Written struct {
	Files []string `json:"files"` // from the root of the checkout; of a study, from the folder
	// function in workflows/catalogue/catalogue.go whose list Entry must be added to; "" for a study
	List  string `json:"catalogue_list,omitempty"`
	Entry string `json:"entry,omitempty"`
	Tests string `json:"test,omitempty"` // packages for go test
}

var (
	names      = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	studyNames = regexp.MustCompile(plan.NamePattern)
)

// Write writes the files of a new plug-in or study called name; of is one of Kinds. root is the
// root of the checkout or, for a study, any folder. It writes nothing and returns an error if the
// name is taken, a file exists or, for a plug-in, root is not a checkout.
func Write(plugins catalogue.Catalogue, root, of, name string) (Written, error) {
	var k kind
	for _, known := range kinds {
		if known.name == of {
			k = known
		}
	}
	switch {
	case k.name == "":
		return Written{}, fmt.Errorf("unknown kind %q; known are %s", of, wording.And(Kinds()))
	case k.isStudy() && !studyNames.MatchString(name):
		return Written{}, fmt.Errorf("the name %q cannot be used; names of studies have 1 to 63 of a-z, 0-9 and -, "+
			"not beginning with -, as my-study", name)
	case !k.isStudy() && !names.MatchString(name):
		return Written{}, fmt.Errorf("the name %q cannot be used; names have lower-case letters, digits and single "+
			"underscores, as my_%s", name, of)
	case !k.isStudy() && isTaken(plugins, of, name):
		return Written{}, fmt.Errorf("there is a %s %q already; `roundtable list` shows all names", of, name)
	}
	if module, err := os.ReadFile(filepath.Join(root, "go.mod")); !k.isStudy() &&
		(err != nil || !bytes.HasPrefix(module, []byte("module roundtable\n"))) {
		return Written{}, fmt.Errorf("%s is not the root of roundtable's source code; run the command there", root)
	}
	data := struct{ Name, File, Type, Receiver string }{Name: name, File: strings.ReplaceAll(name, "_", "")}
	if !k.isStudy() {
		for part := range strings.SplitSeq(name, "_") {
			data.Type += strings.ToUpper(part[:1]) + part[1:]
		}
		data.Receiver = strings.ToLower(data.Type[:1])
	}
	texts := map[string][]byte{}
	for from, to := range k.files {
		folder := data.File
		if k.isStudy() || strings.HasSuffix(to, ".tmpl") && of == "protocol" {
			folder = name // prompts are found by it
		}
		to = filepath.FromSlash(strings.ReplaceAll(to, "NAME", folder))
		if _, err := os.Lstat(filepath.Join(root, to)); !errors.Is(err, fs.ErrNotExist) {
			return Written{}, fmt.Errorf("%s exists; nothing was written", to)
		}
		text, err := fs.ReadFile(templates, path.Join("templates", from+".txt"))
		if err == nil {
			texts[to], err = fill(string(text), data)
		}
		if err != nil {
			return Written{}, err
		}
	}
	entry, err := fill(k.entry, data)
	if err != nil {
		return Written{}, err
	}
	tests, err := fill(k.tests, data)
	if err != nil {
		return Written{}, err
	}
	w := Written{List: k.list, Entry: string(entry), Tests: string(tests)}
	w.Files, err = writeAll(root, texts)
	return w, err
}

// isTaken reports whether the catalogue has a plug-in of that name.
func isTaken(plugins catalogue.Catalogue, of, name string) bool {
	var err error
	switch of {
	case "rule":
		_, err = catalogue.Find(of, plugins.Rules, name)
	case "stop":
		_, err = catalogue.Find(of, plugins.Stopping, name)
	case "protocol":
		_, err = catalogue.Find(of, plugins.Protocols, name)
	case "env":
		_, err = catalogue.Find(of, plugins.Environments, name)
	}
	return err == nil
}

// fill executes a template whose marks are [[ and ]], because prompts have {{ and }} of their own.
func fill(text string, data any) ([]byte, error) {
	t, err := template.New("").Delims("[[", "]]").Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

// writeAll writes texts by path and returns the paths in order. A file that
// appears meanwhile is not replaced.
func writeAll(root string, texts map[string][]byte) (written []string, err error) {
	defer func() {
		for _, name := range written {
			if err != nil {
				_ = os.Remove(filepath.Join(root, name))
			}
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return written, err
		}
		f, err := cli.StageFile(file, func(w io.Writer) (int64, error) { return io.Copy(w, bytes.NewReader(texts[name])) })
		if err == nil {
			err = f.Publish(false)
		}
		if err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}
