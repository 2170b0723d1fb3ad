package until

import "fmt"

const (
	// bets is how many fixed shares of the capital are bet next to each other.
	bets = 20
	// steps divide the range of the values: bounds of intervals lie on them, rounded outwards.
	steps = 2000
)

// bettingSequence is the confidence sequence of a mean of bounded values. One player bets that the
// mean is greater than m, another that it is less, and m is excluded as soon as one of them
// has made 2/alpha of 1. Each divides the capital among fixed shares (hedged grid Kelly,
// Waudby-Smith and Ramdas 2024, JRSS B 86), so nothing has to be estimated, and its level
// holds for any distribution within the bounds.
type bettingSequence struct {
	least, size  float64
	alpha        float64
	values       []float64 // scaled to [0,1]
	above, below side      // against a mean of 0
	sign         int
	low, high    bound // of the interval, as far as it was looked at
}

// side is the wealth of the bets that the mean is greater than m, one for each share.
type side struct {
	m      float64
	wealth [bets]float64
}

// newSide begins with 1 on each share; m is in (0,1).
func newSide(m float64) side {
	s := side{m: m}
	for d := range s.wealth {
		s.wealth[d] = 1
	}
	return s
}

func (s *side) add(x float64) {
	gain := x/s.m - 1
	for d := range s.wealth {
		s.wealth[d] *= 1 + float64(d+1)/(bets+1)*gain
	}
}

// capitalNow returns what 1 has become.
func (s *side) capitalNow() float64 {
	sum := 0.
	for _, w := range s.wealth {
		sum += w
	}
	return sum / bets
}

// newBetting returns the sequence of level 1-alpha of values from low to high, which
// are on either side of 0.
func newBetting(low, high, alpha float64) (*bettingSequence, error) {
	if !(low < 0 && high > 0) || !isLevel(alpha) {
		return nil, fmt.Errorf("values from %v to %v at level %v; the range has 0 within, and a level is between 0 and 1", low, high, alpha)
	}
	b := &bettingSequence{least: low, size: high - low, alpha: alpha, low: newBound(false), high: newBound(true)}
	b.above, b.below = newSide(-low/b.size), newSide(high/b.size)
	return b, nil
}

// Add takes the next value; the error says that it is out of range.
func (b *bettingSequence) Add(value float64) error {
	x := (value - b.least) / b.size
	if !(x >= 0 && x <= 1) {
		return fmt.Errorf("%v is not from %v to %v", value, b.least, b.least+b.size)
	}
	b.values = append(b.values, x)
	b.above.add(x)
	b.below.add(1 - x)
	switch {
	case b.sign != 0:
	case b.above.capitalNow() >= 2/b.alpha:
		b.sign = 1
	case b.below.capitalNow() >= 2/b.alpha:
		b.sign = -1
	}
	return nil
}

// Sign returns 1 or -1 once the mean is known to be above or below 0, else 0.
func (b *bettingSequence) Sign() int { return b.sign }

// Interval holds the mean at all times with probability 1-alpha. It is the intersection of
// all intervals so far.
func (b *bettingSequence) Interval() (Interval, bool) {
	b.low.takeValues(b.values, 2/b.alpha)
	b.high.takeValues(b.values, 2/b.alpha)
	from, until := b.low.step, steps-b.high.step
	if from > until { // the sequence has failed, or the mean drifts: the middle of what contradicts itself
		from, until = (from+until)/2, (from+until)/2
	}
	return Interval{b.least + b.size*float64(from)/steps, b.least + b.size*float64(until)/steps}, true
}

// Lacks returns "": there is an interval from the first value on.
func (b *bettingSequence) Lacks() string { return "" }

// bound is the greatest step that the values exclude from one end; 0 is none. It only
// grows, so the bets against the next step are kept and a look costs as much as the values
// since the last one.
type bound struct {
	mirrored bool // from the upper end
	step     int
	next     side    // against step+1
	most     float64 // that their capital has been
	seen     int     // values that they have had
}

// newBound begins with nothing excluded.
func newBound(mirrored bool) bound {
	return bound{mirrored: mirrored, next: newSide(1. / steps), most: 1}
}

// takeValues takes in further values. At every time the capital falls as m rises, and so does
// the most that it has been, so the step is found by doubling and halving.
func (b *bound) takeValues(values []float64, enough float64) {
	if b.step+1 == steps || !b.excludesNext(values, enough) {
		return
	}
	low, high := b.step+1, steps
	for stride := 1; high-low > 1; {
		mid := (low + high) / 2
		if stride > 0 {
			mid = min(low+stride, mid)
		}
		tried := bound{mirrored: b.mirrored, step: mid - 1, next: newSide(float64(mid) / steps), most: 1}
		if tried.excludesNext(values, enough) {
			low, stride = mid, 2*stride
		} else {
			*b, high, stride = tried, mid, 0
		}
	}
	b.step = low
}

// excludesNext shows the values to the bets that have not seen them, and reports whether the
// next step is excluded.
func (b *bound) excludesNext(values []float64, enough float64) bool {
	for ; b.seen < len(values) && b.most < enough; b.seen++ {
		x := values[b.seen]
		if b.mirrored {
			x = 1 - x
		}
		b.next.add(x)
		b.most = max(b.most, b.next.capitalNow())
	}
	return b.most >= enough
}
