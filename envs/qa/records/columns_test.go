package records

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func fieldsOf(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

// Every form that options have in public data sets.
func TestOptions(t *testing.T) {
	for _, x := range []struct{ columns, row, want string }{
		{`{}`, `{"options":["x","y"]}`, "[x y] []"},
		{`{}`, `{"options":"[\"x\",\"y\",3]"}`, "[x y 3] []"},
		{`{}`, `{"A":"x","B":"y","C":""}`, "[x y] []"},
		{`{"options":"choices"}`, `{"choices":{"text":["x","y"],"label":["1","2"]}}`, "[x y] [1 2]"},
		{`{"options":"q.choices"}`, `{"q":{"choices":[{"label":"A","text":"x"},{"label":"B","text":"y"}]}}`, "[x y] [A B]"},
		{`{"options":"o"}`, `{"o":{"B":"y","A":"x","E":null}}`, "[x y] [A B]"},
		{`{"options":["opa","opb"]}`, `{"opa":"x","opb":2}`, "[x 2] []"},
		{`{"options":"o"}`, `{"o":null}`, "[] []"},
		{`{"options":"o"}`, `{"o":"['x', \"it's\", 'say \\'z\\'']"}`, "[x it's say 'z'] []"},
		{`{"options":"o"}`, `{"o":"('x', 2, True)"}`, "[x 2 true] []"},
		{`{"options":"o"}`, `{"o":"{'A': 'x', 'B': 'y'}"}`, "[x y] [A B]"},
		{`{"options":"o"}`, `{"o":"['x' 'y']"}`, "o: it is not options; expected a list of texts"},
		{`{"options":"o"}`, `{"o":7}`, "o: it is not options"},
		{`{"options":"o"}`, `{"o":{"text":["x"],"label":["A","B"]}}`, "o: there are 1 texts and 2 labels"},
		{`{"options":"o"}`, `{"o":["x",""]}`, "o: option 2 is empty"},
		{`{"options":"o"}`, `{"o":["x","<image 2>"]}`, `o: option 2 refers to an image ("<image 2>")`},
		{`{"options":["opa","opb","opc"]}`, `{"opa":"x","opb":"","opc":"z"}`, "opb: the option is empty"},
		{`{"question":"text"}`, `{"text":"Look at <image 1>."}`, `text: it refers to an image ("<image 1>")`},
		{`{}`, `{"picture":{"bytes":"\u0000","path":"a.png"}}`, "picture: it holds an image"},
		{`{}`, `{"image":"images/17.png"}`, "image: it holds an image"},
		{`{}`, `{"image_url":"https://example.org/17"}`, "image_url: it holds an image"},
		{`{}`, `{"figure":"Napoleon","image":"none","picture":"see text"}`, "[] []"},
		{`{"answer":"figure"}`, `{"figure":"42"}`, "[] []"},
		{`{"question":"a"}`, `{"a":{"b":"c"}}`, "a: it is a mapping; a text is expected"},
	} {
		var c Columns
		if err := json.Unmarshal([]byte(x.columns), &c); err != nil {
			t.Fatal(err)
		}
		fields := fieldsOf(t, x.row)
		if _, ok := fields["question"]; !ok && c.Question == "" {
			fields["question"] = "?"
		}
		if c.Question == "" {
			c.Question = "question"
		}
		c, err := c.For(Table{Columns: keys(fields), Records: []Record{{At: 1, Fields: fields}}})
		if err != nil {
			t.Fatalf("%s: %v", x.columns, err)
		}
		row, err := c.Read(fields)
		got := fmt.Sprint(row.Options, " ", row.Labels)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, x.want) {
			t.Errorf("%s of %s: %s, want %s", x.columns, x.row, got, x.want)
		}
	}
}

func keys(fields map[string]any) (all []string) {
	for name := range fields {
		all = append(all, name)
	}
	return all
}

func TestMissingColumns(t *testing.T) {
	_, err := Columns{Question: "qestion", Answer: Names{"key"}, ID: "a.b"}.For(Table{Columns: []string{"a", "question"}, Records: []Record{{At: 1, Fields: map[string]any{"a": map[string]any{"c": "x"}}}}})
	want := `no row has anything at "a.b"; the keys in the column a are c` + "\n" + `there is no column "qestion"; the file has a, question; did you mean question?` + "\n" + `there is no column "key"; the file has a, question`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// An answer means one option, or the error says in which ways it can be read.
func TestOption(t *testing.T) {
	words, labels := []string{"red", "green", "blue"}, []string{"1", "2", "3"}
	for _, x := range []struct {
		options, labels []string
		answer          any
		as              Reading
		want            string
	}{
		{words, nil, "B", Any, "1"},
		{words, nil, "(b)", Any, "1"},
		{words, nil, "green", Any, "1"},
		{words, nil, int64(0), Any, "0"},
		{words, nil, int64(3), Any, "2"},
		{words, nil, int64(1), Any, `the right answer "1" is option (B) counted from 0 and (A) counted from 1; say which: answer_is: index_0 or index_1`},
		{words, nil, int64(1), From0, "1"},
		{words, nil, "1", From1, "0"},
		{words, nil, 2.0, From1, "1"},
		{words, labels, "1", Any, "0"},
		{words, labels, int64(1), Any, "0"},
		{words, labels, "blue", Any, "2"},
		{[]string{"1", "2", "3"}, nil, int64(2), Any, `the right answer "2" is option (B) as a text and (C) counted from 0; say which: answer_is: text or index_0`},
		{[]string{"1", "2", "3"}, nil, "2", ByText, "1"},
		{[]string{"C", "B", "A"}, nil, "A", Any, `is option (A) as a letter and (C) as a text; say which: answer_is: letter or text`},
		{[]string{"x", "x"}, nil, "x", Any, `the right answer "x" is the text of options (A) and (B)`},
		{[]string{"False", "True"}, nil, true, Any, "1"},
		{words, nil, "D", Any, `the right answer "D" is none of the options: no letter of (A) to (C)`},
		{words, nil, int64(3), From0, `the right answer "3" is none of the 3 options, read counted from 0 (answer_is: index_0)`},
	} {
		i, err := Row{Options: x.options, Labels: x.labels}.Option(x.answer, x.as)
		got := fmt.Sprint(i)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, x.want) || len(x.want) == 1 && got != x.want {
			t.Errorf("%v of %v %v as %q: %s, want %s", x.answer, x.options, x.labels, x.as, got, x.want)
		}
	}
}

func TestRightOptions(t *testing.T) {
	for _, x := range []struct {
		answer  any
		as      Reading
		several bool
		want    string
	}{
		{"B", Any, false, "[1]"}, {"B", Any, true, "[1]"}, {"A,C", Any, true, "[0 2]"}, {nil, Any, false, "[]"}, {"", Any, false, "[]"},
		{[]any{"A", "C"}, Any, true, "[0 2]"}, {[]any{"A"}, Any, false, "[0]"},
		{[]any{int64(1), int64(0), int64(1)}, mask, true, "[0 2]"}, {[]any{int64(0), int64(1), int64(0)}, mask, false, "[1]"},
		{"A,C", Any, false, "write kind: several if several options are right"},
		{"D", Any, false, "no letter of (A) to (C)"},
		{[]any{"A", "D"}, Any, true, "no letter of (A) to (C)"},
		{[]any{"A", "A"}, Any, true, "option (A) is there twice"},
		{[]any{"A", "B"}, Any, false, "2 options are right"},
		{[]any{int64(1), int64(0), int64(1)}, Any, true, "write answer_is: mask"},
		{[]any{int64(1)}, mask, true, "there are 3 options and 1 marks"},
	} {
		right, err := Row{Options: []string{"red", "green", "blue"}, Answer: x.answer, Right: -1}.RightOptions(x.as, x.several)
		got := fmt.Sprint(right)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%v as %q, several %v: %s, want %s", x.answer, x.as, x.several, got, x.want)
		}
	}
}

// A column holds options if each row that has any has two or more, of which the answer is one.
func TestHoldsOptions(t *testing.T) {
	for rows, want := range map[string]bool{
		`{"o":["x","y"],"a":"y"}`:                         true,
		`{"o":["x","y"],"a":"B"}`:                         true,
		`{"o":["x","y"],"a":"z"}`:                         false,
		`{"o":["x"],"a":"x"}`:                             false,
		`{"o":7,"a":"x"}`:                                 false,
		`{"o":null,"a":"x"}`:                              false,
		`{"o":null,"a":"x"} {"o":["x","y"],"a":"x"}`:      true,
		`{"o":["x","y"],"a":"x"} {"o":["x"],"a":"x"}`:     false,
		`{"o":{"choices":["x","y"]},"a":"x"}`:             true,
		`{"o":["x","y"],"a":"x"} {"o":["v","w"],"a":"x"}`: false,
	} {
		var table Table
		for _, row := range strings.SplitAfter(rows, "} ") {
			table.Records = append(table.Records, Record{Fields: fieldsOf(t, row)})
		}
		if got := holdsOptions(table, "o", Names{"a"}, false); got != want {
			t.Errorf("%s: %v", rows, got)
		}
	}
	wrong := Table{Records: []Record{{Fields: fieldsOf(t, `{"o":["x","y"],"a":"z"}`)}}}
	if !holdsOptions(wrong, "o", Names{"a"}, true) || holdsOptions(wrong, "o", Names{"a", "b"}, false) {
		t.Error("a column that is named for options needs no answer among them, another one exactly one answer")
	}
}

func TestAnswers(t *testing.T) {
	for _, x := range []struct {
		answer any
		want   string
	}{
		{nil, "[]"}, {"A,C", "[A C]"}, {"A; C", "[A C]"}, {"[\"A\",\"C\"]", "[A C]"}, {[]any{int64(1), int64(2)}, "[1 2]"}, {"red, or green", "[red, or green]"}, {int64(1), "[1]"},
	} {
		if got := fmt.Sprint(Row{Options: []string{"red, or green", "blue"}, Answer: x.answer}.Answers()); got != x.want {
			t.Errorf("%v: %s, want %s", x.answer, got, x.want)
		}
	}
}

// Whatever a row holds, its options have texts, and an answer means one of them.
func FuzzColumns(f *testing.F) {
	for _, s := range []string{`{"question":"?","options":["x","y"],"answer":1}`, `{"question":"?","options":{"text":["x"],"label":["A"]},"answer":"A"}`, `{"question":{"a":1},"options":"[[]]"}`, `{"options":[{"label":"1","text":"<image>"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read("x.json", data, Options{})
		if err != nil {
			return
		}
		c, err := Columns{}.For(table)
		if err != nil {
			return
		}
		for _, r := range table.Records {
			row, err := c.Read(r.Fields)
			if err != nil {
				continue
			}
			if len(row.Labels) > 0 && len(row.Labels) != len(row.Options) {
				t.Errorf("%d options, %d labels", len(row.Options), len(row.Labels))
			}
			for _, as := range append(Readings(), Any) {
				right, err := row.RightOptions(as, true)
				if err == nil && slices.ContainsFunc(right, func(i int) bool { return i < 0 || i >= len(row.Options) }) {
					t.Errorf("options %v of %d", right, len(row.Options))
				}
			}
			_, _ = row.Golds()
			_ = c.Doubts(table, Columns{}, true)
		}
	})
}
