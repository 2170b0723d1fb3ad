package record

import "testing"

// A phase of which one turn failed has a gap where its siblings were answered; a gap before
// a later phase is a row that was lost.
func TestTurnsByEntry(t *testing.T) {
	t.Parallel()
	turn := func(entry, round int32, phase string) Turn { return Turn{Entry: entry, Round: round, Phase: phase} }
	for name, c := range map[string]struct {
		turns []Turn
		want  int // entries; -1 for an error
	}{
		"none":                    {nil, 0},
		"whole":                   {[]Turn{turn(0, 1, "answer"), turn(1, 1, "answer"), turn(2, 1, "vote")}, 3},
		"the second agent failed": {[]Turn{turn(0, 1, "answer"), turn(1, 1, "answer"), turn(2, 2, "debate"), turn(4, 2, "debate")}, 5},
		"the first agent failed":  {[]Turn{turn(1, 1, "answer"), turn(2, 1, "answer")}, 3},
		"a row is lost":           {[]Turn{turn(0, 1, "answer"), turn(2, 1, "vote")}, 3},
		"lost before a phase":     {[]Turn{turn(0, 1, "answer"), turn(2, 1, "answer"), turn(3, 1, "vote")}, -1},
		"lost before a round":     {[]Turn{turn(1, 1, "answer"), turn(2, 2, "answer")}, -1},
		"twice":                   {[]Turn{turn(0, 1, "answer"), turn(0, 1, "answer")}, -1},
		"out of order":            {[]Turn{turn(1, 1, "answer"), turn(0, 1, "answer")}, -1},
		"an entry of no run":      {[]Turn{turn(1<<30, 1, "answer")}, -1},
	} {
		entries, err := TurnsByEntry(c.turns)
		if (err != nil) != (c.want < 0) || err == nil && len(entries) != c.want {
			t.Errorf("%s: %d entries, %v; want %d", name, len(entries), err, c.want)
			continue
		}
		for _, row := range c.turns {
			if err == nil && entries[row.Entry] != row {
				t.Errorf("%s: entry %d is not at its place", name, row.Entry)
			}
		}
	}
}
