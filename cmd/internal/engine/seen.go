package engine

import (
	"context"
	"sync"
	"time"

	"roundtable/workflows"
)

// How old a campaign's status may be that is shown; that of one which has ended changes rarely.
const (
	statusAge = 5 * time.Second
	endedAge  = time.Minute
)

// askedAtOnce bounds the campaigns whose workflows one scrape asks at the same time.
const askedAtOnce = 16

// seenCampaigns remembers how far campaigns were when their workflows last said so.
type seenCampaigns struct {
	names func() []string
	ask   func(ctx context.Context, name string) (workflows.Status, error)

	mu    sync.Mutex
	known map[string]seenCampaign
}

type seenCampaign struct {
	status workflows.Status
	at     time.Time // of the last question
	is     bool      // it was answered
}

// isDue reports whether the workflow is to be asked again.
func (c seenCampaign) isDue() bool {
	age := statusAge
	if c.is && c.status.Cells > 0 && c.status.Done() == c.status.Cells {
		age = endedAge
	}
	return time.Since(c.at) > age
}

// allStatuses returns the campaigns that this process works for, without those that do not answer
// before ctx ends: an old status would be taken for the present one.
func (s *seenCampaigns) allStatuses(ctx context.Context) map[string]workflows.Status {
	s.mu.Lock() // one scrape after the other: a busy worker is not asked twice
	defer s.mu.Unlock()
	names := s.names()
	seen := make([]seenCampaign, len(names))
	permits := make(chan struct{}, askedAtOnce)
	var asking sync.WaitGroup
	for i, name := range names {
		if seen[i] = s.known[name]; !seen[i].isDue() {
			continue
		}
		asking.Go(func() {
			permits <- struct{}{}
			defer func() { <-permits }()
			if seen[i].is = false; ctx.Err() != nil { // the next scrape asks
				return
			}
			seen[i].at = time.Now()
			if status, err := s.ask(ctx, name); err == nil {
				seen[i].status, seen[i].is = status, true
			}
		})
	}
	asking.Wait()
	all := map[string]workflows.Status{}
	for i, name := range names {
		if s.known[name] = seen[i]; seen[i].is {
			all[name] = seen[i].status
		}
	}
	return all
}
