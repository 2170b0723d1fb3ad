package reading

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The questions that the texts of the corpus answer.
var questions = map[string]Form{
	"cap": Options([]string{"Athens", "Rome", "Milan", "Paris"}),
	"ice": Options([]string{"steam", "dew", "ice", "fog"}),
	"ten": Options(strings.Fields("helium neon argon krypton xenon radon hydrogen oxygen nitrogen fluorine")),
	"sev": Several([]string{"Athens", "Rome", "Milan", "Paris"}),
	"yn":  YesNo(),
	"int": Number(false), "num": Number(false), "numde": Number(true),
	"bal": Candidates(3),
	"art": Options([]string{"dog", "cat", "parrot", "fish"}),
	// options that hold each other, negate each other, or are numbers or truths
	"york": Options([]string{"New York", "New York City", "York", "West York"}),
	"neg":  Options([]string{"increases", "does not increase", "increases only at night", "None of the above"}),
	"nums": Options([]string{"12", "120", "1.2", "21"}),
	"tf":   Options([]string{"True", "False"}),
	"pct":  Options([]string{"25%", "50%", "75%", "100%"}),
	"root": Options([]string{"x = 3", "x = -3", "x = 3 or x = -3", "no real solution"}),
	"both": Options([]string{"Only the first", "Only the second", "Both A and B", "None of the above"}),
}

// item is one text with what a person reads in it: answers that are right, "-" being none.
type item struct {
	place, question, text string
	right                 []string
}

func corpus(t testing.TB, file string) (items []item) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if strings.HasPrefix(line, "#") || len(parts) < 3 {
			continue
		}
		items = append(items, item{file, parts[0], strings.ReplaceAll(parts[2], `\n`, "\n"), strings.Split(parts[1], "|")})
	}
	return items
}

// realAnswers returns answers of two small models, with what a person reads in them.
func realAnswers(t testing.TB) (items []item, forms []Form) {
	t.Helper()
	data, err := os.ReadFile("testdata/real.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var row struct {
			Options             []string
			Finish, Right, Text string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		items = append(items, item{row.Finish, "", row.Text, strings.Split(row.Right, "|")})
		forms = append(forms, Options(row.Options))
	}
	return items, forms
}

func TestRealAnswers(t *testing.T) {
	items, forms := realAnswers(t)
	for n, i := range items {
		got, err := forms[n].Read(i.text, i.place == "length")
		if err != nil {
			got.Text = "-"
		}
		if !slices.Contains(i.right, got.Text) {
			t.Errorf("%d: %q is read as %s (%s), %v, not %v", n, i.text, got.Text, got.Way, err, i.right)
		}
	}
	t.Logf("%d answers", len(items))
}

// readOf returns what the reader finds in a text; "-" is nothing.
func readOf(i item) (string, Way) {
	got, err := questions[i.question].Read(i.text, i.place == "corpus_cut.tsv")
	if err != nil || i.question == "int" && strings.Contains(strings.TrimSuffix(strings.TrimRight(got.Text, "0"), "."), ".") {
		return "-", ""
	}
	if questions[i.question].number != nil && strings.Contains(got.Text, ".") {
		got.Text = strings.TrimSuffix(strings.TrimRight(got.Text, "0"), ".")
	}
	if strings.HasPrefix(got.Text, ".") {
		got.Text = "0" + got.Text
	}
	return got.Text, got.Way
}

// A person has read every text of the corpus before the reader did. What the reader takes
// for an answer and is another one or none is a silent misreading, at most 0.5 %; what it
// refuses and a person can read, at most 3 %. Each is listed.
func TestCorpus(t *testing.T) {
	type read struct {
		item
		got string
		way Way
	}
	files := []string{
		"corpus_en.tsv", "corpus_other.tsv", "corpus_cut.tsv", "corpus_hard.tsv", "corpus_own.tsv", "corpus_second.tsv",
		"corpus_kinds.tsv", "corpus_held.tsv", "corpus_turned.tsv", "corpus_shapes.tsv", "corpus_tried.tsv",
	}
	results := make([][]read, len(files))
	var all sync.WaitGroup
	for n, file := range files {
		items := corpus(t, file)
		all.Go(func() {
			for _, i := range items {
				if _, known := questions[i.question]; known {
					got, way := readOf(i)
					results[n] = append(results[n], read{i, got, way})
				}
			}
		})
	}
	all.Wait()
	var wrong, refused, readable, total int
	for _, i := range slices.Concat(results...) {
		total++
		if !slices.Contains(i.right, "-") {
			readable++
		}
		switch {
		case slices.Contains(i.right, i.got):
		case i.got == "-":
			refused++
			t.Logf("refused: %s %q is %v", i.question, i.text, i.right)
		default:
			wrong++
			t.Logf("MISREAD: %s %q is read as %s (%s), not %v", i.question, i.text, i.got, i.way, i.right)
		}
	}
	t.Logf("%d texts: %d misread (%.2f %%), %d of %d readable ones refused (%.1f %%)", total, wrong, 100*float64(wrong)/float64(total), refused, readable, 100*float64(refused)/float64(readable))
	if 200*wrong > total || 100*refused > 3*readable {
		t.Error("more than 0.5 % are misread, or more than 3 % refused")
	}
}
