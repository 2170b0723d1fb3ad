package until

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What is predicted is what campaigns take: 95 % of others lie within.
func TestPredictionHoldsWhatCampaignsTake(t *testing.T) {
	d, q := designOf(2, 150, 1)
	p, err := d.Predict(q.Worst(.5), 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := d.countNeeded(course(t, q)); n != 450 {
		t.Errorf("before any unit %d of 450 cells are needed", n)
	}
	within := 0
	const campaigns = 400
	r := rand.New(rand.NewPCG(9, 9))
	draw := q.Worst(.5)
	for range campaigns {
		c := course(t, q)
		for c.Units() < 150 && !c.IsAnswered() {
			add(t, c, draw(r))
		}
		if n := d.countNeeded(c); n >= p.Low && n <= p.High {
			within++
		}
	}
	if within < campaigns*88/100 || p.Answered < .97 || p.Low == 0 || p.High >= 450 || float64(p.Low) > p.Mean || p.Mean > float64(p.High) {
		t.Errorf("%+v holds %d of %d", p, within, campaigns)
	}
	none, err := d.Predict(q.Worst(0), 1)
	if err != nil {
		t.Fatal(err)
	}
	if none.High != 450 || none.Answered > .05 {
		t.Errorf("without an effect %+v of 450 cells", none)
	}
}

// The worst case has the effect that it says, in standard deviations.
func TestWorstCase(t *testing.T) {
	for _, method := range Methods() {
		draw := questionOf(2, method).Worst(.5)
		r := rand.New(rand.NewPCG(1, 1))
		sum, squares := 0., 0.
		const n = 200_000
		for range n {
			v := *draw(r)[0].Difference
			sum += v
			squares += v * v
		}
		mean := sum / n
		if effect := mean * mean / (squares/n - mean*mean); effect < .235 || effect > .265 {
			t.Errorf("%s: the square of the effect is %.4f, want 0.25", method, effect)
		}
	}
}

func TestCompleteUnits(t *testing.T) {
	d, _ := designOf(2, 3, 2)
	got := d.Complete(func(c Cell) (*float64, bool) {
		switch {
		case c.Instance == 0 && c.Replicate == 1 && c.Condition == 0:
			return nil, true // it failed
		case c.Instance == 1 && c.Condition == 1:
			return nil, c.Replicate == 0 // one is under way
		}
		return new(float64(c.Condition)), true
	})
	want := 0
	for _, u := range got {
		if o := u[0]; *o.Difference == -1 {
			want += 1 + 10*o.LeftOut
		}
	}
	if len(got) != 2 || want != 1+11 {
		t.Errorf("%+v", got)
	}
	draw := Resample(got)
	if v := draw(rand.New(rand.NewPCG(1, 1))); *v[0].Difference != -1 {
		t.Errorf("%v", v)
	}
}

// It is the reference that is supposed to differ, wherever it stands.
func TestReferenceDiffersInThePrediction(t *testing.T) {
	d, q := designOf(4, 100, 1)
	predict := func(reference string) Prediction {
		q.Reference = reference
		p, err := NewDesign(q, d.grid).Predict(q.Worst(.5), 1)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first, last := predict("level 0"), predict("level 3")
	if first.Answered < .7 || math.Abs(last.Answered-first.Answered) > .1 || math.Abs(last.Mean-first.Mean) > .05*first.Mean {
		t.Errorf("with the first as reference %+v, with the last %+v", first, last)
	}
}
