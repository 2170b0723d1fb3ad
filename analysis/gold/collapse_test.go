package gold_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/gold"
)

// late adds a collaboration that came after the first draw: a stratum of one cluster, of whose
// passages some were drawn.
func (s *sample) late(w world, r *rand.Rand, stratum, drawn int) {
	from, one := len(s.rate), w.sample(r, 1, drawn)
	s.rate = append(s.rate, one.rate...)
	for i := from; i < len(s.rate); i++ {
		s.rate[i].Cluster, s.rate[i].Stratum = 1000+stratum, stratum
	}
}

// TestLateCollaborations: a collaboration that is a stratum by itself empties no figure, and
// intervals still hold the truth: in 93 % of campaigns or more, as a mean of others makes them
// rather too wide.
func TestLateCollaborations(t *testing.T) {
	w := world{rounds: 5, agents: 3}
	r := rand.New(rand.NewPCG(11, 12))
	var with, without tally
	campaigns, least, most := 120, 0.90, 0.995
	if *long {
		campaigns, least, most = 600, 0.93, 0.98
	}
	for range campaigns {
		s := w.sample(r, 40, 40)
		e, err := gold.EstimateShare(s.rate)
		if err != nil {
			t.Fatal(err)
		}
		without.add(trueRate, e)
		for stratum := 1; stratum <= 2; stratum++ {
			s.late(w, r, stratum, 2*stratum)
		}
		if e, err = gold.EstimateShare(s.rate); err != nil {
			t.Fatal(err)
		}
		with.add(trueRate, e)
	}
	t.Logf("covered in %.3f, without late collaborations in %.3f; standard errors %.4f and %.4f", with.share(), without.share(), with.se/float64(campaigns), without.se/float64(campaigns))
	if with.share() < least || with.share() > most || with.se > 1.05*without.se {
		t.Errorf("covered in %.3f, standard error %.4f; without late collaborations %.3f, %.4f", with.share(), with.se/float64(campaigns), without.share(), without.se/float64(campaigns))
	}
}

// TestAllOfOneCluster: where each stratum is one cluster, as with one collaboration of each
// condition, all deviate from one mean; the figure is that of its sums.
func TestAllOfOneCluster(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var units []gold.ShareUnit
	shown, of := 0.0, 0.0
	for c := range 20 {
		for range 4 {
			m := [2]float64{float64(r.IntN(4)), 3}
			units = append(units, gold.ShareUnit{Cluster: c, Stratum: c, Machine: [2]float64{1, 3}, Gold: &m})
			shown, of = shown+m[0], of+m[1]
		}
	}
	e, err := gold.EstimateShare(units)
	if err != nil || math.Abs(e.Value-shown/of) > 1e-12 || e.DOF != 19 || e.SE <= 0 {
		t.Errorf("%+v, error %v, want %v", e, err, shown/of)
	}
	for i := range units {
		units[i].Cluster = 0
	}
	if _, err := gold.EstimateShare(units); !errors.Is(err, gold.ErrFewGold) {
		t.Errorf("one cluster: error %v", err)
	}
}
