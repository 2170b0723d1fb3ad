package recsys

import (
	"os"
	"testing"
	"testing/fstest"
	"time"

	"roundtable/envs/envtest"
)

// real is MovieLens-100k itself, whose terms keep it out of this repository.
func real(t testing.TB) *MovieLens {
	t.Helper()
	folder := shared + "data/ml-100k"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no MovieLens-100k next to this checkout")
	}
	return mustLoad(t, Defaults(), os.DirFS(folder))
}

func TestRealData(t *testing.T) {
	start := time.Now()
	m := real(t)
	loaded := time.Since(start)
	m.tastes()
	t.Logf("loaded in %v, factorized in %v", loaded, time.Since(start)-loaded)
	if len(m.data.users) != 943 || len(m.data.movies) != 1682 || len(m.data.base) != 80000 || len(m.data.test) != 20000 || len(m.data.genres) != 19 {
		t.Errorf("%d users, %d movies, %d and %d ratings, %d genres", len(m.data.users), len(m.data.movies), len(m.data.base), len(m.data.test), len(m.data.genres))
	}
	envtest.Run(t, m, envtest.Options{Private: []string{"Agent", "Basic", "Movie", "User"}, Golden: "-", Instances: 5})
}

// The averages and states that the paper prints for five users (Table 5).
func TestPaperTable5(t *testing.T) {
	m := real(t)
	for user, want := range map[int]struct {
		average float64
		state   string
	}{343: {3.99, "GA"}, 806: {3.64, "NY"}, 773: {3.28, "MN"}, 805: {3.35, "DC"}, 447: {3.57, "MN"}} {
		if got := roundTo(m.means.user[user-1], 100); got != want.average {
			t.Errorf("user %d has the average %v, the paper prints %v", user, got, want.average)
		}
		if got := m.data.users[user-1].State; got != want.state {
			t.Errorf("user %d lives in %s, the paper prints %s", user, got, want.state)
		}
	}
}

func TestAlteredFileIsRefused(t *testing.T) {
	real(t)
	files := fstest.MapFS{}
	for _, f := range Files() {
		text, err := os.ReadFile(shared + "data/ml-100k/" + f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = &fstest.MapFile{Data: text}
	}
	if err := Check(files); err != nil {
		t.Fatal(err)
	}
	files["u1.test"].Data[4]++
	if Check(files) == nil {
		t.Error("a changed byte is not noticed")
	}
}

// A whole load with its factorization: what a campaign waits for once.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		real(b).tastes()
	}
}

// What one turn costs when the engine keeps no instance.
func BenchmarkObserve(b *testing.B) {
	m := real(b)
	m.tastes()
	for i := 0; b.Loop(); i++ {
		in, err := m.Instance(1, i%m.Instances())
		if err != nil {
			b.Fatal(err)
		}
		in.Observe(movieHistory)
	}
}
