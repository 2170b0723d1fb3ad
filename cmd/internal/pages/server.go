// Package pages shows campaigns as HTML pages: written as a report, or served, also while a campaign runs. The
// server is for one person on this machine: it listens on the loopback interface only and requires a token.
package pages

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html"
	"html/template"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cli/browser"
	"golang.org/x/sync/errgroup"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/study/dialogue"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
	"roundtable/cmd/internal/transcripts"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

//go:embed page
var files embed.FS

// templates are the parts of a report, and the pages that only a server has.
var templates = template.Must(report.Parts().ParseFS(files, "page/*.tmpl"))

// Server serves the pages of the campaigns of a lake.
type Server struct {
	options *cli.Options
	store   store.Store
	how     analyze.Messages
	token   string
	host    string // that requests must name
	large   int    // collaborations of a campaign that has a glance before its results

	mu        sync.Mutex
	campaigns map[string]*shown
	checked   map[string]time.Time // when their plans were
}

// NewServer returns a server for the lake s; how says whose labels and measures are shown.
func NewServer(o *cli.Options, s store.Store, how analyze.Messages) *Server {
	return &Server{options: o, store: s, how: how, token: strings.ToLower(rand.Text()), campaigns: map[string]*shown{},
		checked: map[string]time.Time{}, large: large}
}

// Listen opens a port on the loopback interface, any free one if port is 0, and returns the address to open,
// which holds the token.
func (v *Server) Listen(port int) (net.Listener, string, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, "", err
	}
	v.host = l.Addr().String()
	return l, fmt.Sprintf("http://%s/%s/", v.host, v.token), nil
}

// Serve answers requests until ctx is done.
func (v *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: v.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }, // events end with it
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Handler returns the HTTP handler; it refuses requests without the right host name and token.
func (v *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	page := func(pattern string, answer func(http.ResponseWriter, *http.Request) error) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /"+v.token+path,
			func(w http.ResponseWriter, r *http.Request) { explain(w, r, answer(w, r)) })
	}
	page("GET /{$}", v.campaignsPage)
	page("GET /events", v.sendEvents)
	page("GET /assets/{file}", serveAsset)
	page("GET /c/{campaign}/{$}", v.campaignPage)
	page("GET /c/{campaign}/events", v.sendEvents)
	page("GET /c/{campaign}/results", v.resultsPart)
	page("GET /c/{campaign}/tables/{file}", v.tableFile)
	page("GET /c/{campaign}/figures/{file}", v.figureFile)
	page("GET /c/{campaign}/collaborations/{$}", v.listPage)
	page("GET /c/{campaign}/collaborations/rows", v.listRows)
	page("GET /c/{campaign}/collaborations/search", v.serveSearch)
	page("GET /c/{campaign}/collaborations/{id}", v.collaborationPage)
	page("GET /c/{campaign}/collaborations/{id}/asked/{entry}", v.askedPart)
	page("GET /c/{campaign}/collaborations/{id}/rows", v.collaborationRows)
	page("GET /c/{campaign}/questions/{$}", v.questionsPage)
	page("POST /c/{campaign}/questions/{id}", v.answer)
	page("POST /c/{campaign}/{action}", v.serveSteering)
	return v.guardPages(mux)
}

// guardPages lets through what a page of ours asks for, and says what pages may do. Another
// page of the browser knows no token, and cannot read an answer or post.
func (v *Server) guardPages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "+
			"img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if r.Host != v.host {
			http.Error(w, "this server answers at "+v.host+" only", http.StatusMisdirectedRequest)
			return
		}
		if origin := r.Header.Get("Origin"); r.Method == http.MethodPost && origin != "http://"+v.host {
			http.Error(w, "only a page of this server may steer a campaign", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wrongInput is something in a request that cannot be done, for who sent it to change.
type wrongInput struct{ error }

// explain answers with an error in words.
func explain(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil || r.Context().Err() != nil {
		return
	}
	code := http.StatusInternalServerError
	switch _, wrong := errors.AsType[wrongInput](err); {
	case wrong:
		code = http.StatusBadRequest
	case cli.ExitCode(err) == cli.ExitUsage:
		code = http.StatusNotFound
	}
	http.Error(w, wording.SafeLines(err.Error()), code)
}

// serveAsset answers with a script or the style sheet.
func serveAsset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	switch name {
	case "style.css":
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		return write(w, report.Asset(name)+ownFile(name))
	case "list.js", "story.js":
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		return write(w, report.Asset(name))
	case "live.js", "questions.js":
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		return write(w, ownFile(name))
	}
	http.NotFound(w, r)
	return nil
}

// ownFile returns a file that only the server has.
func ownFile(name string) string {
	data, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
}

func write(w http.ResponseWriter, text string) error {
	_, err := w.Write([]byte(wording.SafeLines(text)))
	return err
}

// page is what every page's template is given.
type page struct {
	Name              string // its title
	CSP, Style, Sheet string // of the head: the server says the policy, and has the style sheet
	Root              string // of the server's pages, with the token
	Campaign          string // "" on the page of all
	Path              []step // where the page is
	Lake              string
	Rows, Base        string // of a list
	StatusAt          string // where the states come from
	From              string // where the results come from
	Body              any
}

// step is a page above this one.
type step struct{ Name, To string }

func (v *Server) newPage(name string, path ...step) page {
	root := "/" + v.token + "/"
	return page{Name: name, Root: root, Sheet: root + "assets/style.css", Lake: v.options.LakeName(),
		Path: append([]step{{"Campaigns", root}}, path...)}
}

func (v *Server) render(w http.ResponseWriter, name string, data any) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return report.Render(w, templates, name, data)
}

// Open opens an address, which holds the token, in the browser. Because other users can see command lines, the
// browser gets a private file that redirects to the address; remove deletes it.
func Open(address string) (remove func(), err error) {
	remove = func() {}
	folder, err := os.MkdirTemp("", "roundtable-") // with rights for this user only
	if err != nil {
		return remove, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	path := filepath.Join(folder, "view.html")
	page := fmt.Sprintf("<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" "+
		"content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0; url=%[1]s\"><a "+
		"href=\"%[1]s\">roundtable</a>\n", html.EscapeString(address))
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		return remove, err
	}
	return remove, browser.OpenFile(path)
}

// Source returns what the pages of campaign name are made from, beside others; collaborations are read when
// they are needed.
func Source(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string, how analyze.Messages,
	beside analyze.Together) (report.Source, error) {
	source, err := StorySource(ctx, s, plugins, name, how)
	if err != nil {
		return source, err
	}
	dataset, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		return source, err
	}
	earlier, err := dataset.RunAgain(ctx, s)
	if err != nil {
		return source, err
	}
	source.Digest, source.Collaborations, source.Earlier = dataset.Digest(), lake.Collaborations(ctx, s, dataset),
		lake.Collaborations(ctx, s, earlier)
	source.Questions = questionsOf(ctx, s, plugins, name)
	trajectories, err := how.Trajectories(ctx, s, name)
	if err != nil {
		return source, err
	}
	cost, ctxOfCost := errgroup.WithContext(ctx)
	cost.Go(func() (err error) { // all calls, while the rest is mostly kept
		source.Cost, err = campaigns.ReadCost(ctxOfCost, s, name, campaign.ByModel)
		return err
	})
	read, err := analyze.ReadCampaign(ctx, s, name, how.Kept(), append(trajectories.Readers, report.ReadWrong())...)
	if err == nil {
		read, err = trajectories.Add(ctx, s, read)
	}
	if err := cmp.Or(err, cost.Wait()); err != nil {
		return source, err
	}
	source.Campaign = read.Grouped()
	if source.Beside, err = beside.JoinTo(ctx, read, how.Kept()); err != nil {
		return source, err
	}
	return source, addLabels(ctx, s, how.Labeller, &source)
}

// questionsOf returns what the conditions of a campaign ask. Its data files may be gone.
func questionsOf(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string) report.Questions {
	all := report.Questions{Of: map[report.AskedIn]report.Question{}}
	instances, err := collaboration.NewReader(s, plugins).Instances(ctx, name)
	if err != nil {
		all.Problem = fmt.Sprintf("The questions cannot be shown: %v", err)
	}
	for _, i := range instances {
		all.Of[report.AskedIn{Condition: i.ConditionID, Instance: i.Instance}] = report.QuestionOf(i)
	}
	return all
}

// StorySource returns only what single transcripts of campaign name are made from.
func StorySource(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string,
	how analyze.Messages) (report.Source, error) {
	source := report.Source{Counting: integrity.Counting(plugins)}
	source.Campaign.Name = name
	source.Unusable = transcripts.UnusableAnswers(ctx, s)
	reader := collaboration.NewReader(s, plugins)
	source.About = func(of record.Key) (report.About, error) { return transcripts.About(ctx, reader, of) }
	if how.Labeller == "" {
		labellers, err := lake.Labellers(ctx, s, name)
		if err != nil || len(labellers) == 0 {
			return source, err
		}
		how.Labeller = labellers[0]
	}
	source.Acts = actsBy(ctx, s, name, how.Labeller)
	return source, nil
}

// actsBy returns what a labeller says of the messages of a collaboration, by entry.
func actsBy(ctx context.Context, s store.Store, name, labeller string) func(record.Key) (map[int32][]string, error) {
	byRun := sync.OnceValues(func() (map[lake.Run]lake.Marker, error) {
		markers, err := lake.LabelMarkers(ctx, s, name, labeller)
		all := map[lake.Run]lake.Marker{}
		for _, m := range markers {
			all[m.Run()] = m
		}
		return all, err
	})
	return func(of record.Key) (map[int32][]string, error) {
		markers, err := byRun()
		if err != nil {
			return nil, err
		}
		m, labelled := markers[lake.Run{Collaboration: of.CollaborationID, Generation: int(of.Generation)}]
		if !labelled {
			return nil, nil
		}
		rows, err := lake.ReadRows[record.Label](ctx, s, m)
		acts := map[int32][]string{}
		for _, row := range rows {
			acts[row.Entry] = row.Shown()
		}
		return acts, err
	}
}

// addLabels reads what labels say, if there are any.
func addLabels(ctx context.Context, s store.Store, labeller string, source *report.Source) error {
	labellers, err := lake.Labellers(ctx, s, source.Campaign.Name)
	if err != nil || len(labellers) == 0 {
		return err
	}
	l, err := dialogue.LoadLabels(ctx, s, source.Campaign, labeller)
	if err != nil {
		return cli.UsageError(err)
	}
	source.Labels = &l
	if len(labellers) > 1 {
		agreement, err := dialogue.Agreement(ctx, s, source.Campaign)
		source.Agreement = &agreement
		return err
	}
	return nil
}
