// Package replicate knows the tables and figures of the papers: which campaigns reproduce each, what numbers
// it prints, and how far our numbers are from them.
package replicate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/examples"
)

// Papers holds the entries by name (paper1/table-1), and the campaigns by the name of their file in
// examples/papers.
type Papers struct {
	Campaigns map[string]Campaign
	Entries   map[string]Entry
}

// Campaign is what papers.yaml says of a campaign file.
type Campaign struct {
	Data       string    // the files that it reads and that are not part of this program; "" for none
	Folder     string    // of these files within --data; "" for that folder itself
	Replicates int       // default number, which --limit lowers if there is only one instance
	Takes      *Forecast // by the paper's size; nil if that depends on the data
}

// Forecast is about how many calls and tokens a campaign takes, as plan predicts for answers of the length of
// recorded ones.
type Forecast struct {
	Calls, Input, Output float64
	Read                 *float64 // of Input, from the service's cache; nil if that depends on the data
}

// Entry is one table or figure of a paper.
type Entry struct {
	Title      string
	Campaigns  []string
	Baselines  []string // campaigns of single agents that are shown next to these
	Pool       string   // the campaign whose answers become viewpoints.jsonl in the folder of the data
	Table      string   // that shows it, as analyze --table takes it
	Figures    []string // that draw it
	Labels     bool     // it is made from dialogue acts
	Embeds     bool     // some of it is made from embeddings
	NotDerived []string `yaml:"not_derived"`
	Printed    []Block
}

// All returns the names of all campaigns that an entry runs, in the order in which they must run.
func (e Entry) All() []string {
	all := slices.Concat(e.Baselines, e.Campaigns)
	if e.Pool != "" {
		all = append([]string{e.Pool}, all...)
	}
	return all
}

// FigureFile returns the file name for a figure of a campaign; name is the entry's. Each figure of each
// campaign has its own.
func (e Entry) FigureFile(name, figure, campaign string) string {
	parts := []string{strings.ReplaceAll(name, "/", "-")}
	if len(e.Figures) > 1 {
		parts = append(parts, figure)
	}
	if len(e.Campaigns) > 1 {
		parts = append(parts, campaign)
	}
	return strings.Join(parts, "-") + ".svg"
}

// Block is a part of a printed table; examples/papers/papers.yaml explains its layout.
type Block struct {
	Columns    []string
	Keys       []string
	Where      map[string]string
	Table      string // "" for that of the entry
	Campaign   string // "" for the only one
	Error      string // se or sd: what is printed in brackets or after ±
	N          int    // values that a printed error rests on
	Questions  int    // that a printed share in percent is of; 0 if it is none
	Deviation  string // our column with a standard deviation over replicates
	Embedder   string // the paper's, if the numbers can only be compared with the same one
	Transposed bool
	Rows       string
}

// CallsAtOnce is the number of concurrent calls assumed for the duration of a campaign: the default of
// limits.calls.
const CallsAtOnce = 200

// Labeller is the model that labels dialogue acts in paper 1, as a campaign file names it.
const Labeller = `{name: openai/meta-llama/Llama-3.1-8B-Instruct, base_url: "http://localhost:8000/v1"}`

// Takes returns about what an entry takes, with its own models or, if oneModel is true, with one in their
// place; nil if it depends on the data.
func (p Papers) Takes(name string, oneModel bool) *Forecast {
	sum := Forecast{Read: new(float64)}
	for _, c := range p.Entries[name].All() {
		f := p.Campaigns[c].Takes
		if f == nil {
			return nil
		}
		of := 1.0
		if n := Models(c); oneModel && n > 1 {
			of = float64(n)
		}
		read := sum.Read
		if sum.Read = nil; read != nil && f.Read != nil {
			sum.Read = new(*read + *f.Read/of)
		}
		sum.Calls, sum.Input, sum.Output = sum.Calls+f.Calls/of, sum.Input+f.Input/of, sum.Output+f.Output/of
	}
	return &sum
}

// Needs returns the flags that an entry needs, such as "--data --labeller"; "" if none.
func (p Papers) Needs(name string) string {
	e := p.Entries[name]
	var all []string
	if slices.ContainsFunc(e.All(), func(c string) bool { return p.Campaigns[c].Data != "" }) {
		all = append(all, "--data")
	}
	if e.Labels {
		all = append(all, "--labeller")
	}
	if e.Embeds {
		all = append(all, "--embedder")
	}
	return strings.Join(all, " ")
}

// Models returns the number of models in the grid of a campaign file, or of the file that it extends; 0 if it
// has only one model.
func Models(campaign string) int {
	many, _ := modelsOf(campaign)
	return many
}

// Model returns the only model of a campaign file; "" if its grid has several.
func Model(campaign string) string {
	_, one := modelsOf(campaign)
	return one
}

func modelsOf(campaign string) (many int, one string) {
	for at := Path(campaign); ; {
		data, err := examples.Files.ReadFile(at)
		var file struct {
			Extends string
			Model   any
			Grid    map[string]any
		}
		if err != nil || yaml.Unmarshal(data, &file) != nil {
			return 0, ""
		}
		switch model := file.Model.(type) {
		case string:
			return 0, model
		case map[string]any:
			return 0, fmt.Sprint(model["name"])
		}
		if axis, ok := file.Grid[modelKey].([]any); ok || file.Extends == "" {
			return len(axis), ""
		}
		at = path.Join(path.Dir(at), file.Extends)
	}
}

// Path returns the path of a campaign's file in examples.Files.
func Path(campaign string) string { return "papers/" + campaign + ".yaml" }

// Load reads the papers from examples/papers/papers.yaml.
func Load() (Papers, error) {
	var p Papers
	data, err := examples.Files.ReadFile("papers/papers.yaml")
	if err != nil {
		return p, err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	return p, d.Decode(&p)
}

var entryName = regexp.MustCompile(`^paper(\d+)/(table|figure)-(\d+)$`)

// Names returns the names of the entries: by paper, tables first, by number.
func (p Papers) Names() []string {
	key := func(name string) string {
		m := entryName.FindStringSubmatch(name)
		kind := map[string]string{"table": "0", "figure": "1"}[m[2]]
		return fmt.Sprintf("%s%s%3s", m[1], kind, m[3])
	}
	return slices.SortedFunc(maps.Keys(p.Entries), func(a, b string) int { return strings.Compare(key(a), key(b)) })
}

// Find returns the entry called name, or an error.
func (p Papers) Find(name string) (Entry, error) {
	e, ok := p.Entries[name]
	if !ok {
		hint := wording.DidYouMean(name, p.Names())
		if same := slices.DeleteFunc(p.Names(),
			func(n string) bool { return !strings.HasSuffix(n, "/"+name) }); len(same) > 0 {
			hint = "; " + wording.Or(same) + "?"
		}
		return e, cli.UsageError(fmt.Errorf("unknown table or figure %q; roundtable replicate --list has all%s", name,
			hint))
	}
	return e, nil
}

// CheckData returns an error that names the data that e needs, and the lines that read them, if folder is "".
func (p Papers) CheckData(e Entry, folder string) error {
	if folder != "" {
		return nil
	}
	var needed []string
	for _, c := range e.All() {
		if data := p.Campaigns[c].Data; data != "" {
			if text := data + "\n    read by " + LinesThatRead(c); !slices.Contains(needed, text) {
				needed = append(needed, text)
			}
		}
	}
	if len(needed) == 0 {
		return nil
	}
	return cli.UsageError(fmt.Errorf("this reads data that the program does not bring; name the folder in which "+
		"they lie: --data FOLDER. In it:\n  %s\nNothing was asked", strings.Join(needed, "\n  ")))
}

var readsData = regexp.MustCompile(`\bfile: |\bname: recsys\b`)

// LinesThatRead returns which lines of a campaign's file, or of the file that it extends, read data.
func LinesThatRead(campaign string) string {
	for at := Path(campaign); ; {
		data, err := examples.Files.ReadFile(at)
		if err != nil {
			return at
		}
		var lines []string
		base := ""
		for n, line := range strings.Split(string(data), "\n") {
			if readsData.MatchString(line) {
				lines = append(lines, strconv.Itoa(n+1))
			}
			if name, ok := strings.CutPrefix(line, "extends: "); ok {
				base = name
			}
		}
		if len(lines) > 0 || base == "" {
			if len(lines) == 1 {
				return fmt.Sprintf("examples/%s, line %s", at, lines[0])
			}
			return fmt.Sprintf("examples/%s, lines %s", at, wording.And(lines))
		}
		at = path.Join(path.Dir(at), base)
	}
}

// Number is one printed number.
type Number struct {
	Keys   []string // in the columns Keys
	Column string   // of our table
	Value  float64
	spread float64 // the printed error; NaN if there is none
	digits int     // after the point
}

var printedNumber = regexp.MustCompile(`^(-|-?\d+(?:\.(\d+))?)(?:±(\d+(?:\.\d+)?))?$`)

// ReadNumbers reads the rows of a block; a lone minus is a number that the paper leaves out.
func (b Block) ReadNumbers() ([]Number, error) {
	var all []Number
	for line := range strings.Lines(b.Rows) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != len(b.Keys)+1 {
			return nil, fmt.Errorf("the row %q has %d keys, its block %d", line, len(cells)-1, len(b.Keys))
		}
		texts := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(cells[len(b.Keys)], " (", "±"), ")", ""))
		if len(texts) != len(b.Columns) {
			return nil, fmt.Errorf("the row %q has %d numbers, its block %d columns", line, len(texts), len(b.Columns))
		}
		for i, text := range texts {
			m := printedNumber.FindStringSubmatch(text)
			if m == nil {
				return nil, fmt.Errorf("the row %q has %q in place of a number", line, text)
			}
			if m[1] == "-" {
				continue
			}
			n := Number{Keys: slices.Clone(cells[:len(b.Keys)]), Column: b.Columns[i], spread: math.NaN(),
				digits: len(m[2])}
			if b.Transposed {
				last := len(n.Keys) - 1
				n.Keys[last], n.Column = n.Column, n.Keys[last]
			}
			var errs [2]error
			n.Value, errs[0] = strconv.ParseFloat(m[1], 64)
			if m[3] != "" {
				n.spread, errs[1] = strconv.ParseFloat(m[3], 64)
			}
			if err := errors.Join(errs[:]...); err != nil {
				return nil, err
			}
			all = append(all, n)
		}
	}
	return all, nil
}

// standardError returns the standard error of a printed number and how many values it
// rests on; false if the paper prints none and none follows from what it prints.
func (b Block) standardError(n Number) (se float64, of int, ok bool) {
	switch {
	case b.Error == "se" && !math.IsNaN(n.spread):
		return n.spread, b.N, true
	case b.Error == "sd" && !math.IsNaN(n.spread):
		return n.spread / math.Sqrt(float64(b.N)), b.N, true
	case b.Questions > 0 && n.Value > 0 && n.Value < 100:
		return math.Sqrt(n.Value * (100 - n.Value) / float64(b.Questions)), b.Questions, true
	}
	return 0, 0, false
}

// Models returns the models in the printed numbers, in their order; none if they are all of one model.
func (e Entry) Models() []string {
	var all []string
	for _, b := range e.Printed {
		i := slices.Index(b.Keys, modelKey)
		if i < 0 {
			continue
		}
		for line := range strings.Lines(b.Rows) {
			if name := strings.Split(line, " | ")[i]; !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// modelKey is the column in which a table names models if a campaign has several.
const modelKey = "model"

// Likest returns which of a paper's models a model is: the longest name that is part of model, ignoring case,
// spaces, - and _. If there is none, it returns the first of models, and false.
func Likest(models []string, model string) (string, bool) {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s))
	}
	best := ""
	for _, m := range models {
		if strings.Contains(plain(model), plain(m)) && len(m) > len(best) {
			best = m
		}
	}
	if best == "" && len(models) > 0 {
		return models[0], false
	}
	return best, best != ""
}
