package dialogue

import (
	"errors"
	"fmt"
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

// NewHand returns the score in a row of a file with the columns collaboration, question, answer and score.
func NewHand(line int, row map[string]any) (Hand, error) {
	text := func(column string) string {
		if row[column] == nil {
			return ""
		}
		return fmt.Sprint(row[column])
	}
	h := Hand{Line: line, Collaboration: text("collaboration"), Question: text("question"), Answer: text("answer")}
	var err error
	h.Score, err = strconv.ParseFloat(strings.TrimSpace(text("score")), 64)
	switch {
	case err != nil || h.Score != h.Score:
		return h, fmt.Errorf("the score is %q; expected a number", text("score"))
	case h.Collaboration == "" && h.Question == "":
		return h, errors.New("it names neither a collaboration nor a question")
	}
	return h, nil
}
