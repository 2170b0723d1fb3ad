package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"roundtable/activities/people"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/cmd/internal/campaigns"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// state is how far a campaign is, as its page shows it.
type state struct {
	Name       string            `json:"name"`
	State      string            `json:"state"` // running, paused, interrupted, done, or unknown
	Lines      []string          `json:"lines"` // what `roundtable status` says below its first line
	Share      float64           `json:"share"`
	Done       int               `json:"done"`
	Failed     int               `json:"failed"` // of these, or stopped
	Cells      int               `json:"cells"`
	PerSecond  *float64          `json:"calls_per_second"` // over the last minute; null until that is known
	USD        float64           `json:"usd"`
	Cap        *float64          `json:"cap_usd"`        // null without a cap
	Left       string            `json:"left,omitempty"` // how long it will take still, at the speed of the last minute
	Conditions []progress        `json:"conditions,omitempty"`
	Limits     []campaigns.Limit `json:"limits,omitempty"`
	// the command that resumes it, where no process is left that could
	Resume string `json:"resume,omitempty"`
}

// progress is how many cells of a condition have ended.
type progress struct {
	Name  string `json:"name"`
	Done  int    `json:"done"`
	Cells int    `json:"cells"`
}

// watched is how far a campaign was at some times, for its speed.
type watched struct {
	mu    sync.Mutex
	at    time.Time
	last  state
	marks []mark
}

// mark is how far a campaign was.
type mark struct {
	at    time.Time
	calls int64
	share float64
}

// forget has the state read again at the next look.
func (w *watched) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = time.Time{}
}

// How often a state is read while people look, and over how long the speed is measured.
const (
	eachRunning = time.Second
	eachOther   = 5 * time.Second
	eachDone    = 30 * time.Second
	overMinute  = time.Minute
)

// sendEvents sends the state of one campaign, or of all, whenever it has changed. What cannot
// be read is sent too, and read again.
func (v *Server) sendEvents(w http.ResponseWriter, r *http.Request) error {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	said := ""
	for {
		line := ": still here\n\n"
		if now := v.stateEvent(r); now != said {
			said, line = now, now
		}
		if _, err := w.Write([]byte(line)); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-time.After(eachRunning):
		}
	}
}

// stateEvent returns the states as an event, or why they cannot be read.
func (v *Server) stateEvent(r *http.Request) string {
	all, err := v.statesOf(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return eventOf("problem", wording.SafeLine(err.Error()))
	}
	return eventOf("message", all)
}

func eventOf(name string, said any) string {
	data, err := json.Marshal(said)
	if err != nil {
		panic(err) // numbers and texts
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, data)
}

// statesOf of one campaign, or of all if it is not named.
func (v *Server) statesOf(ctx context.Context, name string) ([]state, error) {
	names := []string{name}
	if name == "" {
		var err error
		if names, err = lake.Campaigns(ctx, v.store); err != nil {
			return nil, err
		}
	}
	all := make([]state, 0, len(names))
	for _, name := range names {
		c, err := v.shownOf(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, v.stateOf(ctx, c))
	}
	return all, nil
}

// stateOf reads a campaign's state unless it was read just now. What cannot be read is said
// in the state: the page goes on showing the others.
func (v *Server) stateOf(ctx context.Context, c *shown) state {
	w := &c.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.at) < howOften(w.last.State) {
		return w.last
	}
	s := state{Name: c.plan.Name, State: "unknown"}
	st, err := campaigns.ReadStatus(ctx, v.options, v.store, s.Name)
	if err == nil {
		s.Conditions, err = v.progressOf(ctx, c.plan)
	}
	if err != nil {
		s.Lines = []string{wording.SafeLine(err.Error())}
	} else {
		s.fill(st)
		if s.State == "interrupted" || s.State == "paused" && st.At.IsZero() {
			s.Resume = resumeCommand(v.options, s.Name)
		}
		w.measure(&s, st.Spent.Calls+st.UnderWay.Spent.Calls, st.Share)
	}
	if ctx.Err() == nil { // else who asked has gone, and the error is theirs
		w.at, w.last = time.Now(), s
	}
	return s
}

func howOften(state string) time.Duration {
	switch state {
	case "running", "paused":
		return eachRunning
	case "done":
		return eachDone
	}
	return eachOther
}

// fill takes over what the status says. What has ended is what its conditions count, so
// that both are of one reading.
func (s *state) fill(st campaigns.Status) {
	var b bytes.Buffer
	st.Write(&b)
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	for _, line := range lines[1:] {
		s.Lines = append(s.Lines, wording.SafeLine(strings.TrimSpace(line)))
	}
	s.State, s.Cells = st.State, st.Cells
	for _, c := range s.Conditions {
		s.Done += c.Done
	}
	s.Share = st.Share
	if s.Cells > 0 {
		s.Share = max(s.Share, float64(s.Done)/float64(s.Cells))
	}
	s.Failed, s.Limits = st.Failed+st.Stopped, campaigns.ListLimits(st.Limits)
	s.USD, s.Cap = st.Spent.CostUSD+st.UnderWay.Spent.CostUSD+st.Besides.CostUSD, st.Limits.CostUSD
}

// measure says how fast a running campaign is, and how long it will take at that speed.
func (w *watched) measure(s *state, calls int64, share float64) {
	now := time.Now()
	if s.State != "running" {
		w.marks = nil
		return
	}
	w.marks = append(w.marks, mark{now, calls, share})
	for len(w.marks) > 2 && now.Sub(w.marks[1].at) > overMinute {
		w.marks = w.marks[1:]
	}
	first := w.marks[0]
	seconds := now.Sub(first.at).Seconds()
	if seconds < 3 {
		return
	}
	s.PerSecond = new(max(0, float64(calls-first.calls)) / seconds)
	if gained := share - first.share; gained > 0 {
		s.Left = time.Duration((1 - share) / gained * seconds * float64(time.Second)).Round(time.Second).String()
	}
}

// progressOf counts what has ended of each condition of the plan.
func (v *Server) progressOf(ctx context.Context, c campaign.Campaign) ([]progress, error) {
	generations, err := lake.Generations(ctx, v.store, c.Name)
	if err != nil {
		return nil, err
	}
	again, err := recorded.ReadRerun(ctx, v.store, c.Name)
	if err != nil {
		return nil, err
	}
	ended := map[string]int{}
	for collaboration, generation := range generations {
		if !again[lake.Run{Collaboration: collaboration, Generation: generation}] { // else it is to be run once more
			ended[record.ConditionOf(collaboration)]++
		}
	}
	all := plannedOf(c)
	for i, g := range c.View("").Groups {
		all[i].Done = ended[g.ID]
	}
	return all, nil
}

// plannedOf returns the conditions of a plan, of which nothing has ended.
func plannedOf(c campaign.Campaign) []progress {
	view := c.View("")
	var all []progress
	for _, g := range view.Groups {
		all = append(all, progress{Name: wording.SafeLine(view.FullTitle(g)), Cells: g.Planned})
	}
	return all
}

func (v *Server) campaignsPage(w http.ResponseWriter, r *http.Request) error {
	names, err := lake.Campaigns(r.Context(), v.store)
	if err != nil {
		return err
	}
	p := v.newPage("Campaigns")
	p.Path, p.Body, p.StatusAt = nil, names, "events"
	return v.render(w, "campaigns.tmpl", p)
}

func (v *Server) campaignPage(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("campaign")
	c, err := v.shownOf(r.Context(), name)
	if err != nil {
		return err
	}
	p := v.newPage(name)
	p.Campaign, p.StatusAt = name, "events"
	conditions, err := v.progressOf(r.Context(), c.plan)
	if err != nil {
		return err
	}
	models := modelsOf(c.plan)
	others, err := lake.Campaigns(r.Context(), v.store)
	if err != nil {
		return err
	}
	with := r.FormValue("with")
	p.From = "results"
	if with != "" {
		p.From += "?" + url.Values{"with": {with}}.Encode()
	}
	p.Body = campaignBody{plannedOf(c.plan), models, haveEnded(conditions),
		slices.ContainsFunc(models, people.IsPerson), slices.DeleteFunc(others, func(o string) bool { return o == name }),
		with}
	return v.render(w, "campaign.tmpl", p)
}

// campaignBody is the page of a campaign.
type campaignBody struct {
	Conditions []progress // so that nothing moves when the state comes
	Models     []string   // that it asks, which may have limits
	Ended      bool       // so that its result comes first
	People     bool       // it has seats for persons
	Others     []string   // campaigns that it can be compared with
	With       string     // the one that it is compared with; "" if none
}

// haveEnded reports whether everything has ended that is planned.
func haveEnded(conditions []progress) bool {
	return len(conditions) > 0 && !slices.ContainsFunc(conditions, func(p progress) bool { return p.Done < p.Cells })
}

// modelsOf returns the names of the models of a plan, sorted.
func modelsOf(c campaign.Campaign) (names []string) {
	for _, p := range c.Planned {
		var condition plan.Condition
		if json.Unmarshal(p.Settings, &condition) == nil {
			for _, m := range condition.AllModels() {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
