package acts

import "roundtable/analysis/statistics"

// Ratio is a share over several collaborations.
type Ratio struct {
	Share float64  // from 0 to 1
	SE    *float64 // standard error over collaborations; nil if there is only one
	Of    int      // collaborations that it rests on
	Units int      // messages, or rounds, that it is a share of
}

// PerMessage returns the share of a round's messages that show an act: by round
// (from 1, at index 0) and act; nil for a round in which nobody said anything.
// Messages of one collaboration depend on each other, so the standard error is
// that of a ratio of sums over collaborations.
func PerMessage(talks []ActsByRound) [][N]*Ratio {
	return ratiosByRound(talks, func(round []Set, act int) (shown, of int) {
		for _, s := range round {
			if s != 0 {
				of++
			}
			if s.Has(act) {
				shown++
			}
		}
		return shown, of
	})
}

// PerGroup returns the share of groups of which at least one agent shows the act in
// the round. It is the reading that fits the saturated figures of Table 9.
func PerGroup(talks []ActsByRound) [][N]*Ratio {
	return ratiosByRound(talks, func(round []Set, act int) (shown, of int) {
		for _, s := range round {
			if s != 0 {
				of = 1
			}
			if s.Has(act) {
				shown = 1
			}
		}
		return shown, of
	})
}

func ratiosByRound(talks []ActsByRound, count func(round []Set, act int) (shown, of int)) [][N]*Ratio {
	rounds := 0
	for _, t := range talks {
		rounds = max(rounds, len(t))
	}
	all := make([][N]*Ratio, rounds)
	for r := range all {
		for act := range N {
			var counts [][2]float64
			for _, t := range talks {
				if r < len(t) {
					if shown, of := count(t[r], act); of > 0 {
						counts = append(counts, [2]float64{float64(shown), float64(of)})
					}
				}
			}
			all[r][act] = ratioOfSums(counts)
		}
	}
	return all
}

// ratioOfSums of the sums of pairs (shown, of).
func ratioOfSums(counts [][2]float64) *Ratio {
	share := statistics.RatioOf(counts)
	if share == nil {
		return nil
	}
	r := Ratio{Share: share.Value, SE: share.SE, Of: share.N}
	for _, c := range counts {
		r.Units += int(c[1])
	}
	return &r
}
