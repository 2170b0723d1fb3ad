package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roundtable/activities/collaboration"
	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/transcripts"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// results are the part of a campaign's page that says what it found.
type results struct {
	making sync.Mutex // one makes them, the others wait
	last   atomic.Pointer[made]
}

// made are results as of what was in the lake.
type made struct {
	of   string // digest of the rows, and what labels there were
	html []byte
	at   time.Time
	took time.Duration
}

const (
	// restFactor is for how many times as long as they took results are shown before they are
	// made again: they are not to take the processor from a campaign that runs.
	restFactor = 10
	// large is how many collaborations have a glance before their results: of fewer, all is
	// there as soon.
	large = 1000
	// costsAge is for how long costs are shown that may have changed without a row or a label.
	costsAge = 10 * time.Minute
)

// dueIn returns in how long results should be made again; false if they are still those of the lake.
func (m *made) dueIn(of string, running bool) (in time.Duration, stale bool) {
	age := time.Since(m.at)
	if m.of == of && age < costsAge {
		return 0, false
	}
	if !running {
		return 0, true
	}
	return max(0, restFactor*m.took-age), true
}

// Forms in which figures and tables can be downloaded.
var (
	figureForms = []string{"svg", "png", "pdf"}
	tableForms  = []string{"csv", "json", "latex", "md"}
)

// resultsBody is what the template of the results is given.
type resultsBody struct {
	report.Overview
	AsOf   string // when it was read
	Labels string // whose they are, if several have labelled
}

// resultsPart answers with what a campaign has found so far. Whoever asks first gets what
// was made before, or else, of a large campaign, a glance, and reads in Retry-After when to
// ask again, with again=yes: that answer may take its time.
func (v *Server) resultsPart(w http.ResponseWriter, r *http.Request) error {
	ctx, name := r.Context(), r.PathValue("campaign")
	c, err := v.shownOf(ctx, name)
	if err != nil {
		return err
	}
	of, ended, err := v.findEnded(ctx, c)
	if err != nil {
		return err
	}
	running, with, its := ended < c.plan.PlannedCells(), r.FormValue("with"), &c.results
	if with != "" {
		other, err := v.shownOf(ctx, with)
		if err != nil {
			return err
		}
		ofOther, endedOther, err := v.findEnded(ctx, other)
		if err != nil {
			return err
		}
		of, running = of+" "+ofOther, running || endedOther < other.plan.PlannedCells()
		kept, _ := c.beside.LoadOrStore(with, &results{})
		its = kept.(*results)
	}
	m := its.last.Load()
	switch again := r.FormValue("again") != ""; {
	case m == nil && !again && ended >= v.large && with == "":
		m, err = v.makeGlance(ctx, name)
	case m == nil || again:
		m, err = v.resultsIfDue(ctx, c, its, of, with, running)
	}
	if err != nil {
		return cli.ExplainDamage(err, name, "there are no results")
	}
	if in, stale := m.dueIn(of, running); stale {
		w.Header().Set("Retry-After", strconv.Itoa(int(in/time.Second)+1))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write(m.html)
	return err
}

// findEnded names what is in the lake of a campaign, and says how many collaborations have ended.
func (v *Server) findEnded(ctx context.Context, c *shown) (of string, ended int, err error) {
	d, err := lake.ReadDataset(ctx, v.store, c.plan.Name)
	if err != nil {
		return "", 0, err
	}
	of = d.Digest()
	labellers, err := lake.Labellers(ctx, v.store, c.plan.Name)
	if err != nil {
		return "", 0, err
	}
	for _, labeller := range labellers {
		runs, err := lake.LabelledRuns(ctx, v.store, c.plan.Name, labeller)
		if err != nil {
			return "", 0, err
		}
		of += fmt.Sprintf(" %s %d", labeller, len(runs))
	}
	return of, len(d.Members), nil
}

// resultsIfDue makes the results of a campaign, beside those of another unless with is empty, if they are due.
func (v *Server) resultsIfDue(ctx context.Context, c *shown, its *results, of, with string,
	running bool) (*made, error) {
	its.making.Lock()
	defer its.making.Unlock()
	if m := its.last.Load(); m != nil {
		if in, stale := m.dueIn(of, running); !stale || in > 0 {
			return m, nil
		}
	}
	began := time.Now()
	html, err := v.makeResults(ctx, c.plan.Name, with)
	if err != nil {
		return nil, err
	}
	m := &made{of, html, time.Now(), time.Since(began)}
	its.last.Store(m)
	return m, nil
}

// makeGlance makes what can be said before all is read: it is of no rows, so that it is stale.
func (v *Server) makeGlance(ctx context.Context, name string) (*made, error) {
	began := time.Now()
	c, err := campaign.LoadOutcomes(ctx, v.store, name)
	if err != nil {
		return nil, err
	}
	if err := analyze.AddPlan(ctx, v.store, &c); err != nil {
		return nil, err
	}
	body := resultsBody{AsOf: began.Format("15:04:05")}
	if body.Overview, err = report.Glance(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.Render(&b, templates, "glance.html", body)
	return &made{html: b.Bytes()}, err
}

// makeResults makes the results of a campaign, beside those of another unless with is empty.
func (v *Server) makeResults(ctx context.Context, name, with string) ([]byte, error) {
	beside, err := v.besideOf(ctx, name, with)
	if err != nil {
		return nil, err
	}
	how, others, err := v.messagesShown(ctx, name)
	if err != nil {
		return nil, err
	}
	source, err := Source(ctx, v.store, v.options.Plugins, name, how, beside)
	if err != nil {
		return nil, err
	}
	body := resultsBody{AsOf: time.Now().Format("15:04:05")}
	if len(others) > 0 {
		body.Labels = fmt.Sprintf("Labels are those of %s. Others have labelled too: %s; roundtable view "+
			"--labeller shows theirs.", how.Labeller, strings.Join(others, ", "))
	}
	if body.Overview, err = source.Overview(); err != nil {
		return nil, err
	}
	body.Ran.To = func(id string) string { return "collaborations/" + id }
	for i, figure := range body.Results.Figures {
		if figure.CanBeDrawn() {
			body.Results.Figures[i].Downloads = downloadLinks("figures/", figure.Name, figureForms, "")
		}
	}
	for i, t := range body.Results.Tables {
		if t.Name != "" {
			body.Results.Tables[i].Downloads = downloadLinks("tables/", t.Name, tableForms, "")
		}
	}
	if c := body.Results.Beside; c != nil {
		for i, f := range c.Figures {
			c.Figures[i].Downloads = downloadLinks("figures/", f.Name, figureForms, with)
		}
		for i, t := range c.Tables {
			c.Tables[i].Downloads = downloadLinks("tables/", t.Name, tableForms, with)
		}
	}
	var b bytes.Buffer
	err = report.Render(&b, templates, "results.html", body)
	return b.Bytes(), err
}

// messagesShown says whose labels and what measures of a campaign are shown. If nothing chooses
// one of several labellers, it is the first, and the others are returned too.
func (v *Server) messagesShown(ctx context.Context, campaign string) (how analyze.Messages,
	others []string, err error) {
	how = v.how
	if err := how.Choose(ctx, v.store, campaign); err != nil || how.Labeller != "" {
		return how, nil, err
	}
	all, err := lake.Labellers(ctx, v.store, campaign)
	if len(all) > 0 {
		how.Labeller, others = all[0], all[1:]
	}
	return how, others, err
}

// besideOf returns the campaign that another is compared with; none if with is empty.
func (v *Server) besideOf(ctx context.Context, name, with string) (analyze.Together, error) {
	var t analyze.Together
	if with != "" {
		t.With = []string{with}
	}
	return t, t.Open(ctx, v.options, name)
}

// downloadLinks returns where files are, of the campaign beside another unless with is empty.
func downloadLinks(folder, name string, forms []string, with string) []report.Download {
	query := ""
	if with != "" {
		query = "?" + url.Values{"with": {with}}.Encode()
	}
	var all []report.Download
	for _, form := range forms {
		all = append(all, report.Download{As: strings.ToUpper(form), To: folder + name + "." + form + query})
	}
	return all
}

// tableFile answers with a table as a file.
func (v *Server) tableFile(w http.ResponseWriter, r *http.Request) error {
	name, form, err := fileAsked(r, tableForms)
	if err != nil {
		return err
	}
	tables, err := v.makeTables(r.Context(), r.PathValue("campaign"), name, r.FormValue("with"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := table.Write(&b, form, tables); err != nil {
		return err
	}
	return attach(w, r, b.Bytes())
}

// makeTables makes what is downloaded by a name: a table of an analysis, or the costs.
func (v *Server) makeTables(ctx context.Context, of, name, with string) ([]table.Table, error) {
	how, _, err := v.messagesShown(ctx, of)
	if err != nil {
		return nil, err
	}
	if name == report.CostTableName {
		costs, err := campaigns.ReadCost(ctx, v.store, of, recorded.ByModel)
		return []table.Table{report.CostTable(costs)}, err
	}
	beside, err := v.besideOf(ctx, of, with)
	if err != nil {
		return nil, err
	}
	a, err := analyze.Make(ctx, v.store, of, analyze.Request{Table: name, Messages: how, Together: beside})
	return a.Tables, err
}

// figureFile answers with a figure as a file.
func (v *Server) figureFile(w http.ResponseWriter, r *http.Request) error {
	name, form, err := fileAsked(r, figureForms)
	if err != nil {
		return err
	}
	how, _, err := v.messagesShown(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	beside, err := v.besideOf(r.Context(), r.PathValue("campaign"), r.FormValue("with"))
	if err != nil {
		return err
	}
	d := analyze.FigureRequest{Figure: name, Format: form, Reading: string(acts.Anyone),
		Request: analyze.Request{Messages: how, Together: beside}}
	var b bytes.Buffer
	if err := analyze.Draw(r.Context(), &b, v.store, r.PathValue("campaign"), d); err != nil {
		return err
	}
	return attach(w, r, b.Bytes())
}

// fileAsked splits the name of a file into what it shows and its form.
func fileAsked(r *http.Request, forms []string) (name, form string, err error) {
	file := r.PathValue("file")
	form = strings.TrimPrefix(filepath.Ext(file), ".")
	if !slices.Contains(forms, form) {
		return "", "", cli.UsageError(fmt.Errorf("%q is in no format that can be downloaded; expected %s", file,
			wording.Or(forms)))
	}
	return strings.TrimSuffix(file, "."+form), form, nil
}

// attach answers with a file that the browser keeps and does not show.
func attach(w http.ResponseWriter, r *http.Request, data []byte) error {
	file := r.PathValue("file")
	if strings.ContainsAny(file, "\"\\\r\n") {
		return errors.New("a file of that name cannot be downloaded")
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+strings.Replace(file, ".latex", ".tex", 1)+`"`)
	_, err := w.Write(data)
	return err
}

// ReportParts says what a report includes.
type ReportParts struct {
	analyze.Messages
	analyze.Together
	NoPrompts bool
}

// Reported is the JSON output of report.
type Reported struct {
	File   string  `json:"file"`
	Folder *string `json:"folder"` // of the transcripts; null if they are in the file
	report.Written
}

func (r Reported) String() string {
	if r.Folder == nil && r.LeftOut > 0 {
		return fmt.Sprintf("%s: %s; the transcripts of %d have no room in one file, -o FOLDER/ writes all", r.File,
			wording.Count(r.Collaborations, "collaboration"), r.LeftOut)
	}
	if r.Folder == nil {
		return fmt.Sprintf("%s: %s", r.File, wording.Count(r.Collaborations, "collaboration"))
	}
	return fmt.Sprintf("%s: %s; their transcripts are in %s, keep both together", r.File,
		wording.Count(r.Collaborations, "collaboration"), *r.Folder)
}

// Of a report that is a folder.
const (
	indexName       = "index.html"
	transcriptsName = "collaborations"
)

// WriteReport writes the report of campaign name to file, or into a folder if file ends in a slash or is one.
func WriteReport(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string, how ReportParts,
	file string) (Reported, error) {
	r := Reported{File: file}
	if info, err := os.Stat(file); !strings.HasSuffix(file, "/") && (err != nil || !info.IsDir()) {
		page, err := r.makePage(ctx, s, plugins, name, how, report.Files{})
		if err == nil {
			err = cli.WriteFile(file, page)
		}
		return r, err
	}
	folder := filepath.Join(file, transcriptsName)
	r.File, r.Folder = filepath.Join(file, indexName), &folder
	staged, err := cli.StageFolder(file)
	if err != nil {
		return r, err
	}
	err = staged.Finish(r.writeFolder(ctx, s, plugins, name, how, staged.At))
	return r, err
}

func (r *Reported) writeFolder(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string,
	how ReportParts, at string) error {
	if err := os.Mkdir(filepath.Join(at, transcriptsName), 0o755); err != nil {
		return err
	}
	page, err := r.makePage(ctx, s, plugins, name, how, report.Files{Page: indexName, Folder: transcriptsName,
		Put: func(name string, data []byte) error {
			return os.WriteFile(filepath.Join(at, transcriptsName, filepath.Base(name)), data, 0o644)
		}})
	if err == nil {
		err = os.WriteFile(filepath.Join(at, indexName), page, 0o644)
	}
	return err
}

// makePage returns the page of the report.
func (r *Reported) makePage(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string,
	how ReportParts, files report.Files) ([]byte, error) {
	source, err := Source(ctx, s, plugins, name, how.Messages, how.Together)
	if err != nil {
		return nil, err
	}
	if !how.NoPrompts {
		reader := collaboration.NewReader(s, plugins)
		source.Asked = func(rows record.Rows) (map[int32]report.Asked, error) {
			return transcripts.ReadAsked(ctx, reader, rows)
		}
	}
	if r.Folder == nil {
		if source, err = keepFitting(ctx, s, source); err != nil {
			return nil, cli.ExplainDamage(err, name, "there is no report")
		}
	}
	var page bytes.Buffer
	r.Written, err = report.Write(&page, source, files)
	return page.Bytes(), cli.ExplainDamage(err, name, "there is no report")
}

// keepFitting leaves the transcripts in a source that one page has room for.
func keepFitting(ctx context.Context, s store.Store, source report.Source) (report.Source, error) {
	dataset, err := lake.ReadDataset(ctx, s, source.Campaign.Name)
	if err != nil {
		return source, err
	}
	return source.FitInPage(func(told map[lake.Run]bool) iter.Seq2[record.Rows, error] {
		return lake.Collaborations(ctx, s, dataset.Only(func(m lake.Member) bool { return told[m.Run] }))
	})
}
