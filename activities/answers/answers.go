// Package answers is the ledger of what was paid for: it stores every answer of
// a model as soon as it was received. An answer that was stored is never bought
// again: each object is written once, durably, before anybody hears of it,
// carries its own checksum, and the first one written under a key wins.
package answers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/transcript"
)

// RunKey is one generation of one collaboration.
type RunKey struct {
	Campaign      string
	Collaboration string
	Generation    int
}

// Answer is one raw answer and what is known about the call that brought it.
type Answer struct {
	Ask           int            `json:"ask"`                // 0, then re-asks
	Attempt       int            `json:"attempt"`            // number of the intent it answers
	Raw           []byte         `json:"raw"`                // the model's text, byte for byte; base64 in JSON
	Thinking      string         `json:"thinking,omitempty"` // what the service gave apart from Raw
	SHA256        string         `json:"sha256"`             // of Raw, hexadecimal; filled in by Put
	Provider      string         `json:"provider"`
	ModelAsked    string         `json:"model_asked"`
	ModelAnswered string         `json:"model_answered,omitempty"`
	FinishReason  string         `json:"finish_reason,omitempty"`
	Elsewhere     string         `json:"elsewhere,omitempty"` // see model.Response, also of Waived
	Waived        []string       `json:"waived,omitempty"`
	RequestID     string         `json:"request_id,omitempty"`
	Usage         model.Usage    `json:"usage"`
	Tier          string         `json:"tier,omitempty"`      // see model.Response
	Logprob       *model.Logprob `json:"logprob,omitempty"`   // likewise
	SavedUSD      *float64       `json:"saved_usd,omitempty"` // by the tier; nil in the standard one
	// ReasoningAsked is how much thinking was asked for: an effort, or a number of tokens.
	ReasoningAsked string   `json:"reasoning_asked,omitempty"`
	Cached         bool     `json:"cached,omitempty"`    // taken from the cache: not billed
	CostUSD        *float64 `json:"cost_usd,omitempty"`  // nil if a price or the usage is not known
	FeeUSD         float64  `json:"fee_usd,omitempty"`   // of CostUSD, what was billed beside tokens
	PriceUSD       *float64 `json:"price_usd,omitempty"` // of an answer that was paid elsewhere: what it cost there
	StartedAt      int64    `json:"started_at"`          // µs UTC
	LatencyMS      int64    `json:"latency_ms"`
	Simulated      bool     `json:"simulated,omitempty"`
	// What the call can have cost at most, if the service did not say what it has used
	// or, in Told, what cannot be.
	WorstUSD    *float64     `json:"worst_usd,omitempty"`
	WorstTokens int64        `json:"worst_tokens,omitempty"`
	Told        *model.Usage `json:"told,omitempty"`
	Fault       string       `json:"fault,omitempty"` // why the answer was not usable
	// From is the collaboration that it was made in, as RunKey.String has it, if this one
	// continues there; the answer is Cached, too.
	From string `json:"from,omitempty"`
}

// Text returns Raw as a string in which invalid UTF-8 is replaced.
func (a Answer) Text() string { return strings.ToValidUTF8(string(a.Raw), string(utf8.RuneError)) }

// Turn is one entry of a transcript with all its answers. While Done is false
// only Entry and Asks count: the last answer is still to be parsed, or asked again.
type Turn struct {
	Entry         int            `json:"entry"`
	Asks          []Answer       `json:"asks,omitempty"` // by Ask, from 0
	Done          bool           `json:"done"`
	Act           transcript.Act `json:"act"`
	Text          string         `json:"text,omitempty"`     // what others can see
	Reason        string         `json:"reason,omitempty"`   // private
	Thinking      string         `json:"thinking,omitempty"` // private, and not read
	ReadAs        string         `json:"read_as,omitempty"`  // how the answer was found
	Proposal      string         `json:"proposal,omitempty"` // canonical JSON
	InvalidReason string         `json:"invalid_reason,omitempty"`
	PromptHash    string         `json:"prompt_hash,omitempty"`
	Simulated     bool           `json:"simulated,omitempty"` // the environment gives what a scripted agent wrote
}

// Intent records that a call is about to be made. An intent without an answer is a call of unknown
// outcome and cost.
type Intent struct {
	Entry     int    `json:"entry"`
	Ask       int    `json:"ask"`
	Attempt   int    `json:"attempt"` // from 0; filled in by Intend
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	StartedAt int64  `json:"started_at"`      // µs UTC
	Batch     string `json:"batch,omitempty"` // name of the batch that it is made in; empty for a call alone
	// What the call can cost at most; WorstUSD is nil if its price is not known.
	WorstUSD    *float64 `json:"worst_usd,omitempty"`
	WorstTokens int64    `json:"worst_tokens,omitempty"`
}

// Stored is everything stored of one run's answers.
type Stored struct {
	Turns   []Turn   // by entry; the last ones may not be Done
	Unknown []Intent // by entry, ask, attempt: intents that have no answer
	// Unannounced are answers to calls of which no intent is stored. Those of models that
	// take no time have none.
	Unannounced []Ask
	// Released are intents that were taken back and are stored still. Rows that were made
	// before that tell of them as calls of unknown outcome.
	Released []Intent

	next     map[call]int      // the number of an ask's next intent
	reserved map[call]*float64 // US dollars, by intent; nil if nothing bounds its call
}

// Ask identifies one answer: its entry, and which ask of that entry.
type Ask struct{ Entry, Ask int }

// Turn returns the turn of an entry; false if nothing of it is stored.
func (s Stored) Turn(entry int) (Turn, bool) {
	i, ok := slices.BinarySearchFunc(s.Turns, entry, func(t Turn, e int) int { return t.Entry - e })
	if !ok {
		return Turn{}, false
	}
	return s.Turns[i], true
}

// Answers is the answer store. It is safe for concurrent use.
type Answers struct {
	store store.Store
	runs  runs
}

// NewAnswers returns the answer store on top of a store of objects.
func NewAnswers(store store.Store) *Answers {
	return &Answers{store: store, runs: runs{patience: patience, known: map[RunKey]*run{}}}
}

// Turn returns what is stored of an entry that was asked call by call (for batches see Batch). If
// nothing is stored, the Turn has no asks.
func (a *Answers) Turn(ctx context.Context, p RunKey, entry int) (Turn, error) {
	t := Turn{Entry: entry}
	for !t.Done {
		o, err := a.putAnswer(ctx, p, entry, len(t.Asks))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return Turn{}, err
		}
		t = o.joinTo(t)
	}
	if t.Done || len(t.Asks) == 0 {
		return t, nil
	}
	return a.outcomeOf(ctx, p, t)
}

// IsStored reports whether the answer to this ask of an entry is stored.
func (a *Answers) IsStored(ctx context.Context, p RunKey, entry, ask int) (bool, error) {
	key, err := p.objectKey("%06d.%d.json", entry, ask)
	if err == nil {
		_, err = a.store.Head(ctx, key)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Put durably stores t's last answer and, if t is Done, the turn's outcome, as one object. The
// first writer wins: go on with the returned turn, not with t. If that is not Done, its last answer
// is still to be parsed.
func (a *Answers) Put(ctx context.Context, p RunKey, t Turn) (Turn, error) {
	return a.PutAnswering(ctx, p, t, "")
}

// PutAnswering is Put for a question with this CacheKey, so that Cache can cache the answer.
func (a *Answers) PutAnswering(ctx context.Context, p RunKey, t Turn, cacheKey string) (Turn, error) {
	if len(t.Asks) == 0 {
		return Turn{}, fmt.Errorf("entry %d of %s: a turn without an answer cannot be stored", t.Entry, p)
	}
	t = t.cleanTexts()
	last := len(t.Asks) - 1
	if t.Asks[last].Ask != last {
		return Turn{}, fmt.Errorf("entry %d of %s: answer %d of the turn says that it is ask %d", t.Entry, p, last,
			t.Asks[last].Ask)
	}
	key, err := p.objectKey("%06d.%d.json", t.Entry, last)
	if err != nil {
		return Turn{}, err
	}
	mine := answerObject{Entry: t.Entry, Answer: t.Asks[last], Turn: t.withoutAsks(), Key: cacheKey}
	stored, err := putFirst(ctx, a.store, key, mine)
	if err != nil {
		return Turn{}, err
	}
	earlier := Turn{Entry: t.Entry, Asks: t.Asks[:last:last]}
	kept := stored.joinTo(earlier)
	if kept.Done || !t.Done || stored.Answer.SHA256 != mine.Answer.SHA256 {
		return kept, nil
	}
	// The answer was stored before it was parsed: the outcome gets an object of its own.
	return a.putOutcome(ctx, p, kept, t)
}

// Batch returns the turns of the stored batch whose first entry is first; nil if there is none.
func (a *Answers) Batch(ctx context.Context, p RunKey, first int) ([]Turn, error) {
	key, err := p.objectKey("%06d.batch.json", first)
	if err != nil {
		return nil, err
	}
	b, err := getObject[batchObject](ctx, a.store, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return b.Turns, b.checkKey(key, first)
}

// PutBatch durably stores finished turns of an instantaneous model as one
// object and returns them as they are stored: turns that were there first win.
// Entries ascend; they need not be consecutive.
func (a *Answers) PutBatch(ctx context.Context, p RunKey, turns []Turn) ([]Turn, error) {
	rest := make([]Turn, len(turns))
	for i, t := range turns {
		if !t.Done || i > 0 && t.Entry <= turns[i-1].Entry {
			return nil, fmt.Errorf("batch of %s at entry %d: the turns of a batch are finished and ascend", p, t.Entry)
		}
		rest[i] = t.cleanTexts()
	}
	var all []Turn
	for len(rest) > 0 {
		first := rest[0].Entry
		key, err := p.objectKey("%06d.batch.json", first)
		if err != nil {
			return nil, err
		}
		stored, err := putFirst(ctx, a.store, key, batchObject{Turns: rest})
		if err == nil {
			err = stored.checkKey(key, first)
		}
		if err != nil {
			return nil, err
		}
		var left []Turn
		for _, t := range rest {
			if s, ok := (Stored{Turns: stored.Turns}).Turn(t.Entry); ok {
				all = append(all, s)
			} else {
				left = append(left, t)
			}
		}
		rest = left
	}
	slices.SortFunc(all, func(a, b Turn) int { return a.Entry - b.Entry })
	return all, nil
}

// OfFork returns t as it appears in a fork that continues run from: its answers are Cached, since
// they were paid there.
func (t Turn) OfFork(from RunKey) Turn {
	asks := make([]Answer, len(t.Asks))
	for i, a := range t.Asks {
		a.From = from.String()
		asks[i] = a.withoutCost()
	}
	t.Asks = asks
	return t
}

// withoutCost returns an answer that was paid elsewhere.
func (a Answer) withoutCost() Answer {
	a.PriceUSD = cmp.Or(a.CostUSD, a.PriceUSD)
	a.Cached, a.CostUSD, a.SavedUSD, a.FeeUSD, a.Attempt = true, nil, nil, 0, 0
	a.WorstUSD, a.WorstTokens, a.Told = nil, 0, nil
	return a
}

func (a *Answers) putAnswer(ctx context.Context, p RunKey, entry, ask int) (answerObject, error) {
	key, err := p.objectKey("%06d.%d.json", entry, ask)
	if err != nil {
		return answerObject{}, err
	}
	o, err := getObject[answerObject](ctx, a.store, key)
	if err == nil {
		err = o.checkKey(key, entry, ask)
	}
	return o, err
}

func (a *Answers) outcomeOf(ctx context.Context, p RunKey, t Turn) (Turn, error) {
	key, err := p.objectKey("%06d.turn.json", t.Entry)
	if err != nil {
		return Turn{}, err
	}
	o, err := getObject[outcomeObject](ctx, a.store, key)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return Turn{}, err
	}
	return o.joinTo(key, t)
}

func (a *Answers) putOutcome(ctx context.Context, p RunKey, kept, t Turn) (Turn, error) {
	key, err := p.objectKey("%06d.turn.json", t.Entry)
	if err != nil {
		return Turn{}, err
	}
	o, err := putFirst(ctx, a.store, key, outcomeObject{Asks: len(t.Asks), Turn: *t.withoutAsks()})
	if err != nil {
		return Turn{}, err
	}
	return o.joinTo(key, kept)
}

// String returns campaign/collaboration.generation, as ParseRunKey parses it.
func (p RunKey) String() string {
	return fmt.Sprintf("%s/%s.%d", p.Campaign, p.Collaboration, p.Generation)
}

// ParseRunKey parses what RunKey.String returns; false if text is something else.
func ParseRunKey(text string) (RunKey, bool) {
	campaign, rest, ok := strings.Cut(text, "/")
	dot := strings.LastIndex(rest, ".")
	if !ok || dot < 0 {
		return RunKey{}, false
	}
	generation, err := strconv.Atoi(rest[dot+1:])
	return RunKey{Campaign: campaign, Collaboration: rest[:dot], Generation: generation}, err == nil && generation >= 0
}

func (p RunKey) folderOf() (string, error) {
	for _, name := range []string{p.Campaign, p.Collaboration} {
		if name == "" || strings.ContainsAny(name, "/\x00") {
			return "", fmt.Errorf("%q cannot be part of an object's name: campaign and collaboration are words "+
				"without a slash", name)
		}
	}
	if p.Generation < 0 {
		return "", fmt.Errorf("collaboration %s: a generation is not negative", p)
	}
	return fmt.Sprintf("answers/campaign=%s/%s.%d/", p.Campaign, p.Collaboration, p.Generation), nil
}

func (p RunKey) objectKey(format string, numbers ...any) (string, error) {
	prefix, err := p.folderOf()
	return prefix + fmt.Sprintf(format, numbers...), err
}

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
