package qa

import (
	"errors"
	"strings"

	"roundtable/envs/qa/columns"
	"roundtable/envs/qa/records"
)

// readMapped reads a file whose columns are mapped by name; the reader says what
// they are called.
func (p Params) readMapped(name string, data []byte) ([]Question, reader, error) {
	var table records.Table
	var err error
	switch p.Format {
	case "jsonl":
		table, err = records.ReadJSON(data)
	case "csv":
		table, err = records.ReadCSV(data)
	case "parquet":
		table, err = records.ReadParquet(data)
	default:
		table, err = records.Read(name, data)
	}
	if err != nil {
		return nil, reader{}, err
	}
	if len(table.Records) == 0 {
		return nil, reader{}, nil
	}
	cols, err := p.Columns.For(table)
	if err != nil {
		return nil, reader{}, err
	}
	names := reader{question: cols.Question, options: strings.Join(cols.Options, ", "), answer: cols.Answer}
	if names.options == "" {
		names.options = itsOptions
	}
	if names.answer == "" {
		names.answer = itsAnswer
	}
	var all []Question
	for _, r := range table.Records {
		q := p.mappedQuestion(cols, r)
		q.at = location{line: r.At, rows: table.InRows}
		all = append(all, q)
	}
	return all, names, nil
}

// mappedQuestion makes a question of a row.
func (p Params) mappedQuestion(cols columns.Columns, r records.Record) Question {
	row, err := cols.Read(r.Fields)
	q := Question{ID: row.ID, Kind: p.Kind, Text: row.Question, Context: row.Context, Options: row.Options, solution: row.Solution}
	q.fields, _ = records.Plain(r.Fields).(map[string]any)
	if column := (columns.Error{}); errors.As(err, &column) {
		q.bad = partError{column.Column, column.Err}
		return q
	}
	if len(row.Options) == 0 {
		if q.Gold, err = row.Golds(); err != nil {
			q.bad = partError{itsAnswer, err}
		}
		return q
	}
	if len(row.Options) > mostOptions {
		q.Kind = Choice
		return q
	}
	if q.Kind == Several {
		return q.withSeveral(row, p.AnswerIs)
	}
	if q.Kind = Choice; row.Answer == nil || row.Answer == "" {
		return q
	}
	i, err := row.Option(row.Answer, p.AnswerIs)
	if err != nil {
		q.bad = partError{itsAnswer, err}
		return q
	}
	q.Gold = []string{letter(i)}
	return q
}

// withSeveral returns the question with all its right options.
func (q Question) withSeveral(row columns.Row, as columns.Reading) Question {
	var right []string
	for _, answer := range row.Answers() {
		i, err := row.Option(answer, as)
		if err != nil {
			q.bad = partError{itsAnswer, err}
			return q
		}
		right = append(right, "("+letter(i)+")")
	}
	if len(right) > 0 {
		q.Gold = []string{strings.Join(right, "")}
	}
	return q
}
