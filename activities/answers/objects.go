package answers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// answerObject is <entry>.<ask>.json: one raw answer and, if it was the turn's
// last, what came of the turn.
type answerObject struct {
	Entry  int    `json:"entry"`
	Answer Answer `json:"answer"`
	Turn   *Turn  `json:"turn,omitempty"`
	Key    string `json:"key,omitempty"` // CacheKey of the question: the object is an entry of the cache, too
}

// outcomeObject is <entry>.turn.json: the outcome of a turn whose last answer
// was stored before it was parsed.
type outcomeObject struct {
	Asks int  `json:"asks"`
	Turn Turn `json:"turn"`
}

// batchObject is <first entry>.batch.json.
type batchObject struct {
	Turns []Turn `json:"turns"`
}

func (o answerObject) checkKey(key string, entry, ask int) error {
	sum := sha256.Sum256(o.Answer.Raw)
	if o.Entry != entry || o.Answer.Ask != ask || o.Answer.SHA256 != hex.EncodeToString(sum[:]) {
		return fmt.Errorf("%s: %w: it holds ask %d of entry %d", key, store.ErrCorrupt, o.Answer.Ask, o.Entry)
	}
	return nil
}

func (o batchObject) checkKey(key string, first int) error {
	if len(o.Turns) == 0 || o.Turns[0].Entry != first {
		return fmt.Errorf("%s: %w: the batch does not begin with entry %d", key, store.ErrCorrupt, first)
	}
	return nil
}

// joinTo adds the object's answer to the earlier ones.
func (o answerObject) joinTo(earlier Turn) Turn {
	t := Turn{Entry: earlier.Entry}
	if o.Turn != nil {
		t = *o.Turn
	}
	t.Asks = append(earlier.Asks, o.Answer)
	return t
}

func (o outcomeObject) joinTo(key string, t Turn) (Turn, error) {
	if o.Turn.Entry != t.Entry || o.Asks != len(t.Asks) {
		return Turn{}, fmt.Errorf("%s: %w: it is the outcome of %d asks of entry %d; %d asks of entry %d are stored",
			key, store.ErrCorrupt, o.Asks, o.Turn.Entry, len(t.Asks), t.Entry)
	}
	asks := t.Asks
	t = o.Turn
	t.Asks = asks
	return t, nil
}

func (t Turn) withoutAsks() *Turn {
	if !t.Done {
		return nil
	}
	t.Asks = nil
	return &t
}

// cleanTexts makes the turn what it will be after a round through JSON: strings are
// valid UTF-8 (the raw bytes are kept as they are) and answers carry their hash.
func (t Turn) cleanTexts() Turn {
	asks := make([]Answer, len(t.Asks))
	for i, a := range t.Asks {
		sum := sha256.Sum256(a.Raw)
		a.SHA256 = hex.EncodeToString(sum[:])
		for _, s := range []*string{&a.Provider, &a.ModelAsked, &a.ModelAnswered, &a.FinishReason, &a.RequestID,
			&a.Elsewhere, &a.Fault, &a.Thinking} {
			*s = validText(*s)
		}
		asks[i] = a
	}
	t.Asks = asks
	for _, s := range []*string{&t.Text, &t.Reason, &t.Thinking, &t.Proposal, &t.InvalidReason,
		&t.PromptHash, &t.Act.Key} {
		*s = validText(*s)
	}
	return t
}

func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func getObject[T any](ctx context.Context, store store.Store, key string) (T, error) {
	var body T
	data, err := store.Get(ctx, key)
	if err == nil {
		err = lake.Unseal(key, data, &body)
	}
	return body, err
}

// putFirst stores the body unless the key is taken, and returns what is stored.
func putFirst[T any](ctx context.Context, s store.Store, key string, body T) (T, error) {
	data, err := lake.Seal(key, body)
	if err != nil {
		return body, fmt.Errorf("%s: %w", key, err)
	}
	err = s.PutIfAbsent(ctx, key, data)
	if !errors.Is(err, store.ErrExists) {
		return body, err
	}
	stored, err := s.Get(ctx, key)
	if err != nil {
		return body, err
	}
	if bytes.Equal(stored, data) {
		return body, nil
	}
	var first T
	return first, lake.Unseal(key, stored, &first)
}
