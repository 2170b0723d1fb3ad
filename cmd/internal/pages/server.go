package pages

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/measurements"
	"roundtable/envs/wording"
)

//go:embed page
var files embed.FS

// templates are the parts of a report, and the pages that only a server has.
var templates = template.Must(report.Parts().ParseFS(files, "page/*.tmpl"))

// Server shows the campaigns of a lake.
type Server struct {
	options *cli.Options
	store   store.Store
	how     measurements.Messages
	token   string
	host    string          // that requests must name
	context context.Context // while it serves; what is read ahead ends with it
	large   int             // collaborations of a campaign that has a glance before its results

	mu        sync.Mutex
	campaigns map[string]*shown
	checked   map[string]time.Time // when their plans were
}

// NewServer returns a server of a lake; how says whose labels and measures are shown.
func NewServer(o *cli.Options, s store.Store, how measurements.Messages) *Server {
	return &Server{options: o, store: s, how: how, token: strings.ToLower(rand.Text()), campaigns: map[string]*shown{},
		checked: map[string]time.Time{}, context: context.Background(), large: large}
}

// Listen opens a port of the loopback; 0 takes any that is free. It returns the address to
// open, which holds the token.
func (v *Server) Listen(port int) (net.Listener, string, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, "", err
	}
	v.host = l.Addr().String()
	return l, fmt.Sprintf("http://%s/%s/", v.host, v.token), nil
}

// Serve answers until the context is done.
func (v *Server) Serve(ctx context.Context, l net.Listener) error {
	v.context = ctx
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

// Handler answers requests that name the host and the token.
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
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
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
