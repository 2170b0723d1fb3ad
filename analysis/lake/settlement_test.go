package lake

import "testing"

// Settled calls of a run count at what they were billed; other runs stay as they are.
func TestSettledCorrectsItsRun(t *testing.T) {
	t.Parallel()
	worst := 0.1
	run := Run{Collaboration: "c", Generation: 1}
	settled := Settled{}
	for entry := range 3 {
		key := CallKey{Run: run, Entry: entry}
		settled[key] = SettledCall{CallKey: key, USD: 0.02, WorstUSD: &worst}
	}
	if cost, open := settled.Correct(run, 1, 0.1+0.1+0.1+0.05); cost < 1.0599 || cost > 1.0601 || open < 0.0499 || open > 0.0501 {
		t.Errorf("$%v, at most $%v more; want 1.06 and 0.05", cost, open)
	}
	if _, open := settled.Correct(run, 1, 0.3); open != 0 {
		t.Errorf("all calls are settled, and $%v are open", open)
	}
	if cost, open := settled.Correct(Run{Collaboration: "c"}, 1, 0.3); cost != 1 || open != 0.3 {
		t.Errorf("of another generation $%v, at most $%v more", cost, open)
	}
}
