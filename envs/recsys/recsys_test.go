package recsys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/envs"
	"roundtable/envs/envtest"
)

const tinyFolder = "testdata/ml-tiny"

func tinyParams() Params {
	p := Defaults()
	p.Synthetic, p.NMF.K, p.NMF.Iterations, p.History = true, 4, 50, 8
	return p
}

func mustLoad(t testing.TB, p Params, files fs.FS) *MovieLens {
	t.Helper()
	m, err := loadMovieLens(p, files)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tiny(t testing.TB) *MovieLens { return mustLoad(t, tinyParams(), os.DirFS(tinyFolder)) }

// Agents see whole histories unless the campaign says otherwise (paper 1, D.3).
func TestHistoriesAreComplete(t *testing.T) {
	p := Defaults()
	if p.History != 0 { // the made-up histories are shorter than any cap would be
		t.Errorf("the default shows %d rows", p.History)
	}
	p.Synthetic, p.NMF = true, tinyParams().NMF
	m := mustLoad(t, p, os.DirFS(tinyFolder))
	if h := m.moviesOf(0, 39); len(h.Rows) != len(m.data.byUser[0]) || h.Total != len(h.Rows) {
		t.Errorf("%d of %d rows of the user are shown", len(h.Rows), h.Total)
	}
	if h := m.viewersOf(3, 0); len(h.Rows) != h.Total || h.Total <= tinyParams().History {
		t.Errorf("%d of %d rows of the movie are shown", len(h.Rows), h.Total)
	}
}

// copied is the made-up data set in memory, for tests that spoil it.
func copied(t testing.TB) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, f := range Files() {
		text, err := os.ReadFile(tinyFolder + "/" + f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = &fstest.MapFile{Data: text}
	}
	return files
}

func TestEnvironment(t *testing.T) {
	envtest.Run(t, tiny(t), envtest.Options{Private: []string{"Agent", "Basic", "Movie", "User"}, Instances: 20})
}

func FuzzParse(f *testing.F) { envtest.Fuzz(f, tiny(f)) }

// everything that agents and tables see before scores, for all instances.
func everythingSeen(t *testing.T, m *MovieLens) []string {
	t.Helper()
	var list []string
	for i := range m.Instances() {
		in, err := m.Instance(7, i)
		if err != nil {
			t.Fatal(err)
		}
		for agent := range in.Agents() {
			text, err := json.Marshal(in.Observe(agent))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprint(in.ID(), in.Agents(), string(text)))
		}
	}
	return list
}

// With every true rating another, nobody sees anything else.
func TestGoldIsNotSeen(t *testing.T) {
	files := copied(t)
	honest := mustLoad(t, tinyParams(), files)
	var lines []string
	for line := range strings.Lines(string(files["u1.test"].Data)) {
		f := strings.Split(line, "\t")
		f[2] = string('1' + (f[2][0]-'1'+2)%5)
		f[3] = "1\n" // the date of the rating is nobody's business either
		lines = append(lines, strings.Join(f, "\t"))
	}
	files["u1.test"] = &fstest.MapFile{Data: []byte(strings.Join(lines, ""))}
	turned := mustLoad(t, tinyParams(), files)
	if !slices.Equal(everythingSeen(t, honest), everythingSeen(t, turned)) {
		t.Error("an observation depends on the true ratings")
	}
	a, _ := honest.Instance(7, 0)
	b, _ := turned.Instance(7, 0)
	if a.(*Instance).Gold() == b.(*Instance).Gold() {
		t.Error("the test turned no rating")
	}
	if !slices.Equal(a.(*Instance).Predictions(), b.(*Instance).Predictions()) {
		t.Error("a baseline depends on the true ratings")
	}
}

func TestObservationsAgreeWithFiles(t *testing.T) {
	m := tiny(t)
	m.params.History = 0
	for i := range m.Instances() {
		in, _ := m.Instance(3, i)
		user, movie := in.(*Instance).gold.user, in.(*Instance).gold.movie
		basic := in.Observe(basicInfo).(Observation).Basic
		if basic.Movie.ID != movie+1 || basic.User.ID != user+1 || in.ID() != fmt.Sprintf("u%d-m%d", user+1, movie+1) {
			t.Fatalf("%s: basic information about user %d and movie %d", in.ID(), basic.User.ID, basic.Movie.ID)
		}
		viewers := in.Observe(movieHistory).(Observation).Movie
		for k, v := range viewers.Rows {
			if v.ID == user+1 {
				t.Errorf("%s: the target user is among the movie's viewers", in.ID())
			}
			if k > 0 && v.Similarity > viewers.Rows[k-1].Similarity {
				t.Errorf("%s: viewer %d is more similar than the one before", in.ID(), k)
			}
			own := m.data.byUser[v.ID-1]
			if !slices.ContainsFunc(own, func(r rating) bool { return r.movie == movie && r.stars == v.Rating && dateOf(r.at) == v.Rated }) {
				t.Errorf("%s: user %d gave no %d in u1.base", in.ID(), v.ID, v.Rating)
			}
			if v.Average != roundTo(averageOr(own, 0), 100) {
				t.Errorf("%s: user %d has the average %v", in.ID(), v.ID, v.Average)
			}
		}
		if len(viewers.Rows) != viewers.Total || viewers.Total != len(m.data.byMovie[movie]) {
			t.Errorf("%s: %d viewers of %d", in.ID(), len(viewers.Rows), viewers.Total)
		}
		viewed := in.Observe(userHistory).(Observation).User
		if viewed.Total != len(m.data.byUser[user]) || len(viewed.Rows) != viewed.Total {
			t.Errorf("%s: %d of %d movies viewed", in.ID(), len(viewed.Rows), viewed.Total)
		}
		for k, v := range viewed.Rows {
			r := m.data.byUser[user][k]
			if v.ID == movie+1 || v.ID != r.movie+1 || v.Rating != r.stars || !reflect.DeepEqual(v.Movie, m.data.movies[r.movie]) {
				t.Errorf("%s: row %d is %+v, the file has %+v", in.ID(), k, v, r)
			}
		}
	}
}

func TestHistoryCap(t *testing.T) {
	m := tiny(t)
	h := m.moviesOf(0, 39)
	rest := slices.Clone(m.data.byUser[0])
	if len(h.Rows) != 8 || h.Total != len(rest) {
		t.Fatalf("%d of %d rows, want 8 of %d", len(h.Rows), h.Total, len(rest))
	}
	slices.SortFunc(rest, func(a, b rating) int { return int(b.at - a.at) })
	var want []int
	for _, r := range rest[:8] {
		want = append(want, r.movie+1)
	}
	slices.Sort(want)
	for i, row := range h.Rows {
		if row.ID != want[i] {
			t.Errorf("row %d is movie %d, want %d", i, row.ID, want[i])
		}
	}
	first := m.viewersOf(3, 0)
	m.params.History = 0
	if all := m.viewersOf(3, 0); !reflect.DeepEqual(first.Rows, all.Rows[:8]) || all.Total != first.Total {
		t.Error("the cap keeps others than the most similar viewers")
	}
}

func TestSample(t *testing.T) {
	m := tiny(t)
	ids := map[string]bool{}
	for i := range m.Instances() {
		in, _ := m.Instance(11, i)
		ids[in.ID()] = true
	}
	if len(ids) != 100 {
		t.Errorf("a sample of all 100 rows holds %d", len(ids))
	}
	small := tinyParams()
	small.N = 10
	s := mustLoad(t, small, os.DirFS(tinyFolder))
	differs := false
	for i := range 10 {
		a, _ := m.Instance(11, i)
		b, _ := s.Instance(11, i)
		c, _ := s.Instance(12, i)
		if a.ID() != b.ID() {
			t.Errorf("instance %d is %s in a large sample and %s in a small one", i, a.ID(), b.ID())
		}
		differs = differs || c.ID() != b.ID()
	}
	if !differs {
		t.Error("seeds 11 and 12 draw the same sample")
	}
}

// Every row must be as likely as any other at every place.
func TestDrawIsFair(t *testing.T) {
	const deck, trials = 5, 20000
	rng := envs.Stream(1, "test")
	for index := range deck {
		var count [deck]int
		for range trials {
			count[drawCard(rng.IntN, deck, index)]++
		}
		for card, n := range count {
			if n < trials/deck*9/10 || n > trials/deck*11/10 {
				t.Errorf("card %d comes %d times at place %d; %d expected", card, n, index, trials/deck)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	for want, spoil := range map[string]func(*Params){
		"n is 0; it is from 1 to 100":        func(p *Params) { p.N = 0 },
		"n is 101; it is from 1 to 100":      func(p *Params) { p.N = 101 },
		"history is -1":                      func(p *Params) { p.History = -1 },
		"nmf.k is 0; it is from 1":           func(p *Params) { p.NMF.K = 0 },
		"nmf.iterations is 0; it is from 1":  func(p *Params) { p.NMF.Iterations = 0 },
		"u1.base is not the official file":   func(p *Params) { p.Synthetic = false },
		"set synthetic: true to use other d": func(p *Params) { p.Synthetic = false },
	} {
		p := tinyParams()
		spoil(&p)
		if _, err := New(p, os.DirFS(tinyFolder)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestTinyFilesAreNotOfficial(t *testing.T) {
	err := Check(os.DirFS(tinyFolder))
	if err == nil {
		t.Fatal("made-up files pass for the official ones")
	}
	for _, f := range Files() {
		if !strings.Contains(err.Error(), f.Name+" is not the official file") {
			t.Errorf("%s is not named in: %v", f.Name, err)
		}
	}
	if err := Check(fstest.MapFS{}); err == nil || strings.Count(err.Error(), "is missing") != 5 || !strings.Contains(err.Error(), Source) {
		t.Errorf("an empty folder gives: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	cases := []struct {
		file, line, by string // replaces the first line that has the prefix
		want           []string
	}{
		{"u1.base", "1\t1\t", "1\t1\t6\t5", []string{"u1.base:1: rating is \"6\"; it is a whole number from 1 to 5"}},
		{"u1.base", "1\t1\t", "1\t1\t4.5\t5", []string{`u1.base:1: rating is "4.5"`}},
		{"u1.base", "1\t2\t", "31\t41\t0\tx", []string{`u1.base:2: user is "31"; it is a whole number from 1 to 30; item is "41"`, `unix time is "x"`}},
		{"u1.base", "1\t2\t", "1 2 3 4", []string{"u1.base:2: there are 1 fields; a line of this file is user<TAB>item<TAB>rating<TAB>unix time"}},
		{"u1.base", "1\t2\t", "", []string{"u1.base:2: there are 1 fields"}},
		{"u1.base", "1\t2\t", "1\t1\t4\t5", []string{"u1.base:2: user 1 has already rated item 1 in u1.base"}},
		{"u1.test", "1\t6\t", "1\t1\t4\t5", []string{"u1.test:1: user 1 has already rated item 1 in u1.base"}},
		{"u.user", "2|", "3|37|M|engineer|98101", []string{`u.user:2: id is "3"; lines are numbered without gaps, so this is 2`}},
		{"u.user", "2|", "2|old|X||98101", []string{`u.user:2: age is "old"`}},
		{"u.user", "2|", "2|37|X|engineer|98101", []string{`u.user:2: gender is "X"; it is M or F`}},
		{"u.user", "2|", "2|37|F||98101", []string{`u.user:2: the occupation is empty`}},
		{"u.user", "2|", "2|37|F|engi\x00neer|98101", []string{`u.user:2: occupation is "engi\x00neer"; control characters`}},
		{"u.item", "2|", "2|A (1999)|1999-01-01||u|0|0|1|0|0|0", []string{`u.item:2: the release date is "1999-01-01"; it is empty or like 01-Jan-1995`}},
		{"u.item", "2|", "2|A (1999)|01-Jan-1999||u|0|0|2|0|0|0", []string{`u.item:2: the flag of Comedy is "2"; it is 0 or 1`}},
		{"u.item", "2|", "2|A (1999)|01-Jan-1999||u|0|0|1|0|0", []string{`u.item:2: there are 10 fields; a line of this file is id|title|release date|video release date|URL and 6 flags, separated by |`}},
		{"u.item", "2|", "2||01-Jan-1999||u|0|0|1|0|0|0", []string{`u.item:2: the title is empty`}},
		{"u.genre", "Comedy|", "Comedy|7", []string{`u.genre:3: index is "7"; lines are numbered without gaps, so this is 2`}},
		{"u.genre", "Comedy|", "Action|2", []string{`u.genre:3: the name "Action" is empty or comes twice`}},
	}
	for _, c := range cases {
		files := copied(t)
		text := string(files[c.file].Data)
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(c.line) + `.*$`)
		at := line.FindStringIndex(text)
		if at == nil {
			t.Fatalf("%s has no line %q", c.file, c.line)
		}
		files[c.file] = &fstest.MapFile{Data: []byte(text[:at[0]] + c.by + text[at[1]:])}
		_, err := New(tinyParams(), files)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %q: got %v, want %q", c.file, c.by, err, want)
			}
		}
	}
}

func TestManyFaultsAndMissingFiles(t *testing.T) {
	files := copied(t)
	files["u1.base"] = &fstest.MapFile{Data: bytes.Repeat([]byte("no\n"), 100)}
	files["u.user"] = &fstest.MapFile{}
	if _, err := New(tinyParams(), files); err == nil || !strings.Contains(err.Error(), "u.user is empty; a line of it is id|age|gender|occupation|zip code") {
		t.Errorf("got %v", err)
	}
	files["u.user"] = copied(t)["u.user"]
	if _, err := New(tinyParams(), files); err == nil || strings.Count(err.Error(), "\n") != 5 || !strings.Contains(err.Error(), "and 95 more lines with faults") {
		t.Errorf("got %v", err)
	}
	delete(files, "u.item")
	delete(files, "u1.test")
	_, err := New(tinyParams(), files)
	if err == nil || !strings.Contains(err.Error(), "u.item is missing") || !strings.Contains(err.Error(), "u1.test is missing") {
		t.Errorf("got %v", err)
	}
}

func TestReadingDetails(t *testing.T) {
	files := copied(t)
	text := string(files["u.user"].Data)
	files["u.user"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "\n", "\r\n"))}
	d := mustLoad(t, tinyParams(), files).data
	got := map[int]string{}
	for _, id := range []int{4, 9, 12, 17, 23, 31} {
		m := d.movies[id-1]
		got[id] = m.Title + " " + m.Released + " " + m.genreText()
	}
	want := map[int]string{
		4: "Cartographer, The Amber 19970801 Action|Comedy", 9: "Café Cartographer 19930427 Sci-Fi",
		12: "Paper Umbrella 19971101 Sci-Fi", 17: `"Amber" Ferry & Sons 19960201 Action|Horror`,
		23: "Silent Quarry (V) 19910701 Drama|Horror|Sci-Fi", 31: "Velvet Parade  unknown",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if d.users[1] != (User{2, 37, "M", "engineer", "WA"}) {
		t.Errorf("user 2 is %+v", d.users[1])
	}
	if dateOf(891350625) != "19980331" || dateOf(0) != "19700101" {
		t.Errorf("dates are %s and %s", dateOf(891350625), dateOf(0))
	}
}

func TestState(t *testing.T) {
	for zip, want := range map[string]string{
		"02139": "MA", "10001": "NY", "06520": "CT", "00501": "NY", "00901": "PR", "20009": "DC", "20101": "VA", "20850": "MD", "30301": "GA",
		"33101": "FL", "34010": "AA", "48109": "MI", "55414": "MN", "60601": "IL", "73301": "TX", "73101": "OK", "88510": "TX", "90210": "CA", "96860": "HI", "96201": "AP",
		"99501": "AK", "98101": "WA", "09012": "AE", "26241": "WV",
		"T8H1N": "other", "": "other", "1000": "other", "100011": "other", "00000": "other", "34300": "other", "1000x": "other", "E2A4H": "other",
	} {
		if got := stateOf(zip); got != want {
			t.Errorf("%q is in %s, want %s", zip, got, want)
		}
	}
	known := map[string]bool{}
	for _, s := range states {
		known[s] = true
	}
	// 50 states, DC, PR, VI, GU, AA, AE, AP and "" for prefixes that are not in use.
	if len(known) != 58 {
		t.Errorf("%d different states", len(known))
	}
}

// Instances of one environment are used by many activities at once.
func TestConcurrentUse(t *testing.T) {
	m := tiny(t)
	want := everythingSeen(t, tiny(t))
	done := make(chan bool)
	for range 4 {
		go func() { done <- slices.Equal(everythingSeen(t, m), want) }()
	}
	for range 4 {
		if !<-done {
			t.Error("instances dealt at the same time differ")
		}
	}
}
