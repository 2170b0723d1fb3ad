package scripted

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"roundtable/activities/model"
)

const replayName = "replay"

// ErrMissing is what a Source returns for an answer that it does not have.
var ErrMissing = errors.New("no recorded answer")

// Recorded holds recorded answers.
type Recorded interface {
	// Answer is the raw answer to one ask of one entry, and the model that gave
	// it; ErrMissing (perhaps wrapped) if it was not recorded.
	Answer(ctx context.Context, collaboration string, entry, ask int) (text []byte, model string, err error)
}

// cellID returns the name under which a Source may keep the answers of one cell
// whatever the campaign calls its collaboration; it is looked for second.
func cellID(condition string, instance, replicate int) string {
	return fmt.Sprintf("%s/%d/%d", condition, instance, replicate)
}

type recorded struct{ source Recorded }

// NewReplay makes the model. It reads only where Request.Scene places the question.
func NewReplay(source Recorded) model.Model { return recorded{source} }

// Complete answers; nothing is billed.
func (r recorded) Complete(ctx context.Context, q model.Request) (model.Response, error) {
	if q.Scene == nil {
		return model.Response{}, failedWith(model.Fail, "no_scene", "a replayed model was asked without a scene")
	}
	s := q.Scene
	text, by, err := r.source.Answer(ctx, s.Collaboration, s.Entry, s.Ask)
	if errors.Is(err, ErrMissing) {
		text, by, err = r.source.Answer(ctx, cellID(s.Condition, s.Instance, s.Replicate), s.Entry, s.Ask)
	}
	switch {
	case errors.Is(err, ErrMissing):
		return model.Response{}, failedWith(model.Fail, "missing_answer", fmt.Sprintf(
			"no answer is recorded for entry %d, ask %d of collaboration %s (condition %s, instance %d, replicate %d)",
			s.Entry, s.Ask, s.Collaboration, s.Condition, s.Instance, s.Replicate))
	case err != nil:
		return model.Response{}, failedWith(model.Retry, "unreadable_recording", err.Error())
	}
	if by == "" {
		by = replayName
	}
	return model.Response{Text: text, Model: by, FinishReason: "stop"}, nil
}

func failedWith(class model.Class, code, message string) *model.Error {
	message = message[:min(len(message), 2048)]
	return &model.Error{Class: class, Provider: replayName, Code: code, Message: strings.ToValidUTF8(message, ""),
		Unbilled: true}
}
