// Package prompt renders what a model is asked and reads what it answered.
// Rendering shows an agent exactly the entries that its step lets it see;
// reading is strict, bounded and never panics, and its errors are words that
// can be shown to the model.
package prompt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"roundtable/envs/wording"
	"roundtable/workflows/decision"
)

// Edition is the number of the built-in prompts' edition. It is recorded with a plan, whose packs
// hold the texts themselves.
const Edition = 3

// Pack is every template that a condition uses, by path: env/*.tmpl,
// protocol/*.tmpl and rule/*.tmpl, agent/seat.tmpl if it says who its agents are, and
// score/judge.tmpl if a model scores its decisions.
// It is recorded with the campaign, so that every worker asks in the same words.
type Pack map[string]string

// NewPack returns the built-in templates of an environment, a protocol and a rule; agents is nil if
// the campaign says nothing of them. Files of override, a folder laid out like the pack or nil,
// replace them.
func NewPack(env, protocol, agents, override fs.FS, words decision.Words) (Pack, error) {
	pack := Pack{
		"rule/name.tmpl":        words.Name,
		"rule/explanation.tmpl": words.Explanation,
		"rule/ballot.tmpl":      words.Ballot,
	}
	if err := errors.Join(pack.add(env, "env"), pack.add(protocol, "protocol")); err != nil {
		return nil, err
	}
	if agents != nil {
		if err := pack.add(agents, "agent"); err != nil {
			return nil, err
		}
	}
	err := pack.overrideFrom(override)
	pack[ruleOf] = words.Name // after the folder, which cannot replace it
	return pack, err
}

// Add adds files to a folder of the pack, replacing those of the same name; files of override
// replace both.
func (p Pack) Add(folder string, files, override fs.FS) error {
	added := Pack{}
	if err := errors.Join(added.add(files, folder), added.overrideFrom(override)); err != nil {
		return err
	}
	maps.Copy(p, added)
	return nil
}

// overrideFrom replaces templates by those of a folder that is laid out like the pack; it
// may be nil.
func (p Pack) overrideFrom(folder fs.FS) error {
	if folder == nil {
		return nil
	}
	for name := range p {
		f, err := folder.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		data, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
		if err := errors.Join(err, f.Close(), checkLength(name, len(data))); err != nil {
			return err
		}
		p[name] = string(data)
	}
	return nil
}

// maxTemplate is how long a template may be, in bytes: it can stand in each of hundreds of prompts.
const maxTemplate = 256 << 10

func checkLength(template string, bytes int) error {
	if bytes > maxTemplate {
		return fmt.Errorf("prompt %s is too long; expected at most %d KiB", template, maxTemplate>>10)
	}
	return nil
}

// ruleOf is where a pack says which rule it is for. Templates ask with {{rule}}.
const ruleOf = "rule/id.txt"

func (p Pack) add(files fs.FS, folder string) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".tmpl" {
			return err
		}
		data, err := fs.ReadFile(files, name)
		p[folder+"/"+path.Base(name)] = string(data)
		return err
	})
}

// Take replaces the templates of folder by those of from.
func (p Pack) Take(from Pack, folder string) {
	in := func(name string) bool { return path.Dir(name) == folder }
	maps.DeleteFunc(p, func(name, _ string) bool { return in(name) })
	for name, text := range from {
		if in(name) {
			p[name] = text
		}
	}
}

// Templates are the compiled templates of a pack.
type Templates struct {
	set    *template.Template
	steady bool // the system message of a speaker is the same in every turn
}

// Parse compiles the templates; the error names the file and line.
func (p Pack) Parse() (*Templates, error) {
	set := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"list":    wording.And[string],
		"add":     func(a, b int) int { return a + b },
		"ordinal": ordinalWord,
		"rule":    func() string { return p[ruleOf] },
		// A message cannot pass lines of its own off as other entries.
		"indent": func(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") },
	})
	for _, name := range slices.Sorted(maps.Keys(p)) { // so that of several errors always the same is told
		text := p[name]
		if err := checkLength(name, len(text)); err != nil {
			return nil, err
		}
		if _, err := set.New(name).Parse(text); err != nil {
			return nil, fmt.Errorf("prompt %w", err)
		}
		// Parts are included by their bare name.
		if bare := strings.TrimSuffix(path.Base(name), ".tmpl"); strings.HasPrefix(name, "protocol/") {
			if _, err := set.New(bare).Parse(text); err != nil {
				return nil, fmt.Errorf("prompt %w", err)
			}
		}
	}
	steady := isSteady(set, systemTemplate) && (set.Lookup(seatTemplate) == nil || isSteady(set, seatTemplate))
	return &Templates{set, steady}, nil
}

func (t *Templates) executeTemplate(name string, data any) (string, error) {
	var b bounded
	v, isView := data.(View)
	if isView && v.ends != nil {
		v.ends.length = b.text.Len
	}
	if err := t.set.ExecuteTemplate(&b, name, data); err != nil {
		if errors.Is(err, errTooLong) {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return "", fmt.Errorf("prompt %w", err)
	}
	text := strings.TrimLeftFunc(b.text.String(), unicode.IsSpace)
	before := b.text.Len() - len(text)
	text = strings.TrimSpace(text)
	if isView && v.ends != nil {
		v.ends.moveInto(text, before)
	}
	return text, nil
}

// maxPrompt is what one template may write, in bytes: more than any model reads. A
// stranger's template can write without end in a few lines.
const maxPrompt = 16 << 20

var errTooLong = fmt.Errorf("the template writes more than %d MiB", maxPrompt>>20)

// bounded is text up to maxPrompt.
type bounded struct{ text strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > maxPrompt {
		return 0, errTooLong
	}
	return b.text.Write(p)
}

func ordinalWord(n int) string {
	suffix := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return fmt.Sprint(n, suffix)
}
