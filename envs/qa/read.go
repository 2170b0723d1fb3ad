package qa

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
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
	return map[string]string{itsText: r.question, itsOptions: r.options, itsAnswer: r.answer}[part]
}

// Formats that can be read.
func Formats() []string { return slices.Sorted(maps.Keys(readers)) }

// readFiles gives the questions of all files that the pattern names, in the order of
// their names; every faulty question is reported with its file, line and field.
func readFiles(format, pattern string, kind Kind, files fs.FS) ([]Question, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("file is %q; there is no such file in the folder that data: names", pattern)
	}
	var all []Question
	var errs []error
	seen := map[string]bool{}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		reader := readers[format]
		questions, err := reader.read(data, kind)
		if err != nil {
			return nil, fmt.Errorf("%s, read as %s: %w", name, format, err)
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
			if f := (partError{}); errors.As(q.check(), &f) && len(errs) < maxErrors {
				errs = append(errs, fmt.Errorf("%s, %s (question %s): %w", name, q.at.fieldPath(data, reader.fieldName(f.part)), q.ID, f.error))
			}
			all = append(all, q)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no questions", pattern)
	}
	return all, errors.Join(errs...)
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
