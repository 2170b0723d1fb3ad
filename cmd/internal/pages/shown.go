package pages

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"roundtable/activities/recorded"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/report"
	"roundtable/cmd/internal/analyses"
)

// shown is what the server keeps of a campaign, until more of it has ended.
type shown struct {
	mu       sync.Mutex
	plan     campaign.Campaign // without rows
	revision string            // of the plan
	digest   string
	list     []byte                 // JSON
	rows     []record.Collaboration // that are in the list
	results  results
	texts    texts
	watched  watched
}

// texts are what was said in each collaboration, in lower case.
type texts struct {
	mu     sync.Mutex // one reads them, the others wait
	digest string
	said   []text
}

type text struct{ id, said string }

// planAge is for how long a plan is taken for the present one: a campaign can be extended.
const planAge = 5 * time.Second

// of returns what is kept of a campaign of the lake; it is read again once the plan is another one.
func (v *Server) of(ctx context.Context, name string) (*shown, error) {
	v.mu.Lock()
	c := v.campaigns[name]
	fresh := c != nil && time.Since(v.checked[name]) < planAge
	v.mu.Unlock()
	if fresh {
		return c, nil
	}
	m, err := recorded.ReadManifest(ctx, v.store, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if c == nil || c.revision != m.Revision {
		if c, err = v.readShown(ctx, name, m.Revision); err != nil {
			return nil, err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.campaigns[name], v.checked[name] = c, time.Now()
	return c, nil
}

func (v *Server) readShown(ctx context.Context, name, revision string) (*shown, error) {
	names, err := lake.Campaigns(ctx, v.store)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, v.options.UnknownCampaign(name, names)
	}
	c := &shown{plan: campaign.Campaign{Name: name}, revision: revision}
	return c, analyses.AddPlan(ctx, v.store, &c.plan)
}

// refresh reads the list again if more has ended; c is locked.
func (c *shown) refresh(ctx context.Context, v *Server) error {
	d, err := lake.ReadDataset(ctx, v.store, c.plan.Name)
	if err != nil {
		return err
	}
	digest := d.Digest()
	if c.list != nil && digest == c.digest {
		return nil
	}
	var rows []record.Collaboration
	known := c.plan
	for row, err := range lake.Scan[record.Collaboration](ctx, v.store, d) {
		if err != nil {
			return err
		}
		rows = append(rows, row)
		known.Runs = append(known.Runs, campaign.Run{Collaboration: row})
	}
	list := report.NewList(known)
	for _, row := range rows {
		list.Add(row, false)
	}
	if c.list, err = json.Marshal(list); err != nil {
		return err
	}
	c.rows, c.digest = rows, digest
	return nil
}

func (v *Server) listPage(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("campaign")
	c, err := v.of(r.Context(), name)
	if err != nil {
		return err
	}
	go func() { _ = v.readTexts(v.context, c) }() // so that the first search need not wait; it says what is wrong
	p := v.newPage("Collaborations of "+name, step{name, "../"})
	p.Rows = "rows"
	return v.render(w, "collaborations.tmpl", p)
}

func (v *Server) listRows(w http.ResponseWriter, r *http.Request) error {
	c, err := v.of(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refresh(r.Context(), v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(c.list)
	return err
}

// search answers with the collaborations in which something was said.
func (v *Server) search(w http.ResponseWriter, r *http.Request) error {
	c, err := v.of(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	if err := v.readTexts(r.Context(), c); err != nil {
		return err
	}
	c.texts.mu.Lock()
	defer c.texts.mu.Unlock()
	found, wanted := []string{}, strings.ToLower(r.FormValue("said"))
	for _, t := range c.texts.said {
		if strings.Contains(t.said, wanted) {
			found = append(found, t.id)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(found)
}

// readTexts reads what was said, if more has been said since.
func (v *Server) readTexts(ctx context.Context, c *shown) error {
	c.texts.mu.Lock()
	defer c.texts.mu.Unlock()
	d, err := lake.ReadDataset(ctx, v.store, c.plan.Name)
	if err != nil {
		return err
	}
	digest := d.Digest()
	if digest == c.texts.digest {
		return nil
	}
	var all []text
	var said strings.Builder
	id := ""
	keep := func() {
		if id != "" {
			all = append(all, text{id, strings.ToLower(said.String())})
		}
		said.Reset()
	}
	for turn, err := range lake.Scan[record.Turn](ctx, v.store, d) {
		if err != nil {
			return err
		}
		if turn.CollaborationID != id {
			keep()
			id = turn.CollaborationID
		}
		for _, part := range []*string{turn.Text, turn.Reason} {
			if part != nil {
				said.WriteString(*part)
				said.WriteByte('\n')
			}
		}
	}
	keep()
	c.texts.digest, c.texts.said = digest, all
	return nil
}
