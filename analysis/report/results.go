package report

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/study/stopping"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// Results are a campaign's results.
type Results struct {
	Headlines []overview.Headline // one for each environment
	Figures   []Figure
	Tables    []Result
	Beside    *Comparison // nil if the campaign stands alone
	Repeats   string      // which conditions are not compared, because they repeat others; "" if none do
}

// Comparison is a campaign's conditions beside those of others.
type Comparison struct {
	Name      string // of the campaign
	All       string // of all of them, "a and b"
	Headlines []overview.Headline
	Figures   []Figure
	Tables    []Result
	Notes     []string // what is paired
}

// compareCampaigns returns what joined campaigns come to, of which one is called name.
func compareCampaigns(joined campaign.Campaign, name string) *Comparison {
	joined = joined.Grouped()
	names := newConditionNames(joined)
	c := &Comparison{Name: name, All: joined.Name, Headlines: overview.Headlines(joined), Notes: joined.Joined}
	if f, err := figures.Make(joined, "conditions"); err == nil {
		c.Figures = append(c.Figures, pictureOf(f))
	}
	for _, table := range []string{"outcomes", "comparisons"} {
		if t, err := study.Make(joined, table); err == nil { // where nothing is paired, the notes say so
			c.Tables = append(c.Tables, Result{Table: names.merge(t)})
		}
	}
	return c
}

// Group is a group of results on one topic.
type Group struct {
	Title   string
	Note    string // what it leaves out, and why; "" if nothing
	Figures []Figure
	Tables  []Result
}

// ID returns the group's anchor on the page.
func (g Group) ID() string {
	return "of-" + strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(g.Title))
}

// Count returns how many figures and tables the group has, in words; "" if none.
func (g Group) Count() string {
	var parts []string
	if n := len(g.Figures); n > 0 {
		parts = append(parts, wording.Count(n, "figure"))
	}
	if n := len(g.Tables); n > 0 {
		parts = append(parts, wording.Count(n, "table"))
	}
	return strings.Join(parts, ", ")
}

// Of what a page begins with: how conditions came out, and whether it was worth it.
var (
	firstFigures = []string{"conditions", "front"}
	firstTables  = []string{"answer", "outcomes", "comparisons", "front", "worth"}
	firstTitles  = map[string]string{"conditions": "Outcome by condition", "answer": "The question",
		"outcomes": "Outcomes", "comparisons": "Comparisons", "front": "Outcome against cost",
		"worth": "Worth of talking"}
)

// First returns the groups at the beginning of a page; each figure comes before the table of the same name.
func (r Results) First() (parts []Group) {
	for _, name := range slices.Concat([]string{"conditions"}, firstTables) {
		g := r.group(firstTitles[name], func(f string) bool { return f == name },
			func(t string) bool { return t == name })
		if name == "comparisons" || name == "front" {
			g.Note = r.Repeats
		}
		if g.Count() != "" {
			parts = append(parts, g)
		}
	}
	return parts
}

// Groups returns the figures and tables that First does not, by study.
func (r Results) Groups() (all []Group) {
	for _, title := range append(study.Titles(), costTitle) {
		g := r.group(title, func(f string) bool { return !slices.Contains(firstFigures, f) && figures.StudyOf(f) == title },
			func(t string) bool {
				return !slices.Contains(firstTables, t) && cmp.Or(study.TitleOf(t), costTitle) == title
			})
		if g.Count() != "" {
			all = append(all, g)
		}
	}
	return all
}

func (r Results) group(title string, hasFigure, hasTable func(name string) bool) Group {
	return Group{title, "", slices.DeleteFunc(slices.Clone(r.Figures), func(f Figure) bool { return !hasFigure(f.Name) }),
		slices.DeleteFunc(slices.Clone(r.Tables), func(t Result) bool { return !hasTable(t.Name) })}
}

// costTitle is the group of tables that no study has.
const costTitle = "Cost"

// CanBeDrawn reports whether the figure can be drawn, on the page or as a file.
func (f Figure) CanBeDrawn() bool { return f.SVG != "" }

// phoneWidth is that of a figure that is read on a phone.
const phoneWidth = 78 * vg.Millimeter

// Figure is a figure on a page.
type Figure struct {
	Name, Title string
	Notes       []string
	SVG         string // "" if it cannot be drawn
	Narrow      string // the same for a phone; "" if that is not made
	Missing     string // and why
	Tall        bool   // it needs a page of paper
	Downloads   []Download
}

// Result is a table on a page.
type Result struct {
	table.Table
	Downloads []Download
}

// Legend explains the columns of the table outcomes, with which pages begin; it is "" for others, whose notes do.
func (r Result) Legend() string {
	if r.Name != "outcomes" {
		return ""
	}
	return "In parentheses: the standard error. low to high: the 95 % interval of the outcome. tied: conditions that " +
		"share a letter cannot be told apart, which does not say that they are equal."
}

// Download is a file that a figure or table can be saved as.
type Download struct{ As, To string }

// resultsOf makes the tables and figures that a campaign has something for.
func resultsOf(c campaign.Campaign, labels *dialogue.Labels, agreement *table.Table) Results {
	c = c.Grouped()
	names := newConditionNames(c)
	r := Results{Headlines: overview.Headlines(c), Repeats: overview.DescribeRepeats(c)}
	for _, f := range figures.All(c) {
		if slices.Contains(firstFigures, f.Name) {
			r.Figures = append(r.Figures, pictureBelowTitle(f))
		} else {
			r.Figures = append(r.Figures, pictureOf(f))
		}
	}
	for _, t := range study.All(c) {
		r.Tables = append(r.Tables, Result{Table: names.merge(t)})
	}
	if labels != nil {
		r.addLabels(c, *labels)
	}
	if agreement != nil {
		r.Tables = append(r.Tables, Result{Table: study.OfLabels("agreement", *agreement)})
	}
	return r
}

// addLabels adds what labels say.
func (r *Results) addLabels(c campaign.Campaign, labels dialogue.Labels) {
	for _, f := range figures.AllGraphs(c, labels) {
		shown := newPicture(f.Name, f.Title, f.Notes, f.Inline)
		shown.Tall = true
		r.Figures = append(r.Figures, shown)
	}
	if t, err := dialogue.Acts(c, labels); err == nil {
		r.Tables = append(r.Tables, Result{Table: study.OfLabels("dialogue-acts", t)})
	}
	if t, ok := stopping.RegressionTop(c); ok {
		r.Tables = append(r.Tables, Result{Table: study.OfLabels("regression", t)})
	}
}

func pictureOf(f figures.Figure) Figure {
	shown := newPicture(f.Name, f.Title, f.Notes, f.Inline)
	if shown.CanBeDrawn() && slices.Contains(firstFigures, f.Name) {
		shown.Narrow, _ = f.Fit(phoneWidth).Inline() // without it, the wide one is moved sideways
	}
	return shown
}

// pictureBelowTitle returns a figure drawn without its title, which the page shows above it.
func pictureBelowTitle(f figures.Figure) Figure {
	untitled := f
	untitled.Title = ""
	shown := pictureOf(untitled)
	shown.Title = f.Title
	return shown
}

func newPicture(name, title string, notes []string, draw func() (string, error)) Figure {
	f := Figure{Name: name, Title: title, Notes: notes}
	var err error
	if f.SVG, err = draw(); err != nil {
		f.Missing = err.Error()
		if large, is := errors.AsType[figures.TooLarge](err); is {
			f.Missing = large.ForReaders()
		}
	}
	return f
}
