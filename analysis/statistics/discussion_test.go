package statistics

import (
	"math"
	"testing"
)

func TestCounted(t *testing.T) {
	for text, want := range map[string]string{
		"B A A": "A", "B A": "B", "A B B A": "A", "- - B": "B", "B - -": "B", "A B C": "A", "- -": "", "": "",
	} {
		got, ok := answers(text, "A").Counted()
		if got.Key != want || ok != (want != "") || got.Right != (want == "A") {
			t.Errorf("%q counts to %+v, %v; want %q", text, got, ok, want)
		}
	}
}

// Paper 2's Table 2: its shares are those of 600 discussions, and their means
// over the protocols of a kind are the 1.42 and (by a hundredth) 3.38 rounds of §4.1.
func TestTerminationOfTable2(t *testing.T) {
	table := map[string]struct {
		rounds [5]int
		shares [5]float64
	}{
		"simple":        {[5]int{0, 0, 596, 3, 1}, [5]float64{0, 0, 99.33, .50, .17}},
		"cumulative":    {[5]int{0, 0, 564, 33, 3}, [5]float64{0, 0, 94, 5.5, .5}},
		"ranked":        {[5]int{0, 0, 547, 47, 6}, [5]float64{0, 0, 91.17, 7.83, 1}},
		"approval":      {[5]int{0, 0, 160, 86, 354}, [5]float64{0, 0, 26.67, 14.33, 59}},
		"majority":      {[5]int{480, 82, 29, 6, 3}, [5]float64{80, 13.67, 4.83, 1, .5}},
		"supermajority": {[5]int{476, 86, 29, 6, 3}, [5]float64{79.33, 14.33, 4.83, 1, .5}},
		"unanimity":     {[5]int{357, 130, 76, 21, 16}, [5]float64{59.5, 21.67, 12.67, 3.5, 2.67}},
	}
	mean := func(names ...string) (sum float64) {
		for _, name := range names {
			c := Termination{Last: 5}
			for i, n := range table[name].rounds {
				for range n {
					if name == "approval" && i == 4 { // what is terminated counts as the last round
						c.Add(0)
					} else {
						c.Add(i + 1)
					}
				}
			}
			if c.N() != 600 {
				t.Errorf("%s: %d discussions", name, c.N())
			}
			for i, want := range table[name].shares {
				got, ok := c.Share(i + 1)
				if name == "approval" && i == 4 {
					got = 100 * float64(c.Never) / float64(c.N())
				}
				if !ok || math.Abs(got-want) > .005 {
					t.Errorf("%s, turn %d: %.3f %%, printed is %.2f", name, i+1, got, want)
				}
			}
			m, _ := c.Mean()
			sum += m / float64(len(names))
		}
		return sum
	}
	if m := mean("majority", "supermajority", "unanimity"); math.Abs(m-1.42) > .005 {
		t.Errorf("consensus takes %.4f rounds, printed is 1.42", m)
	}
	if m := mean("simple", "cumulative", "ranked", "approval"); math.Abs(m-3.38) > .01 {
		t.Errorf("voting takes %.4f rounds, printed is 3.38", m)
	}
	if _, ok := (Termination{Last: 5}).Mean(); ok {
		t.Error("no discussions have a mean")
	}
	if share, ok := (Termination{Never: 1}).Share(3); !ok || share != 0 {
		t.Errorf("a round that none reached: %v", share)
	}
}

func TestChallenges(t *testing.T) {
	c := Challenges{{true, 0, 1}, {true, 1, 0}, {true, 1, .5}, {true, 1, 1}, {false, 1, 1}, {false, 0, 1}, {false, 0, 0}, {false, 0, 0}}
	if rate, ok := c.Rate(); !ok || rate != 50 {
		t.Errorf("the rate is %v, want 50", rate)
	}
	if challenged, better, worse := c.Changes(); challenged != 4 || better != 1 || worse != 2 { // what nobody challenged does not count
		t.Errorf("of %d that were challenged %d are better and %d worse, want 4, 1, 2", challenged, better, worse)
	}
	if _, ok := (Challenges{}).Rate(); ok {
		t.Error("no challenges have a rate")
	}
}
