package pages

import (
	"context"
	"maps"
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

// storyPart is a collaboration on its page.
type storyPart struct {
	ID      string
	AskedAt string // where its prompts are
	Story   report.Story
}

// collaborationBody is the page of a collaboration, or of two next to each other.
type collaborationBody struct {
	Stories []storyPart
	Pairs   []string      // others of the same instance and replicate
	Filter  []filterValue // what the list was filtered by, for its forms
}

// filterValue is one thing that was chosen in the list.
type filterValue struct{ Name, Value string }

func (v *Server) collaborationPage(w http.ResponseWriter, r *http.Request) error {
	name, id := r.PathValue("campaign"), r.PathValue("id")
	c, err := v.of(r.Context(), name)
	if err != nil {
		return err
	}
	ids := []string{id}
	query := r.URL.Query()
	if other := query.Get("other"); other != "" {
		ids = append(ids, other)
	}
	query.Del("other")
	var body collaborationBody
	for _, id := range ids {
		part, err := v.readStory(r.Context(), name, id)
		if err != nil {
			return err
		}
		body.Stories = append(body.Stories, part)
	}
	if body.Pairs, err = v.pairs(r.Context(), c, body.Stories[0].Story.Collaboration); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		body.Filter = append(body.Filter, filterValue{key, query.Get(key)})
	}
	p := v.newPage(id, step{name, "../"}, step{"Collaborations", "./" + queryString(query)})
	p.Body = body
	return v.render(w, "collaboration.tmpl", p)
}

func queryString(values url.Values) string {
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

func (v *Server) readStory(ctx context.Context, name, id string) (storyPart, error) {
	rows, err := transcripts.FindRows(ctx, v.store, name+"/"+id)
	if err != nil {
		return storyPart{}, err
	}
	source, err := StorySource(ctx, v.store, name, v.how)
	if err != nil {
		return storyPart{}, err
	}
	story := source.StoryOf(id, rows)
	story.Asks, story.Show = true, ""
	return storyPart{ID: id, AskedAt: url.PathEscape(id) + "/asked/", Story: story}, nil
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
	rows, err := transcripts.FindRows(r.Context(), v.store, r.PathValue("campaign")+"/"+r.PathValue("id"))
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
