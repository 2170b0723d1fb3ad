package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"roundtable/activities/collaboration"
	"roundtable/analysis/record"
	"roundtable/analysis/report"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/transcripts"
)

// told is a collaboration on its page.
type told struct {
	ID      string
	AskedAt string // where its prompts are
	Story   report.Story
}

// collaborationBody is the page of a collaboration, or of two next to each other.
type collaborationBody struct {
	Told  []told
	Pairs []string // others of the same instance and replicate
	Kept  []kept   // what the list was filtered by, for its forms
}

type kept struct{ Name, Value string }

func (v *Server) collaborationPage(w http.ResponseWriter, r *http.Request) error {
	name, id := r.PathValue("campaign"), r.PathValue("id")
	c, err := v.of(r.Context(), name)
	if err != nil {
		return err
	}
	ids := []string{id}
	query := r.URL.Query()
	if beside := query.Get("beside"); beside != "" {
		ids = append(ids, beside)
	}
	query.Del("beside")
	var body collaborationBody
	for _, id := range ids {
		t, err := v.tell(r.Context(), name, id)
		if err != nil {
			return err
		}
		body.Told = append(body.Told, t)
	}
	if body.Pairs, err = v.pairs(r.Context(), c, body.Told[0].Story.Collaboration); err != nil {
		return err
	}
	for _, key := range slices.Sorted(keysOf(query)) {
		body.Kept = append(body.Kept, kept{key, query.Get(key)})
	}
	p := v.newPage(id, step{name, "../"}, step{"Collaborations", "./" + question(query)})
	p.Body = body
	return v.render(w, "collaboration.tmpl", p)
}

func keysOf(values url.Values) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range values {
			if !yield(key) {
				return
			}
		}
	}
}

func question(values url.Values) string {
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

func (v *Server) tell(ctx context.Context, name, id string) (told, error) {
	rows, err := v.rowsOf(ctx, name, id)
	if err != nil {
		return told{}, err
	}
	source, err := StorySource(ctx, v.store, name, v.how)
	if err != nil {
		return told{}, err
	}
	story := source.Tell(id, rows)
	story.Asks, story.Show = true, ""
	return told{ID: id, AskedAt: url.PathEscape(id) + "/asked/", Story: story}, nil
}

// pairs returns the other collaborations of the same instance and replicate.
func (v *Server) pairs(ctx context.Context, c *shown, of record.Collaboration) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refresh(ctx, v); err != nil {
		return nil, err
	}
	var all []string
	for _, row := range c.rows {
		if row.Environment == of.Environment && row.InstanceID == of.InstanceID && row.Replicate == of.Replicate && row.CollaborationID != of.CollaborationID {
			all = append(all, row.CollaborationID)
		}
	}
	return all, nil
}

// askedPart answers with the prompt, the raw answers and the calls of a turn.
func (v *Server) askedPart(w http.ResponseWriter, r *http.Request) error {
	rows, err := v.rowsOf(r.Context(), r.PathValue("campaign"), r.PathValue("id"))
	if err != nil {
		return err
	}
	entry, err := strconv.ParseInt(r.PathValue("entry"), 10, 32)
	if err != nil {
		return cli.UsageError(err)
	}
	all, err := transcripts.Asked(r.Context(), collaboration.NewReader(v.store, providers.OpenData), rows)
	a := all[int32(entry)]
	if err != nil {
		a.Lost = append(a.Lost, err.Error())
	}
	return v.render(w, "asked", a)
}
