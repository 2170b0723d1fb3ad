package crossval_test

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/crossval"
	"roundtable/analysis/language"
	"roundtable/analysis/regression"
)

// hundreds is what BenchmarkScience measures: 600 collaborations of three agents and ten
// rounds, with a planted pair and a planted peak, and 18,000 messages of
// 10 to 80 words.
func hundreds() (runs []acts.Trajectory, messages []string) {
	runs = analysistest.Script{Runs: 600, Rounds: 10, Agents: 3, Seed: 1, Pair: accepts, Effect: 0.1, Peak: 4, Own: 0.1, Noise: 0.1}.Make()
	words := strings.Fields("I would propose that every one of us gives half of the apples to Blake because bread matters considerably more to me than cloth. " +
		"Could you confirm this allocation? Nobody evaluated the previous compromise, unfortunately; nevertheless we can accept it. What do you need?")
	draw := rand.New(rand.NewPCG(1, 0))
	for range len(runs) * 30 {
		said := make([]string, 10+draw.IntN(71))
		for i := range said {
			said[i] = words[draw.IntN(len(words))]
		}
		messages = append(messages, strings.Join(said, " "))
	}
	return runs, messages
}

// BenchmarkScience is paper 1's analysis of 600 collaborations from the labels
// on: lengths and grades of all messages, one regression with its tests, the
// search over 180 combinations, and ten seeds of nested cross-validation of all
// methods. The processor's seconds are those of all cores.
func BenchmarkScience(b *testing.B) {
	runs, messages := hundreds()
	parts := []struct {
		name string
		of   func(testing.TB)
	}{
		{"features", func(testing.TB) {
			for _, text := range messages {
				_, _ = language.Words(text), language.Portable.Count(text).Grade()
			}
		}},
		{"regression", func(t testing.TB) {
			if _, err := regression.RegressActs(runs, 0, 0); err != nil {
				t.Fatal(err)
			}
		}},
		{"grid", func(t testing.TB) {
			if _, _, err := crossval.Search(data(t, runs)); err != nil {
				t.Fatal(err)
			}
		}},
		{"nested", func(t testing.TB) { repeated(t, runs, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }},
	}
	for _, p := range parts {
		b.Run(p.name, func(b *testing.B) { measured(b, p.of) })
	}
	b.Run("all", func(b *testing.B) {
		measured(b, func(t testing.TB) {
			for _, p := range parts {
				p.of(t)
			}
		})
	})
}

func measured(b *testing.B, of func(testing.TB)) {
	before := processor(b)
	for b.Loop() {
		of(b)
	}
	b.ReportMetric((processor(b)-before)/float64(b.N), "cpu-s/op")
}

// processor is how long the process has computed, in seconds.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
