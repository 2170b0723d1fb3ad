package qa

import (
	"fmt"
	"maps"
	"slices"

	"roundtable/envs/qa/records"
	"roundtable/envs/wording"
)

// layouts are the formats: how a public data set's own files are laid out, in the parameters
// that read any file. Those without columns are for files of the user's own.
var layouts = map[string]Params{
	"jsonl":   {form: records.JSON},
	"csv":     {form: records.CSV},
	"parquet": {form: records.Parquet},
	"hf":      {},

	"bbh": {form: records.JSON, Rows: "examples",
		Columns: records.Columns{Question: "input", Answer: records.Names{"target"}}, OptionsAfter: "Options:"},
	"math500": {form: records.JSON, Columns: records.Columns{ID: "unique_id", Question: "problem",
		Answer: records.Names{"answer"}}, Kind: Math},
	"strategyqa": {form: records.JSON, Columns: records.Columns{ID: "qid", Question: "question",
		Answer: records.Names{"answer"}, Options: records.Names{}}, Kind: YesNo},
	// the authors' files have letters and no header, copies with one have places
	"mmlu": {form: records.CSV, Header: []string{"question", "A", "B", "C", "D", "answer"},
		Columns: records.Columns{Question: "question"}, AnswerIs: records.LetterOrFrom0, Kind: Choice},
	// where answer and answer_index differ (question 3983), the letter counts
	"mmlu_pro": {form: records.JSON, Columns: records.Columns{ID: "question_id", Question: "question",
		Options: records.Names{"options"}, Answer: records.Names{"answer"}}, AnswerIs: records.ByLetter, Kind: Choice},
	// the right answer has a column of its own
	"gpqa": {form: records.CSV, Columns: records.Columns{ID: "Record ID", Question: "Question",
		Answer:  records.Names{"Correct Answer"},
		Options: records.Names{"Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"}},
		Shuffle: shuffleOptions, Kind: Choice},
	"musr": {form: records.JSON, Rows: "questions",
		Columns: records.Columns{Question: "question", Context: records.Names{"context"},
			Options: records.Names{"choices"}, Answer: records.Names{"answer"}},
		AnswerIs: records.From0, Kind: Choice},
	"squad2": {form: records.JSON, Rows: "data.paragraphs.qas",
		Columns: records.Columns{ID: "id", Question: "question", Context: records.Names{"context"},
			Answer: records.Names{"answers.text"}, Options: records.Names{}}, Kind: Span},
}

// shuffleOptions deals the options of each question by the campaign's seed.
const shuffleOptions = "options"

// Formats returns the names of the formats that can be read, sorted.
func Formats() []string { return slices.Sorted(maps.Keys(layouts)) }

// IsOwnFormat reports whether the user maps the columns of this format; other formats are those
// of published data sets.
func IsOwnFormat(name string) bool { return layouts[name].Columns.Question == "" }

func (p Params) isOwn() bool { return IsOwnFormat(p.Format) }

// withLayout returns the parameters with those of the format, which says itself what it says.
func (p Params) withLayout() (Params, error) {
	layout, known := layouts[p.Format]
	if !known {
		return p, fmt.Errorf("format is %q; expected %s", p.Format, wording.Or(Formats()))
	}
	p.form = layout.form
	if p.isOwn() {
		return p, nil
	}
	const own = "csv, hf, jsonl and parquet"
	for _, x := range []struct {
		key   string
		given bool
	}{
		{"columns", p.Columns.IsGiven()}, {"answer_is", p.AnswerIs != ""}, {"answer_after", p.AnswerAfter != ""},
		{"rows", p.Rows != ""},
		{"header", p.Header != nil}, {"choices", p.Choices != nil}, {"options_after", p.OptionsAfter != ""},
		{"kind", p.Kind != "" && layout.Kind != "" && p.Kind != layout.Kind},
	} {
		if x.given {
			return p, fmt.Errorf("%s is given, and the format %s has its own; it goes with %s", x.key, p.Format, own)
		}
	}
	p.Columns, p.AnswerIs, p.Rows, p.Header, p.OptionsAfter = layout.Columns, layout.AnswerIs, layout.Rows,
		layout.Header, layout.OptionsAfter
	if layout.Kind != "" {
		p.Kind = layout.Kind
	}
	if layout.Shuffle != "" {
		p.Shuffle = layout.Shuffle
	}
	return p, nil
}
