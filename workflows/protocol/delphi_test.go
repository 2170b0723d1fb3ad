package protocol_test

import (
	"slices"
	"testing"

	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

func delphi(t *testing.T, p protocol.DelphiParams, agents int) *protocol.Session {
	t.Helper()
	set := protocol.Setting{Agents: agents}
	d, err := protocol.NewDelphi(p, set)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.NewSession(d, set, stopping.Never{})
}

// revise plays a Delphi whose feedback has these medians, "" for none.
func revise(t *testing.T, p protocol.DelphiParams, medians ...string) protocol.Outcome {
	t.Helper()
	s := delphi(t, p, 3)
	play(t, s, 2*p.Rounds, func(p protocol.Pending) transcript.Act {
		if p.Kind == transcript.Env {
			return transcript.Act{Status: transcript.Said, Key: medians[p.Round-1]}
		}
		return transcript.Act{Status: transcript.Said, Key: "own"}
	})
	return *s.Outcome()
}

// Each agent sees its own estimates and all feedback, and of others nothing.
func TestDelphiIsAnonymous(t *testing.T) {
	s := delphi(t, protocol.DelphiParams{Rounds: 3}, 3)
	play(t, s, 6, func(p protocol.Pending) transcript.Act {
		got, want := indices(seen(s, p.Step)), []int(nil)
		for r := range p.Round - 1 {
			want = append(want, 4*r+p.Speaker.Index, 4*r+3)
		}
		if p.Kind == transcript.Env {
			want = []int{p.Entry - 3, p.Entry - 2, p.Entry - 1}
			got = nil
			for _, r := range p.Sees {
				for i := r.From; i < r.To; i++ {
					got = append(got, i)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("entry %d (%s of %v) sees %v, want %v", p.Entry, p.Phase, p.Speaker, got, want)
		}
		for _, e := range seen(s, p.Step) {
			if p.Kind == transcript.Ask && e.Kind == transcript.Ask && e.Speaker != p.Speaker {
				t.Errorf("entry %d sees an estimate of %v", p.Entry, e.Speaker)
			}
		}
		return transcript.Act{Status: transcript.Said, Key: "k"}
	})
}

// It ends when the median has stayed for long enough, or after the last round;
// what stands is the last median that there was.
func TestDelphiEnds(t *testing.T) {
	for name, x := range map[string]struct {
		p       protocol.DelphiParams
		medians []string
		want    protocol.Outcome
	}{
		"the median stays":          {protocol.DelphiParams{Rounds: 5, Stable: 1}, []string{"a", "b", "b"}, protocol.Outcome{Standing: 11, Reason: "stable", Round: 3}},
		"it must stay twice":        {protocol.DelphiParams{Rounds: 5, Stable: 2}, []string{"a", "a", "b", "b", "b"}, protocol.Outcome{Standing: 19, Reason: "stable", Round: 5}},
		"all rounds are run":        {protocol.DelphiParams{Rounds: 3}, []string{"a", "a", "a"}, protocol.Outcome{Standing: 11, Reason: "rounds", Round: 3}},
		"it never stays":            {protocol.DelphiParams{Rounds: 3, Stable: 1}, []string{"a", "b", "c"}, protocol.Outcome{Standing: 11, Reason: "rounds", Round: 3}},
		"nobody estimates":          {protocol.DelphiParams{Rounds: 3, Stable: 1}, []string{"", "", ""}, protocol.Outcome{Standing: -1, Reason: "rounds", Round: 3}},
		"nobody estimates any more": {protocol.DelphiParams{Rounds: 2, Stable: 1}, []string{"a", ""}, protocol.Outcome{Standing: 3, Reason: "rounds", Round: 2}},
	} {
		if got := revise(t, x.p, x.medians...); got != x.want {
			t.Errorf("%s: %+v, want %+v", name, got, x.want)
		}
	}
}

func TestDelphiParametersThatAreRefused(t *testing.T) {
	for _, p := range []protocol.DelphiParams{{}, {Rounds: 1001}, {Rounds: 1, Stable: -1}} {
		if _, err := protocol.NewDelphi(p, protocol.Setting{Agents: 3}); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
}
