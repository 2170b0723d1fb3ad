package pages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"roundtable/activities/collaboration"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/report"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/transcripts"
)

// storyPart is a collaboration on its page.
type storyPart struct {
	ID      string
	AskedAt string // where its prompts are
	RowsAt  string // and its rows
	Story   report.Story
}

// collaborationBody is the page of a collaboration, or of two next to each other.
type collaborationBody struct {
	Stories []storyPart
	Pairs   []pairOption // others that it can be compared with
	Alone   string       // the address of the first one alone, if there are two
	Before  string       // addresses of its neighbours in the order of the plan; "" if there is none
	After   string
	Query   string        // what the list was filtered by
	Filter  []filterValue // what the list was filtered by, for its forms
}

// pairOption is a collaboration that can be shown next to another.
type pairOption struct {
	ID, Condition string
	Shown         bool
}

// filterValue is one thing that was chosen in the list.
type filterValue struct{ Name, Value string }

func (v *Server) collaborationPage(w http.ResponseWriter, r *http.Request) error {
	name, id := r.PathValue("campaign"), r.PathValue("id")
	c, err := v.shownOf(r.Context(), name)
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
	list, err := v.listingOf(r.Context(), c)
	if err != nil {
		return err
	}
	for _, id := range ids {
		part, err := v.readStory(r.Context(), name, id, list.rows, c.plan)
		if err != nil {
			return err
		}
		body.Stories = append(body.Stories, part)
	}
	if len(query) > 0 {
		body.Query = "?" + query.Encode()
	}
	body.Before, body.After = list.list.Neighbours(body.Stories[0].ID)
	for _, to := range []*string{&body.Before, &body.After} {
		if *to != "" {
			*to = url.PathEscape(*to) + body.Query
		}
	}
	body.Pairs = pairsOf(c.plan, list.rows, body.Stories[0].Story.Collaboration, ids[1:])
	if len(ids) > 1 {
		body.Alone = url.PathEscape(id) + body.Query
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		body.Filter = append(body.Filter, filterValue{key, query.Get(key)})
	}
	p := v.newPage(body.Stories[0].ID, step{name, "../"}, step{"Collaborations", "./" + body.Query})
	p.Body = body
	return v.render(w, "collaboration.tmpl", p)
}

// readStory reads the collaboration that an id means; the latest generation is called without its number.
func (v *Server) readStory(ctx context.Context, name, id string, latest []record.Collaboration,
	plan campaign.Campaign) (storyPart, error) {
	rows, broken, err := transcripts.FindRows(ctx, v.store, v.options.Plugins, name+"/"+id)
	if err != nil {
		return storyPart{}, err
	}
	how, _, err := v.messagesShown(ctx, name)
	if err != nil {
		return storyPart{}, err
	}
	source, err := StorySource(ctx, v.store, v.options.Plugins, name, how)
	if err != nil {
		return storyPart{}, err
	}
	is := slices.ContainsFunc(latest, func(c record.Collaboration) bool { return c.Key == rows.Collaborations[0].Key })
	id = report.IDOf(rows.Collaborations[0].Key, !is)
	source.Conditions = plan.View("").FullTitles()
	story := source.StoryOf(id, rows)
	if broken != nil {
		story.About = append(story.About, "What has been answered so far cannot be shown whole: "+broken.Error())
	}
	story.Asks, story.Show = true, ""
	return storyPart{ID: id, AskedAt: url.PathEscape(id) + "/asked/", RowsAt: url.PathEscape(id) + "/rows",
		Story: story}, nil
}

// pairsOf returns the others that are paired with a collaboration, by condition.
func pairsOf(plan campaign.Campaign, rows []record.Collaboration, of record.Collaboration,
	chosen []string) (all []pairOption) {
	names := plan.View("").FullTitles()
	for _, row := range rows {
		if row.Key == of.Key || campaign.PairOf(row) != campaign.PairOf(of) {
			continue
		}
		id := row.CollaborationID
		option := pairOption{id, cmp.Or(names[row.ConditionID], id), slices.Contains(chosen, id)}
		if id == of.CollaborationID {
			option.Condition = "the latest generation"
		}
		all = append(all, option)
	}
	return all
}

// askedPart answers with the prompt, the raw answers and the calls of a turn.
func (v *Server) askedPart(w http.ResponseWriter, r *http.Request) error {
	rows, _, err := transcripts.FindRows(r.Context(), v.store, v.options.Plugins,
		r.PathValue("campaign")+"/"+r.PathValue("id"))
	if err != nil {
		return err
	}
	entry, err := strconv.ParseInt(r.PathValue("entry"), 10, 32)
	if err != nil {
		return cli.UsageError(fmt.Errorf("there is no entry %q", r.PathValue("entry")))
	}
	all, err := transcripts.ReadAsked(r.Context(),
		collaboration.NewReader(v.store, v.options.Plugins), rows)
	a := all[int32(entry)]
	if err != nil {
		a.Lost = append(a.Lost, err.Error())
	}
	return v.render(w, "asked", a)
}

// collaborationRows answers with what roundtable show --json prints of a collaboration.
func (v *Server) collaborationRows(w http.ResponseWriter, r *http.Request) error {
	t, err := transcripts.Read(r.Context(), v.store, v.options.Plugins, r.PathValue("campaign")+"/"+r.PathValue("id"),
		transcripts.Parts{Entry: -1})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return t.WriteJSON(w)
}
