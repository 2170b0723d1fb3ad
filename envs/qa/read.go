package qa

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"roundtable/envs/qa/records"
	"roundtable/envs/qa/scoring"
)

// reader turns one file of a format into questions; kind is that of the formats
// that do not say it.
type reader struct {
	read func(data []byte, kind Kind) ([]Question, error)
	// names of the fields that hold the question, its options and its answer
	question, options, answer string
}

var readers = map[string]reader{
	"bbh":        {readBBH, "input", "input", "target"},
	"math500":    {readMath500, "problem", "", "answer"},
	"strategyqa": {readStrategyQA, "question", "", "answer"},
	"mmlu":       {readMMLU, "first column", "columns between the first and the last", "last column"},
	"mmlu_pro":   {readMMLUPro, "question", "options", "answer"},
	"gpqa":       {readGPQA, "Question", "Incorrect Answer 1 to 3", "Correct Answer"},
	"musr":       {readMuSR, "question", "choices", "answer"},
	"squad2":     {readSQuAD, "question", "", "answers"},
	"jsonl":      {readJSONL, "question", "options", "answer"},
	"csv":        {readCSV, "question", "A, B, …", "answer"},
}

// fieldName returns what a format calls a part of a question.
func (r reader) fieldName(part string) string {
	switch part {
	case itsText:
		return r.question
	case itsOptions:
		return r.options
	case itsAnswer:
		return r.answer
	}
	return part // a column's own name
}

// Formats that can be read.
func Formats() []string {
	return slices.Sorted(maps.Keys(describedFormats()))
}

// describedFormats returns all formats, and whether each maps columns by name.
func describedFormats() map[string]bool {
	all := map[string]bool{"parquet": true, "hf": true}
	//workflowcheck:ignore a map is made of a map
	for name := range readers {
		all[name] = name == "jsonl" || name == "csv"
	}
	return all
}

// IsOwnFormat reports whether a format is one of files of the user's own, not of a
// published data set.
func IsOwnFormat(name string) bool { return describedFormats()[name] }

// mappedKinds are read by name, whatever the file: they came with the mapping.
var mappedKinds = []Kind{Number, Text, Several, Open}

// isMapped reports whether the parts of a question are found by the names of columns.
func (p Params) isMapped() bool {
	own := p.Format == "jsonl" || p.Format == "csv"
	return p.Format == "parquet" || p.Format == "hf" || own && (!p.Columns.IsZero() || p.AnswerIs != "" || slices.Contains(mappedKinds, p.Kind))
}

// readFiles gives the questions of all files that the pattern names, in the order of
// their names; every faulty question is reported with its file, line and field.
func readFiles(p Params, files fs.FS) ([]Question, error) {
	names, err := fileNames(p, files)
	if err != nil {
		return nil, err
	}
	var all []Question
	var errs []error
	seen := map[string]bool{}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		questions, reader, err := p.readFile(name, data)
		if err != nil {
			return nil, eachIn(fmt.Sprintf("%s, read as %s", name, p.Format), err)
		}
		stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
		for i, q := range questions {
			if q.ID == "" {
				q.ID = fmt.Sprintf("%s-%d", stem, i)
			}
			if q.ID = plainID(q.ID); seen[q.ID] {
				q.ID = fmt.Sprintf("%s-%d", q.ID, i)
			}
			seen[q.ID] = true
			if q.at.path == nil {
				q.place = name + ", " + q.at.String()
			}
			if f := (partError{}); errors.As(p.checkQuestion(q), &f) && len(errs) < maxErrors {
				errs = append(errs, fmt.Errorf("%s, %s (question %s): %w", name, q.at.fieldPath(data, reader.fieldName(f.part)), q.ID, f.error))
			}
			all = append(all, q)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no questions", p.File)
	}
	return all, errors.Join(errs...)
}

// fileNames returns the files that hold the questions.
func fileNames(p Params, files fs.FS) ([]string, error) {
	if p.Format == "hf" {
		return records.Folder(files, p.File, p.Config, p.Split)
	}
	names, err := fs.Glob(files, p.File)
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("file is %q; there is no such file in the folder that data: names", p.File)
	}
	return names, nil
}

// readFile reads one file; the reader returned says what its fields are called.
func (p Params) readFile(name string, data []byte) ([]Question, reader, error) {
	if p.isMapped() {
		return p.readMapped(name, data)
	}
	r := readers[p.Format]
	questions, err := r.read(data, p.Kind)
	if err == nil && (p.Score.Name == scoring.ByExpression || p.Score.Name == scoring.ByCommand) {
		err = attachFields(p.Format, data, questions)
	}
	return questions, r, err
}

// checkQuestion returns what keeps a question from being asked and its answers
// from being scored, as a partError.
func (p Params) checkQuestion(q Question) error {
	if err := q.check(); err != nil {
		return err
	}
	return p.checkScore(q)
}

// eachIn puts where they are before every one of several errors.
func eachIn(where string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", where, err)
	}
	var errs []error
	for _, one := range joined.Unwrap() {
		errs = append(errs, eachIn(where, one))
	}
	return errors.Join(errs...)
}

const maxErrors = 20

// plainID returns an identifier that needs no quoting in tables, paths and shells.
func plainID(id string) string {
	id = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, id)
	if id = strings.TrimLeft(id, "-._"); id == "" {
		return "q"
	}
	return id
}

// parseLines returns the questions of a file with one JSON value a line.
func parseLines[T any](data []byte, each func(T) Question) ([]Question, error) {
	var all []Question
	err := eachLine(data, func(line int, v T) error {
		q := each(v)
		q.at.line = line
		all = append(all, q)
		return nil
	})
	return all, err
}

// eachLine decodes one JSON value a line, empty lines aside; errors say on which line.
func eachLine[T any](data []byte, take func(line int, v T) error) error {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		var v T
		if err := decodeJSON(n-1, []byte(strings.TrimRight(line, "\r\n")), &v); err != nil {
			return err
		}
		if err := take(n, v); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}
