package scripted

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"roundtable/activities/model"
)

// maxLine is the longest line of a file: an answer of 16 MiB in base64, and its place.
const maxLine = 24 << 20

// line is one recorded answer. It is placed by the collaboration's name, or by
// condition, instance and replicate.
type line struct {
	Collaboration string  `json:"collaboration"`
	Condition     *string `json:"condition"`
	Instance      *int    `json:"instance"`
	Replicate     *int    `json:"replicate"`
	Entry         *int    `json:"entry"`
	Ask           int     `json:"ask"`
	Text          *string `json:"text"`
	Base64        *string `json:"base64"` // instead of text: an answer that is not UTF-8
	Model         string  `json:"model"`
	// Columns of turns: the mean log-probability of the answer's tokens, and their number.
	MeanLogprob   *float64 `json:"mean_logprob"`
	LogprobTokens *int64   `json:"logprob_tokens"`
}

type answerKey struct {
	collaboration string
	entry, ask    int
}

type answer struct {
	text    []byte
	model   string
	logprob *model.Logprob
	line    int
}

// Recording is a Recorded in memory, read from JSON lines.
type Recording struct{ answers map[answerKey]answer }

// ReadRecording reads one JSON object a line with the fields collaboration (or
// condition, instance, replicate), entry, ask (0 if left out), text (or base64)
// and model, mean_logprob and logprob_tokens (optional). Empty lines are passed over.
// The error names every faulty line, up to ten.
func ReadRecording(r io.Reader) (*Recording, error) {
	f := &Recording{answers: map[answerKey]answer{}}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	var faults []error
	n := 0
	for scanner.Scan() {
		n++
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		if err := f.add(n, scanner.Bytes()); err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", n, err))
		}
		if len(faults) == 10 {
			break
		}
	}
	if err := scanner.Err(); err != nil {
		faults = append(faults, fmt.Errorf("line %d: %w", n+1, err))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("recorded answers: %w", err)
	}
	return f, nil
}

func (f *Recording) add(n int, raw []byte) error {
	var l line
	if err := json.Unmarshal(raw, &l, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	at, err := l.keyOf()
	if err != nil {
		return err
	}
	text, err := l.answer()
	if err != nil {
		return err
	}
	logprob, err := l.logprob()
	if err != nil {
		return err
	}
	if earlier, ok := f.answers[at]; ok {
		return fmt.Errorf("entry %d, ask %d of %s is on line %d already", at.entry, at.ask,
			at.collaboration, earlier.line)
	}
	f.answers[at] = answer{text: text, model: l.Model, logprob: logprob, line: n}
	return nil
}

func (l line) keyOf() (answerKey, error) {
	cell := l.Condition != nil && l.Instance != nil && l.Replicate != nil
	switch {
	case l.Entry == nil || *l.Entry < 0 || l.Ask < 0:
		return answerKey{}, errors.New("entry must be a number from 0, and ask too if it is given")
	case l.Collaboration != "":
		return answerKey{l.Collaboration, *l.Entry, l.Ask}, nil
	case cell:
		return answerKey{cellID(*l.Condition, *l.Instance, *l.Replicate), *l.Entry, l.Ask}, nil
	}
	return answerKey{}, errors.New("it needs collaboration, or condition, instance and replicate")
}

func (l line) answer() ([]byte, error) {
	switch {
	case (l.Text == nil) == (l.Base64 == nil):
		return nil, errors.New("it needs either text or base64")
	case l.Text != nil:
		return []byte(*l.Text), nil
	}
	text, err := base64.StdEncoding.DecodeString(*l.Base64)
	if err != nil {
		return nil, fmt.Errorf("base64: %w", err)
	}
	return text, nil
}

// logprob returns how probable the answer was; nil if the line does not say.
func (l line) logprob() (*model.Logprob, error) {
	switch {
	case l.MeanLogprob == nil && l.LogprobTokens == nil:
		return nil, nil
	case l.MeanLogprob == nil || l.LogprobTokens == nil:
		return nil, errors.New("it needs both mean_logprob and logprob_tokens, or neither")
	case *l.MeanLogprob > 0:
		return nil, fmt.Errorf("mean_logprob is %v; expected a natural logarithm, 0 or less", *l.MeanLogprob)
	case *l.LogprobTokens < 1:
		return nil, fmt.Errorf("logprob_tokens is %d; expected a number from 1", *l.LogprobTokens)
	}
	return &model.Logprob{Mean: *l.MeanLogprob, Tokens: *l.LogprobTokens}, nil
}

// Answer returns the recorded answer. The caller may change its bytes.
func (f *Recording) Answer(_ context.Context, collaboration string, entry, ask int) (model.Response, error) {
	a, ok := f.answers[answerKey{collaboration, entry, ask}]
	if !ok {
		return model.Response{}, ErrMissing
	}
	return model.Response{Text: bytes.Clone(a.text), Model: a.model, Logprob: a.logprob}, nil
}

// Len returns the number of recorded answers.
func (f *Recording) Len() int { return len(f.answers) }
