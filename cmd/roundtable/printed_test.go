package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/table"
	"roundtable/cmd/internal/replicate"
)

func mean(v, se float64, n int) table.Cell {
	c := table.Number(v, 1)
	c.N = n
	if se > 0 {
		c.SE = &se
	}
	return c
}

// madeUp is a table with what a printed number can meet: a mean, one without spread, nothing,
// two rows that are told apart by nothing, and a deviation over replicates.
func madeUp() replicate.Found {
	return replicate.Found{Replicates: 3, Beside: "small", Table: table.Table{
		Name: "made-up", Columns: []string{"measure", "rule", "tools", "score", "score ± sd"}, Notes: []string{table.Simulated + "."},
		Rows: [][]table.Cell{
			{table.Word("share"), table.Word("a"), table.Word(""), mean(10, 2, 5), {}},
			{table.Word("share"), table.Word("b"), table.Word("solver"), mean(7, 0, 5), {}},
			{table.Word("share"), table.Word("c"), table.Word(""), {}, {}},
			{table.Word("share"), table.Word("d"), table.Word(""), mean(1, 1, 5), {}},
			{table.Word("share"), table.Word("d"), table.Word(""), mean(2, 1, 5), {}},
			{table.Word("share"), table.Word("e"), table.Word(""), table.Number(60, 1), table.Number(math.Sqrt(12), 1)},
			{table.Word("other"), table.Word("a"), table.Word(""), mean(99, 2, 5), {}},
		},
	}}
}

func compareOne(t *testing.T, b replicate.Block) table.Table {
	t.Helper()
	var c replicate.Comparison
	b.Where = map[string]string{"measure": "share"}
	if err := c.Add(b, madeUp()); err != nil {
		t.Fatal(err)
	}
	return c.Table("paper9/table-1", "made up", []string{"The rest is drawn."})
}

// By hand: with standard errors 2 (of 5) and 1 (of 10), Welch's degrees of freedom are
// 25/(16/4 + 1/9) = 6.0811, whose t is 2.43842; the interval is 6 ± 2.43842·√5. Taken as
// exact, the difference has t(4) = 2.776445 and 6 ± 5.55289.
func TestIntervals(t *testing.T) {
	for name, x := range map[string]struct {
		block     replicate.Block
		low, high string // "" for no interval
		differs   string
	}{
		"both errors":            {replicate.Block{Columns: []string{"score"}, Keys: []string{"rule"}, Error: "se", N: 10, Rows: "a | 4.0 (1.0)"}, "0.5", "11.5", "yes"},
		"the paper's is unknown": {replicate.Block{Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "a | 4.0"}, "0.4", "11.6", "yes"},
		"no spread here":         {replicate.Block{Columns: []string{"score"}, Keys: []string{"rule"}, Error: "se", N: 10, Rows: "b | 4.0 (1.0)"}, "", "", ""},
		// 2 (of 5) and √(50·50/100) = 5 (of 100): 841/(16/4 + 625/99) = 81.55, t 1.98948.
		"a share of questions": {replicate.Block{Columns: []string{"score"}, Keys: []string{"rule"}, Questions: 100, Rows: "a | 50.0"}, "-50.7", "-29.3", "yes"},
		// With √(50·50/2) = 35.4 of 2 questions the interval is wider than a difference of shares can be.
		"a share of two": {replicate.Block{Columns: []string{"score"}, Keys: []string{"rule"}, Questions: 2, Rows: "a | 50.0"}, "-100.0", "100.0", "no"},
		// 2 (of 3) and 1.7320508 (of 3): 49/(16/2 + 9/2) = 3.92 degrees of freedom, t 2.79892.
		"deviations of runs": {replicate.Block{Columns: []string{"score"}, Keys: []string{"rule"}, Error: "sd", N: 3, Deviation: "score ± sd", Rows: "e | 59.0±3.0"}, "-6.4", "8.4", "no"},
	} {
		got := compareOne(t, x.block)
		if len(got.Rows) != 1 {
			t.Errorf("%s: %d rows, %q", name, len(got.Rows), got.Notes)
			continue
		}
		if r := got.Rows[0]; r[5].String() != x.low || r[6].String() != x.high || r[7].String() != x.differs {
			t.Errorf("%s: %s to %s, differs %q; want %s to %s, %q", name, r[5], r[6], r[7], x.low, x.high, x.differs)
		}
	}
}

// What has no counterpart is not compared, and the notes say why.
func TestNothingIsFaked(t *testing.T) {
	for want, b := range map[string]replicate.Block{
		"no such row":              {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "z | 4.0"},
		"several such rows":        {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "d | 4.0"},
		"nothing there":            {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "c | 4.0"},
		`no column "points"`:       {Columns: []string{"points"}, Keys: []string{"rule"}, Rows: "a | 4.0"},
		"--embedder FOLDER":        {Columns: []string{"score"}, Keys: []string{"rule"}, Embedder: "SBERT", Rows: "a | 4.0"},
		"has no such row":          {Columns: []string{"score"}, Keys: []string{"rule", "tools"}, Rows: "b | – | 4.0"},
		"The rest is drawn.":       {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "a | 4.0"},
		"gives no error for 1":     {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "a | 4.0"},
		"No interval for 1":        {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "b | 4.0"},
		"1 can be compared with":   {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "a | 4.0"},
		"SIMULATED":                {Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "a | 4.0"},
		"are cut at -100 and 100":  {Columns: []string{"score"}, Keys: []string{"rule"}, Questions: 2, Rows: "a | 50.0"},
		"Of 1 number of the paper": {Columns: []string{"score"}, Keys: []string{"model", "rule"}, Rows: "small | a | 4.0\nlarge | a | 5.0"},
	} {
		if got := compareOne(t, b); !strings.Contains(strings.Join(got.Notes, "\n"), want) {
			t.Errorf("%q is not in %q", want, got.Notes)
		}
	}
}

// Where nothing is compared the table says so in place of columns without rows.
func TestNothingToCompare(t *testing.T) {
	for want, got := range map[string]table.Table{
		"none: the paper prints no numbers here":      new(replicate.Comparison).Table("paper9/figure-1", "made up", []string{"A drawing."}),
		"none of the paper's 1 number, see the notes": compareOne(t, replicate.Block{Columns: []string{"score"}, Keys: []string{"rule"}, Rows: "z | 4.0"}),
	} {
		if len(got.Columns) != 1 || len(got.Rows) != 1 || got.Rows[0][0].Text != want || len(got.Notes) == 0 {
			t.Errorf("%q %v, %q; want %s", got.Columns, got.Rows, got.Notes, want)
		}
	}
}

// A row of the paper may be a column here.
func TestTransposed(t *testing.T) {
	got := compareOne(t, replicate.Block{Columns: []string{"a", "b"}, Keys: []string{"rule"}, Transposed: true, Rows: "score | 4.0 5.0"})
	if len(got.Rows) != 2 || got.Rows[1][4].String() != "2.0" {
		t.Errorf("got %v", got.Rows)
	}
}

// TestPapers reads every printed number. How many there are, and some of them, were counted
// and looked up in the papers.
func TestPapers(t *testing.T) {
	p, err := replicate.Load()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, name := range p.Names() {
		e := p.Entries[name]
		for _, c := range e.All() {
			if _, ok := p.Campaigns[c]; !ok {
				t.Errorf("%s has a campaign %s, of which nothing is said", name, c)
			}
		}
		for _, b := range e.Printed {
			numbers, err := b.ReadNumbers()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			counts[name] += len(numbers)
		}
	}
	for name, want := range map[string]int{
		"paper1/table-1": 6 * 9, "paper1/table-2": 7 * 6, "paper1/table-6": 8 * 9, "paper1/table-7": 2 * 6 * 10, "paper1/table-8": 2*6*20 + 2*6*9,
		"paper1/table-9": 6 * 11 * 20, "paper1/table-10": 2 * 7 * 6, "paper2/table-4": 6 * 4, "paper3/table-2": 28 * 6, "paper3/table-5": 28 * 6,
		"paper3/table-3": 8 * 6, "paper4/table-1": 9 * 5 * 3, "paper4/table-2": 16, "paper4/table-11": 240, "paper5/figure-4": 0,
	} {
		if counts[name] != want {
			t.Errorf("%s has %d numbers, want %d", name, counts[name], want)
		}
	}
	numbers, err := p.Entries["paper4/table-11"].Printed[0].ReadNumbers()
	if last := numbers[len(numbers)-1]; err != nil || last.Value != 0.24 || last.Keys[1] != "80" || last.Column != "alternating" {
		t.Errorf("the last number of Table 11 is %+v: %v", last, err)
	}
}

// TestEveryResultIsThere: the entries are all tables and figures of results that the papers have.
// The others are drawings, examples, lists of data sets and prompts.
func TestEveryResultIsThere(t *testing.T) {
	p, err := replicate.Load()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, of := range []struct {
		kind    string
		numbers []int
	}{
		{"paper1/table", []int{1, 2, 6, 7, 8, 9, 10, 11}},
		{"paper1/figure", []int{3, 4, 5, 20, 21, 22, 23, 24}},
		{"paper2/table", []int{1, 2, 4}},
		{"paper2/figure", []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{"paper3/table", []int{2, 3, 4, 5, 6, 7}},
		{"paper4/table", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{"paper4/figure", []int{1, 3, 4, 5, 7, 8, 9}},
		{"paper5/figure", []int{2, 3, 4, 6, 7, 8, 9, 10, 11}},
	} {
		for _, n := range of.numbers {
			want = append(want, fmt.Sprintf("%s-%d", of.kind, n))
		}
	}
	got := slices.Clone(p.Names())
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("entries are\n%v, want\n%v", got, want)
	}
}

func TestLikest(t *testing.T) {
	models := []string{"gpt-3.5-turbo", "gpt-4o-mini", "gpt-4o", "Qwen2.5-7B-Instruct"}
	for model, want := range map[string]string{
		"openai/gpt-4o-mini-2024-07-18": "gpt-4o-mini", "openai/gpt-4o-2024-05-13": "gpt-4o", "openai/Qwen/Qwen2.5-7B-Instruct": "Qwen2.5-7B-Instruct",
	} {
		if got, ok := replicate.Likest(models, model); !ok || got != want {
			t.Errorf("%s is %s, want %s", model, got, want)
		}
	}
	if got, ok := replicate.Likest(models, "anthropic/claude"); ok || got != "gpt-3.5-turbo" {
		t.Errorf("an unknown model is beside %s", got)
	}
}

// The list helps who gives half a name, and knows the one model that a campaign asks, also
// through the file that it extends.
func TestNamesAndModels(t *testing.T) {
	p, err := replicate.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"table-10":        "; paper1/table-10 or paper4/table-10?",
		"paper1/table-3":  "did you mean paper1/table-",
		"paper5/figure-4": "",
	} {
		if _, err := p.Find(name); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for campaign, want := range map[string]string{"1-table-1": "openai/gpt-4o-mini-2024-07-18", "1-table-6-agents": "openai/gpt-4o-mini-2024-07-18", "1-table-6-models": "", "3-table-2": ""} {
		if got := replicate.Model(campaign); got != want || (replicate.Models(campaign) > 0) != (want == "") {
			t.Errorf("%s asks %q, want %q", campaign, got, want)
		}
	}
}
