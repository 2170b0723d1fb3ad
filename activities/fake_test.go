package activities_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/transcript"
)

// spy is a store that notes what is put and may refuse it.
type spy struct {
	store.Store
	mu     sync.Mutex
	notes  []string
	refuse func(key string) error // nil refuses nothing
}

func newLake(t testing.TB) *spy {
	t.Helper()
	return &spy{Store: storetest.NewMemory(map[string]string{})} // what disks do is tested in store and commits
}

func (s *spy) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s *spy) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if s.refuse != nil {
		if err := s.refuse(key); err != nil {
			return err
		}
	}
	err := s.Store.PutIfAbsent(ctx, key, data)
	if err == nil {
		s.note("put %s", short(key))
	}
	return err
}

func (s *spy) Delete(ctx context.Context, key string) error {
	s.note("delete %s", short(key))
	return s.Store.Delete(ctx, key)
}

// short is a key without what differs from test to test.
func short(key string) string {
	if strings.HasPrefix(key, "cache/") {
		return "cache"
	}
	return key[strings.LastIndexByte(key, '/')+1:]
}

// holds lists the objects of the store whose key contains a text.
func (s *spy) holds(part string) []string {
	var keys []string
	for _, o := range must(s.List(ctx, "")) {
		if strings.Contains(o.Key, part) {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// fake is a model that answers through a function and remembers what it was asked.
type fake struct {
	answer func(model.Request) (model.Response, error)
	mu     sync.Mutex
	asked  []model.Request
}

func (f *fake) Complete(_ context.Context, r model.Request) (model.Response, error) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	f.mu.Unlock()
	return f.answer(r)
}

// count is how often anything was asked.
func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

// saying answers every request with the text of a function.
func saying(text func(model.Request) string) *fake {
	return &fake{answer: func(r model.Request) (model.Response, error) { return response(text(r)), nil }}
}

func response(text string) model.Response {
	return model.Response{
		Text: []byte(text), Model: "test-2026", FinishReason: "stop", RequestID: "r-1",
		Usage: model.Usage{Input: 100, CachedInput: 40, Output: 10, Reasoning: 3},
	}
}

// polite is a good answer to any question.
func polite(r model.Request) string {
	me, round := r.Scene.Situation.Agent, r.Scene.Situation.Round
	switch r.Scene.Format {
	case transcript.FormatMessage:
		return fmt.Sprintf(`{"target": [], "message": "agent %d in round %d"}`, me, round)
	case transcript.FormatProposal:
		return proposing(allocation(r, me, 50+10*me+round))
	}
	return deciding(ballot(r.Scene.Ballot))
}

func proposing(proposal string) string {
	return fmt.Sprintf(`{"reason_for_decision": %q, "proposal": %s}`, secret, proposal)
}

func deciding(ballot string) string {
	return fmt.Sprintf(`{"reason_for_decision": %q, "decision": %s}`, secret, ballot)
}

// allocation gives so much of every good to one agent and the rest to the next.
func allocation(r model.Request, to, amount int) string {
	goods := []string{"apples", "bread", "cloth", "dates"}
	agents := r.Scene.Situation.Agents
	shares := map[string]map[string]int{}
	for i, agent := range agents {
		shares[agent.Name] = map[string]int{}
		for _, good := range goods[:len(agents)] {
			switch i {
			case to:
				shares[agent.Name][good] = amount
			case (to + 1) % len(agents):
				shares[agent.Name][good] = 100 - amount
			default:
				shares[agent.Name][good] = 0
			}
		}
	}
	return string(asJSON(shares))
}

// ballot puts candidates in their order, as far as it can say so.
func ballot(spec transcript.BallotSpec) string {
	order, points := make([]int, spec.N), map[int]int{}
	for c := range order {
		order[c], points[c+1] = c+1, 0
	}
	switch spec.Kind {
	case transcript.Rank:
		return string(asJSON(order))
	case transcript.Rate:
		for c := range points {
			points[c] = max(spec.Max+1-c, spec.Min)
		}
		return string(asJSON(points))
	case transcript.Distribute:
		points[1] = spec.Points
		return string(asJSON(points))
	}
	return "1"
}
