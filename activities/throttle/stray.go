package throttle

// stray are refusals that fewer calls would not spare: some services refuse a
// share of all calls, however few there are. A cut for each of them would leave
// next to none.
//
// A few are borne from the first: a cut comes when refusals add up beyond a share of
// calls (Page 1954, Continuous inspection schemes). A larger share shows because refusals
// add up again while the window is below what it was. Then it is held down for a while, and
// if calls are still refused, but few, their share is what is borne from then on.
type stray struct {
	share  float64 // of all calls; 0 if none are known
	excess float64 // of refusals over what is borne
	soon   int     // cuts before the window was back, less those after
	before float64 // the peak when these began
	trial  float64 // the window that may have been right, while a smaller one is tried; else 0
	found  bool    // a share was found before
}

// verdict is what a refusal means.
type verdict int

const (
	fewer   verdict = iota // there are too many calls
	nothing                // none gets through: only time helps
	chance                 // it is a stray one, or late
)

const (
	recoveredShare = 0.98 // of the peak: the window is back
	suspectCuts    = 2    // too soon
	trialWindow    = 0.7  // of the window in doubt
	trialCalls     = 200
	someRefuse     = 2    // of these: fewer may be anything
	mostStray      = 0.12 // of all calls
	chanceOf       = 4    // more than that is no bad luck
	assumedStray   = 0.06 // of all calls, before a share is known
	firstAlarm     = 2    // refusals too many, likewise
	fewWait        = 4    // calls: it is cheap
	cusumAlarm     = 8    // and when one is known
	fading         = 0.8  // of the share at each cut: it may have ended
)

// countStart counts a call against the refusals that are borne.
func (s *stray) countStart() {
	s.excess = max(0, s.excess-max(assumedStray, 1.5*s.share+0.02))
}

// isExpected reports whether a refusal is one of those expected, which none is where it is
// cheap to heed it.
func (s *stray) isExpected(cheap bool) bool {
	if s.excess++; s.share > 0 {
		return s.excess < cusumAlarm
	}
	return !cheap && s.excess <= firstAlarm
}

// cutWindow hears of a refusal that is not borne, and returns the window that may
// have been right all the same; 0 if there is no doubt that it was too large.
func (s *stray) cutWindow(limit, peak float64) (doubted float64) {
	known, trying := s.share > 0, s.trial > 0
	s.share, s.excess, s.trial = fading*s.share, 0, 0
	switch {
	case limit >= recoveredShare*peak:
		s.soon = max(0, s.soon-1)
		return 0
	case known && trying:
		return 0
	case known:
		return limit
	}
	if s.soon++; s.soon == 1 {
		s.before = peak
	}
	if s.soon < suspectCuts {
		return 0
	}
	s.soon = 0
	return s.before
}

// isTrialLost reports whether a trial has too many refusals for stray ones.
func (w *window) isTrialLost() bool {
	return float64(w.cycle.refused) > chanceOf+mostStray*float64(w.cycle.started)
}

// endTrial ends a trial that was long enough. The first share that is found lets the
// window double again: all cuts before were in error.
func (w *window) endTrial() {
	s := &w.stray
	if w.cycle.started < trialCalls {
		return
	}
	if s.share = 0; w.cycle.refused >= someRefuse {
		s.share = float64(w.cycle.refused) / float64(w.cycle.started)
		w.peak = s.trial
	}
	if w.limit = kept * w.peak; s.share > 0 && !s.found {
		s.found, w.peak, w.limit = true, 0, s.trial
	}
	s.trial, s.excess = 0, 0
	w.cycle = cycle{}
}
