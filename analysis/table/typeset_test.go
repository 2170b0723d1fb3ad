package table

import (
	"bytes"
	"strings"
	"testing"
)

func typeset(t *testing.T, format string) string {
	t.Helper()
	v := 12.0
	table := Table{
		Name: "x", Title: "Shares in % of <all>", Columns: []string{"rule_name", "n & m"}, Notes: []string{"p ≤ 5 %; a\\b"},
		Rows: [][]Cell{{{Text: "a_b<c>"}, {Value: &v}}, {{Text: "none"}, {}}},
	}
	var b bytes.Buffer
	if err := Write(&b, format, []Table{table}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLaTeX(t *testing.T) {
	got := typeset(t, "latex")
	for _, want := range []string{
		`\caption{Shares in \% of \textless{}all\textgreater{}}`, `\begin{tabular}{lr}`, `rule\_name & n \& m \\`,
		`a\_b\textless{}c\textgreater{} & 12 \\`, `none & -- \\`, `\footnotesize p $\le$ 5 \%; a\textbackslash{}b`, `\bottomrule`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestHTML(t *testing.T) {
	got := typeset(t, "html")
	for _, want := range []string{"<h3>Shares in % of &lt;all&gt;</h3>", "<td>a_b&lt;c&gt;</td>", ">12<", "<th>rule_name</th>", "<li>p ≤ 5 %; a\\b</li>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestEnding(t *testing.T) {
	for ending, want := range map[string]string{"": "text", "txt": "text", "tex": "latex", "html": "html", "md": "md", "csv": "csv", "json": "json", "xlsx": "", "pdf": ""} {
		if got := Ending(ending); got != want {
			t.Errorf("%q is %q, want %q", ending, got, want)
		}
	}
}
