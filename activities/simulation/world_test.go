// Package simulation runs whole campaigns in one process, on a clock, a store and a
// service that are made up, and that fail as the real ones do: requests are lost,
// done without a word, late or refused, disks fill up, and processes are killed
// wherever they wait. All of it follows from a seed.
//
// It promises: activities, answer store, budget, throttle, commits and compaction
// are the program's own. In the place of Temporal's server stands what it does for
// them: it keeps what is to be done, gives what a dead process had in hand to
// another, and tries again. After a run the invariants are checked from the store
// and from what the service has counted. The same seed gives the same run.
//
// Run wants a bubble of testing/synctest, whose clock it lets pass.
package simulation

import (
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roundtable/activities/model"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store/storetest"
)

// calm is when faults end: from then on the campaign must come to its end within patience.
const (
	calm     = 20 * time.Minute
	patience = 4 * time.Hour
)

// world is all that the processes of a run share.
type world struct {
	Scenario
	disk  *storetest.Memory
	plan  recorded.Plan
	began time.Time

	mu     sync.Mutex
	awaits int            // points at which a process could have been killed
	times  map[string]int // that something was done, by what
	trace  uint64         // sum of the hashes of all lines: which of one instant came first is the scheduler's
	log    io.Writer      // gets what happens as text; nil keeps none
	broken []string       // invariants
	late   map[string]bool
	puts   map[string]written // by key; only where lists are late

	lease       lease
	lateAnswers bool // one has come once its collaboration had ended
	service     service

	held atomic.Int64 // since when calls are held back, in Unix nanoseconds; 0 if they are not

	background sync.WaitGroup // what is not waited for before the end
}

// newWorld returns a world in which nothing has happened yet.
func newWorld(s Scenario, log io.Writer) *world {
	return &world{
		Scenario: s, disk: storetest.NewMemory(map[string]string{}), began: time.Now(),
		times: map[string]int{}, log: log, late: map[string]bool{}, puts: map[string]written{},
		service: service{asked: map[string]model.Request{}, responses: map[string]model.Response{}},
	}
}

// note adds a line to the trace.
func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := fmt.Sprintf("%12v ", time.Since(w.began)) + fmt.Sprintf(format, args...) + "\n"
	h := fnv.New64a()
	_, _ = io.WriteString(h, line)
	w.trace += h.Sum64()
	if w.log != nil {
		_, _ = io.WriteString(w.log, line)
	}
}

// violate notes that an invariant is broken.
func (w *world) violate(invariant, format string, args ...any) {
	text := invariant + ": " + fmt.Sprintf(format, args...)
	w.note("BROKEN %s", text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = append(w.broken, text)
}

// nth counts how often something was done before.
func (w *world) nth(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.times[what]++
	return w.times[what] - 1
}

func (w *world) isCalm() bool { return time.Since(w.began) > calm }

// chance returns a number from 0 up to 1 that follows from the seed and from what it is
// drawn for, never from the order of draws.
func (s Scenario) chance(parts ...any) float64 {
	// The bytes are those of fmt.Fprintln, on which all seeds rest, in a fraction of its time.
	text := append(strconv.AppendUint(make([]byte, 0, 128), s.Seed, 10), " ["...)
	for i, part := range parts {
		if i > 0 {
			text = append(text, ' ')
		}
		switch part := part.(type) {
		case string:
			text = append(text, part...)
		case int:
			text = strconv.AppendInt(text, int64(part), 10)
		default:
			text = fmt.Append(text, part)
		}
	}
	h := fnv.New64a()
	_, _ = h.Write(append(text, "]\n"...))
	x := h.Sum64() // its high bits are poor: mixed as by SplitMix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

// between returns a duration that follows from the seed and from what it is drawn for.
func (s Scenario) between(least, most time.Duration, parts ...any) time.Duration {
	return least + time.Duration(s.chance(parts...)*float64(most-least))
}

// happens reports whether something of a probability does, unless faults have ended.
func (w *world) happens(p float64, parts ...any) bool {
	return p > 0 && !w.isCalm() && w.chance(parts...) < p
}

// shortKey leaves out of a key what is the same in all.
func shortKey(key string) string { return strings.ReplaceAll(key, "campaign="+campaign+"/", "") }
