package programs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/envs/program"
)

// recording is an answer as it is stored.
type recording struct {
	Command []string        `json:"command"`
	Request json.RawMessage `json:"request"`
	Answer  json.RawMessage `json:"answer"`
	SHA256  string          `json:"sha256"` // of the answer
}

// Folder holds the recordings of a campaign.
func Folder(campaign string) string { return lake.AboutKey(campaign, "programs/") }

// Key returns where the answer to a question is stored.
func Key(campaign string, command []string, request json.RawMessage) string {
	words, err := json.Marshal(command)
	if err != nil {
		panic("programs: " + err.Error()) // texts always marshal
	}
	return Folder(campaign) + digest(append(append(words, '\n'), request...))[:32] + ".json"
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// load returns a stored answer. One whose bytes are not those that were written is
// store.ErrCorrupt.
func load(ctx context.Context, s store.Store, campaign string, q program.Question) (json.RawMessage, error) {
	key := Key(campaign, q.Command, q.Input)
	data, err := s.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := read(key, data)
	if err == nil && Key(campaign, r.Command, r.Request) != key {
		err = fmt.Errorf("%s: %w: it answers another question", key, store.ErrCorrupt)
	}
	return r.Answer, err
}

// read decodes a recording.
func read(key string, data []byte) (r recording, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w: %w", key, store.ErrCorrupt, err)
	}
	if digest(r.Answer) != r.SHA256 {
		return r, fmt.Errorf("%s: %w: its answer has another checksum", key, store.ErrCorrupt)
	}
	return r, nil
}

// save stores an answer and returns the one that counts: the first.
func save(ctx context.Context, s store.Store, campaign string, q program.Question,
	answer json.RawMessage) (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // it would change the bytes of the answer
	if err := e.Encode(recording{q.Command, q.Input, answer, digest(answer)}); err != nil {
		return nil, err
	}
	err := s.PutIfAbsent(ctx, Key(campaign, q.Command, q.Input), out.Bytes())
	if errors.Is(err, store.ErrExists) {
		return load(ctx, s, campaign, q)
	}
	return answer, err
}

// Check returns how many answers of programs a campaign has recorded, and what is wrong with them.
func Check(ctx context.Context, s store.Store, campaign string) (recorded int, findings []lake.Finding, err error) {
	objects, err := s.List(ctx, Folder(campaign))
	if err != nil {
		return 0, nil, err
	}
	for _, o := range objects {
		data, err := s.Get(ctx, o.Key)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			return recorded, findings, err
		}
		r := recording{}
		if err == nil {
			r, err = read(o.Key, data)
		}
		if err == nil && Key(campaign, r.Command, r.Request) != o.Key {
			err = errors.New("it answers another question than its name says")
		}
		if err != nil {
			findings = append(findings, lake.NewFinding(o.Key, err))
			continue
		}
		recorded++
	}
	return recorded, findings, nil
}
