package qa

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// row of a CSV file, with the line on which it begins.
type row struct {
	line  int
	cells []string
}

// parseRows reads all rows of a CSV file; rows may differ in length.
func parseRows(data []byte) ([]row, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.FieldsPerRecord = -1
	var rows []row
	for {
		cells, err := r.Read()
		switch {
		case err == io.EOF && len(rows) == 0:
			return nil, errors.New("it is empty")
		case err == io.EOF:
			return rows, nil
		case err != nil:
			return nil, err
		}
		line, _ := r.FieldPos(0)
		rows = append(rows, row{line, cells})
	}
}

// named is a row under a header, by column.
type named struct {
	line  int
	cells map[string]string
}

// readNamed reads rows under a header.
func readNamed(data []byte, need ...string) ([]named, error) {
	rows, err := parseRows(data)
	if err != nil {
		return nil, err
	}
	header := rows[0].cells
	for _, column := range need {
		if !slices.Contains(header, column) {
			return nil, fmt.Errorf("line %d has no column %q", rows[0].line, column)
		}
	}
	var all []named
	for _, r := range rows[1:] {
		n := named{r.line, map[string]string{}}
		for i, column := range header {
			if i < len(r.cells) {
				n.cells[column] = r.cells[i]
			}
		}
		all = append(all, n)
	}
	return all, nil
}

// MMLU: question, four options and the answer, as a letter (the authors' files,
// without a header) or as an index from 0 (copies with one).
func readMMLU(data []byte, _ Kind) ([]Question, error) {
	rows, err := parseRows(data)
	if err != nil {
		return nil, err
	}
	if rows[0].cells[0] == "question" {
		rows = rows[1:]
	}
	var all []Question
	for _, r := range rows {
		row := r.cells
		if len(row) < 4 {
			return nil, fmt.Errorf("line %d has %d columns; question, options and answer are expected", r.line, len(row))
		}
		answer := strings.TrimSpace(row[len(row)-1])
		if n, err := strconv.Atoi(answer); err == nil && n >= 0 && n < mostOptions {
			answer = letter(n)
		}
		all = append(all, Question{Kind: Choice, Text: row[0], Options: row[1 : len(row)-1], Gold: []string{answer}, at: location{line: r.line}})
	}
	return all, nil
}

// GPQA: the user's own copy of gpqa_*.csv. Its right answer has a column of its
// own, so the options are shuffled by the campaign's seed.
func readGPQA(data []byte, _ Kind) ([]Question, error) {
	columns := []string{"Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"}
	rows, err := readNamed(data, append([]string{"Question"}, columns...)...)
	if err != nil {
		return nil, err
	}
	var all []Question
	for _, r := range rows {
		row := r.cells
		q := Question{ID: row["Record ID"], at: location{line: r.line}, Kind: Choice, Text: strings.TrimSpace(row["Question"]), Gold: []string{letter(0)}, shuffle: true}
		for _, c := range columns {
			q.Options = append(q.Options, strings.TrimSpace(row[c]))
		}
		all = append(all, q)
	}
	return all, nil
}

// CSV of the user's own, with a header: question and answer; id, context and
// options in columns A, B, C, … if there are any.
func readCSV(data []byte, kind Kind) ([]Question, error) {
	rows, err := readNamed(data, "question", "answer")
	if err != nil {
		return nil, err
	}
	var all []Question
	for _, r := range rows {
		row := r.cells
		var options, gold []string
		for i := range mostOptions {
			if o, ok := row[letter(i)]; ok && o != "" {
				options = append(options, o)
			}
		}
		if row["answer"] != "" {
			gold = []string{row["answer"]}
		}
		q := newOwnQuestion(row["id"], row["question"], row["context"], options, gold, kind)
		q.at.line = r.line
		all = append(all, q)
	}
	return all, nil
}
