package campaign

import (
	"cmp"
	"strconv"
	"strings"

	"roundtable/analysis/table"
)

// WholeNumber parses a setting as a whole number; 0 if it is none.
func WholeNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// Environments returns the environments of the conditions, in their order.
func (v View) Environments() []string {
	var list []string
	seen := map[string]bool{}
	for _, g := range v.Groups {
		if e := g.Settings["env"]; !seen[e] {
			seen[e] = true
			list = append(list, e)
		}
	}
	return list
}

// Title returns the title of a condition, from its labels. Names of plug-ins and labels stand
// alone, values after the last word of their key: "ranked, agents 5". Parameters of other plug-ins
// are left out, and those that are not set, unless none is.
func (v View) Title(g Group) string {
	var words, unset []string
	names, texts := v.nameOf(g)
	for i, key := range names {
		value := texts[i]
		_, param, is := strings.Cut(key, ".")
		switch {
		case value != "" && value == g.Labels[key] || !is && key != "env" && value != "":
			words = append(words, value)
		case is && !v.Applies(g, key):
		case is && value == "":
			unset = append(unset, param+" not set")
		case is:
			words = append(words, param+" "+value)
		}
	}
	if len(words) == 0 {
		words = unset
	}
	return cmp.Or(strings.Join(words, ", "), g.ID)
}

// FullTitle returns a condition's title, with its environment if conditions differ in that.
func (v View) FullTitle(g Group) string {
	title := v.Title(g)
	switch {
	case len(v.Environments()) < 2:
		return title
	case title == g.ID:
		return g.Settings["env"]
	}
	return g.Settings["env"] + ": " + title
}

// FullTitles returns the titles of all conditions by ID; nil if there is only one condition.
func (v View) FullTitles() map[string]string {
	if len(v.Groups) < 2 {
		return nil
	}
	titles := map[string]string{}
	for _, g := range v.Groups {
		titles[g.ID] = v.FullTitle(g)
	}
	return titles
}

// Describe returns g's names and texts in the view's labels, as words; "–" if it has none.
func (v View) Describe(g Group) string {
	var words []string
	names, texts := v.nameOf(g)
	for i, key := range names {
		if texts[i] != "" {
			words = append(words, key+" "+texts[i])
		}
	}
	return cmp.Or(strings.Join(words, ", "), "–")
}

// LabelAs returns the first cells of a row about several conditions of an environment, called name.
func (v View) LabelAs(environment, name string) []table.Cell {
	names := v.Names()
	cells := make([]table.Cell, len(names))
	cells[0] = table.Word(name)
	if names[0] == "env" && len(cells) > 1 {
		cells[0], cells[1] = table.Word(environment), table.Word(name)
	}
	return cells
}

// LabelAll returns the first cells of a row over all conditions of an environment.
func (v View) LabelAll(environment string) []table.Cell { return v.LabelAs(environment, "all") }
