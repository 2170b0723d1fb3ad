package dialogue

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Hand is one score that a person gave.
type Hand struct {
	Line          int // of the file, from 1
	Collaboration string
	Question      string // its id, if no collaboration is named
	Answer        string
	Score         float64 // on the judge's scale
}

const acceptedHand = "needed are score and either collaboration or question, with answer if a question has several"

// ReadHand reads scores by hand: CSV with a header, or JSON lines (.jsonl), with the
// names collaboration, question, answer and score. All errors come at once, with lines.
func ReadHand(name string, data []byte) ([]Hand, error) {
	read := readCSV
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".jsonl" || ext == ".ndjson" {
		read = readJSONLines
	}
	var all []Hand
	var errs []error
	wrong := func(line int, err error) { errs = append(errs, fmt.Errorf("%s, line %d: %w", name, line, err)) }
	err := read(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), func(line int, row map[string]string) {
		h := Hand{Line: line, Collaboration: row["collaboration"], Question: row["question"], Answer: row["answer"]}
		score, err := strconv.ParseFloat(strings.TrimSpace(row["score"]), 64)
		switch {
		case err != nil || score != score:
			wrong(line, fmt.Errorf("the score is %q; expected a number", row["score"]))
		case h.Collaboration == "" && h.Question == "":
			wrong(line, errors.New("it names neither a collaboration nor a question"))
		default:
			h.Score = score
			all = append(all, h)
		}
	}, wrong)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(errs) == 0 && len(all) == 0:
		return nil, fmt.Errorf("%s holds no scores; %s", name, acceptedHand)
	}
	return all, errors.Join(errs...)
}

var names = []string{"collaboration", "question", "answer", "score"}

func readCSV(data []byte, row func(int, map[string]string), wrong func(int, error)) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("it has no header; %s", acceptedHand)
	}
	if !slices.Contains(header, "score") || !slices.Contains(header, "collaboration") &&
		!slices.Contains(header, "question") {
		return fmt.Errorf("its header is %s; %s", strings.Join(header, ","), acceptedHand)
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		if len(fields) != len(header) {
			wrong(line, fmt.Errorf("it has %d fields, the header %d", len(fields), len(header)))
			continue
		}
		values := map[string]string{}
		for i, name := range header {
			values[name] = fields[i]
		}
		row(line, values)
	}
}

func readJSONLines(data []byte, row func(int, map[string]string), wrong func(int, error)) error {
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, len(data)+1)
	for line := 1; s.Scan(); line++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		var fields map[string]any
		d := json.NewDecoder(bytes.NewReader(s.Bytes()))
		d.UseNumber()
		if err := d.Decode(&fields); err != nil {
			wrong(line, errors.New("it is not a JSON object"))
			continue
		}
		values := map[string]string{}
		for _, name := range names {
			if v := fields[name]; v != nil {
				values[name] = fmt.Sprint(v)
			}
		}
		row(line, values)
	}
	return s.Err()
}
