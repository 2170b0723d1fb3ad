package entry

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	list := []Named{
		{Name: "utility-by-rule", Papers: Numbers(1, "table", 1)},
		{Name: "debate-by-agents", Papers: Numbers(4, "table", 2, 3)},
		{Name: "summary"},
	}
	for written, want := range map[string]string{
		"utility-by-rule": "utility-by-rule", "paper1/table-1": "utility-by-rule",
		"paper4/table-3": "debate-by-agents", "summary": "summary",
	} {
		n, err := Find("table", list, written)
		if err != nil || n.Name != want {
			t.Errorf("%q is %q, want %q (%v)", written, n.Name, want, err)
		}
	}
	for written, want := range map[string]string{
		"summry": "did you mean summary?", "paper4/table-33": "did you mean paper4/table-3?", "": "utility-by-rule, debate-by-agents, summary or all",
	} {
		if _, err := Find("table", list, written, "all"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", written, err, want)
		}
	}
}

func TestCite(t *testing.T) {
	for want, papers := range map[string][]citation{
		"":                                  nil,
		"paper 1, Table 1":                  Numbers(1, "table", 1),
		"paper 2, Figures 6 and 7":          Numbers(2, "figure", 6, 7),
		"paper 2, Figures 2 and 8 to 11":    Numbers(2, "figure", 2, 8, 9, 10, 11),
		"paper 4, Tables 6 to 11, Figure 9": append(Numbers(4, "table", 6, 7, 8, 9, 10, 11), Numbers(4, "figure", 9)...),
	} {
		if got := (Named{Papers: papers}).Cite(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
