package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"roundtable/analysis/acts"
	"roundtable/analysis/lake"
	"roundtable/analysis/report"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyses"
	"roundtable/cmd/internal/cli"
)

// results are the part of a campaign's page that says what it found, as of a digest.
type results struct {
	mu     sync.Mutex // one makes them, the others wait
	digest string
	html   []byte
	made   time.Time
	took   time.Duration
}

// restFactor is for how many times as long as they took results are shown before they are
// made again: they are not to take the processor from a campaign that runs.
const restFactor = 10

// fresh reports whether results can be shown of a lake with this digest.
func (r *results) fresh(digest string) bool {
	return r.html != nil && (r.digest == digest || time.Since(r.made) < restFactor*r.took)
}

// Forms in which figures and tables can be downloaded.
var (
	figureForms = []string{"svg", "png", "pdf"}
	tableForms  = []string{"csv", "json", "latex", "md"}
)

// resultsBody is what the template of the results is given.
type resultsBody struct {
	report.Overview
	AsOf string // when it was read
}

// resultsPart answers with what a campaign has found so far.
func (v *Server) resultsPart(w http.ResponseWriter, r *http.Request) error {
	ctx, name := r.Context(), r.PathValue("campaign")
	c, err := v.of(ctx, name)
	if err != nil {
		return err
	}
	d, err := lake.ReadDataset(ctx, v.store, name)
	if err != nil {
		return err
	}
	kept := &c.results
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if digest := d.Digest(); !kept.fresh(digest) {
		began := time.Now()
		html, err := v.makeResults(ctx, name)
		if err != nil {
			return cli.ExplainDamage(err, name, "there are no results")
		}
		kept.digest, kept.html, kept.made, kept.took = digest, html, time.Now(), time.Since(began)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write(kept.html)
	return err
}

func (v *Server) makeResults(ctx context.Context, name string) ([]byte, error) {
	how := v.how
	if err := how.Choose(ctx, v.store, name); err != nil {
		return nil, err
	}
	source, err := Source(ctx, v.store, name, how)
	if err != nil {
		return nil, err
	}
	body := resultsBody{AsOf: time.Now().Format("15:04:05")}
	if body.Overview, err = source.Overview(); err != nil {
		return nil, err
	}
	body.Ran.To = func(id string) string { return "collaborations/" + id }
	for i, figure := range body.Results.Figures {
		body.Results.Figures[i].Downloads = downloads("figures/", figure.Name, figureForms)
	}
	for i, t := range body.Results.Tables {
		if t.Name != "" {
			body.Results.Tables[i].Downloads = downloads("tables/", t.Name, tableForms)
		}
	}
	var b bytes.Buffer
	err = report.Render(&b, templates, "results.html", body)
	return b.Bytes(), err
}

func downloads(folder, name string, forms []string) []report.Download {
	var all []report.Download
	for _, form := range forms {
		all = append(all, report.Download{As: strings.ToUpper(form), To: folder + name + "." + form})
	}
	return all
}

// tableFile answers with a table as a file.
func (v *Server) tableFile(w http.ResponseWriter, r *http.Request) error {
	name, form, err := fileAsked(r, tableForms)
	if err != nil {
		return err
	}
	how := v.how
	if err := how.Choose(r.Context(), v.store, r.PathValue("campaign")); err != nil {
		return err
	}
	a, err := analyses.Make(r.Context(), v.store, r.PathValue("campaign"), analyses.Request{Table: name, Messages: how})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := table.Write(&b, form, a.Tables); err != nil {
		return err
	}
	return attach(w, r, b.Bytes())
}

// figureFile answers with a figure as a file.
func (v *Server) figureFile(w http.ResponseWriter, r *http.Request) error {
	name, form, err := fileAsked(r, figureForms)
	if err != nil {
		return err
	}
	d := analyses.FigureRequest{Figure: name, Format: form, Reading: string(acts.Anyone), Request: analyses.Request{Messages: v.how}}
	var b bytes.Buffer
	if err := analyses.Draw(r.Context(), &b, v.store, r.PathValue("campaign"), d); err != nil {
		return err
	}
	return attach(w, r, b.Bytes())
}

// fileAsked splits the name of a file into what it shows and its form.
func fileAsked(r *http.Request, forms []string) (name, form string, err error) {
	file := r.PathValue("file")
	form = strings.TrimPrefix(filepath.Ext(file), ".")
	if !slices.Contains(forms, form) {
		return "", "", cli.UsageError(fmt.Errorf("%q has no known ending; there are %s", file, strings.Join(forms, ", ")))
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
