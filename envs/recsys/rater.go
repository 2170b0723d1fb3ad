package recsys

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roundtable/envs"
)

// Rater holds the parameters of the scripted agents. A rater estimates the rating from its own
// tables, says so with how sure it is, and pools its estimate with those that it hears, more and
// more evenly from round to round.
type Rater struct {
	// Trust is the weight of another's estimate in the first round, 0 to 1; its own has weight 1.
	Trust float64 `json:"trust"`
	// Concession is the share of its remaining distrust (1 - weight) that it loses each round, 0 to
	// 1.
	Concession float64 `json:"concession"`
	// Noise is the standard deviation of the error of its own estimate each time it speaks, in stars, 0 to
	// 4.
	Noise float64 `json:"noise"`
	// Tolerance is the distance in stars from its estimate at which a candidate's value is 0; above
	// 0, at most 4.
	Tolerance float64 `json:"tolerance"`
	// Firmness is the value below which it would rather not choose a candidate, 0 to 1.
	Firmness float64 `json:"firmness"`
	// Step is what its proposals are rounded to, in stars, 0.01 to 1.
	Step float64 `json:"step"`
}

func defaultRater() Rater {
	return Rater{Trust: 0.3, Concession: 0.2, Noise: 0.2, Tolerance: 1, Firmness: 0.7, Step: 0.1}
}

// stubbornRater listens to nobody.
func stubbornRater() Rater {
	return Rater{Trust: 0, Concession: 0, Noise: 0.05, Tolerance: 1, Firmness: 0.9, Step: 0.1}
}

// Policies returns rater and stubborn; both take the parameters of Rater.
func (m *MovieLens) Policies() []string { return []string{"rater", "stubborn"} }

// Policy builds a scripted agent.
func (m *MovieLens) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	var r Rater
	switch name {
	case "rater":
		r = defaultRater()
	case "stubborn":
		r = stubbornRater()
	default:
		return nil, envs.NewPolicyError("recsys", name, m.Policies())
	}
	if err := decode(&r); err != nil {
		return nil, fmt.Errorf("recsys: policy %s: %w", name, err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("recsys: policy %s: %w", name, err)
	}
	return r, nil
}

func (r Rater) check() error {
	within := func(name string, v, low, high float64) error {
		if v >= low && v <= high {
			return nil
		}
		return fmt.Errorf("%s is %v; it is from %v to %v", name, v, low, high)
	}
	return errors.Join(within("trust", r.Trust, 0, 1), within("concession", r.Concession, 0, 1),
		within("noise", r.Noise, 0, 4),
		within("tolerance", r.Tolerance, 0.01, 4), within("firmness", r.Firmness, 0, 1),
		within("step", r.Step, 0.01, 1))
}

// Message tells the estimate, what it rests on, and what the agent would propose by now.
func (r Rater) Message(s envs.Situation) envs.Message {
	own := r.readTables(s)
	own.rating = clampRating(own.rating + float64(r.Noise*s.Rand.NormFloat64()))
	said := []string{own.String(), own.because}
	if len(latestEstimates(s)) > 0 {
		said = append(said, fmt.Sprintf("With what I heard from you I lean towards %s.",
			twoDecimals(r.poolEstimates(s, own))))
	}
	m := envs.Message{From: s.Agent}
	if s.Agent == userHistory && namedGenres(s) == nil && basicInfo < len(s.Agents) {
		said = append(said, s.Agents[basicInfo].Name+", which genres is the movie listed under?")
	}
	m.Text = strings.Join(said, " ")
	return m
}

// Propose returns the pooled estimate, unless the agent's last proposal or the standing decision says the same.
func (r Rater) Propose(s envs.Situation) (string, bool) {
	v := clampRating(float64(math.Round(r.currentBelief(s)/r.Step)) * r.Step)
	p := formatRating(float64(toHundredths(v)) / 100)
	if p == s.Standing {
		return "", false
	}
	for _, o := range slices.Backward(s.Offers) {
		if o.Agent == s.Agent {
			return string(p), o.Proposal != p
		}
	}
	return string(p), true
}

// Value returns 1 at the pooled estimate and falls linearly with the distance from it, to 0 at
// Tolerance.
func (r Rater) Value(s envs.Situation, p envs.Proposal) float64 {
	v, err := parseRating([]byte(p))
	if err != nil {
		return 0
	}
	return max(0, 1-math.Abs(v-r.currentBelief(s))/r.Tolerance)
}

// Reserve returns Firmness.
func (r Rater) Reserve(envs.Situation) float64 { return r.Firmness }

// currentBelief pools the agent's own word, if it has spoken, with the others'.
func (r Rater) currentBelief(s envs.Situation) float64 {
	own, spoken := latestEstimates(s)[s.Agent]
	if !spoken {
		own = r.readTables(s)
	}
	return r.poolEstimates(s, own)
}

// poolEstimates returns the mean of estimates, weighted by how sure everybody is and by the trust of this round.
func (r Rater) poolEstimates(s envs.Situation, own estimate) float64 {
	distrust := 1 - r.Trust
	for range s.Round - 1 {
		distrust *= 1 - r.Concession
	}
	sum, weight := float64(own.rating*own.sure.weightOf()), own.sure.weightOf()
	words := latestEstimates(s)
	for agent := range s.Agents {
		if e, ok := words[agent]; ok && agent != s.Agent {
			w := float64(e.sure.weightOf() * (1 - distrust)) // not fused, see nmf.go
			sum, weight = sum+float64(e.rating*w), weight+w
		}
	}
	return sum / weight
}

// sureness is how much an estimate counts.
type sureness string

const (
	guessing sureness = "I am only guessing"
	fairly   sureness = "I am fairly sure"
	quite    sureness = "I am quite sure"
)

func (s sureness) weightOf() float64 {
	switch s {
	case quite:
		return 4
	case fairly:
		return 2
	}
	return 0.5
}

// estimate is what an agent makes of its tables.
type estimate struct {
	rating  float64
	sure    sureness
	because string
}

func (e estimate) String() string {
	return fmt.Sprintf("My tables point to a rating of about %s; %s.", twoDecimals(e.rating), e.sure)
}

var (
	spokenEstimate = regexp.MustCompile(`My tables point to a rating of about ([1-5]\.\d\d); (I am \w+ \w+)\.`)
	spokenGenres   = regexp.MustCompile(`The movie is listed under ([^.]+)\.`)
)

// latestEstimates returns the latest estimate of each agent that has spoken in these words.
func latestEstimates(s envs.Situation) map[int]estimate {
	words := map[int]estimate{}
	for _, m := range s.Messages {
		found := spokenEstimate.FindStringSubmatch(m.Text)
		if found == nil {
			continue
		}
		if v, err := strconv.ParseFloat(found[1], 64); err == nil {
			words[m.From] = estimate{rating: clampRating(v), sure: sureness(found[2])}
		}
	}
	return words
}

// namedGenres returns what an agent said about the movie, nil if none did.
func namedGenres(s envs.Situation) []string {
	for _, m := range slices.Backward(s.Messages) {
		if found := spokenGenres.FindStringSubmatch(m.Text); found != nil {
			return strings.Split(found[1], ", ")
		}
	}
	return nil
}

// middling is what a movie gets when nothing is known; prior is how many ratings that counts for.
const (
	middling = 3.5
	prior    = 3
)

// readTables makes an estimate of the agent's own tables and of the genres that it was told.
func (r Rater) readTables(s envs.Situation) estimate {
	o, _ := s.Observation.(Observation)
	switch {
	case o.Basic != nil:
		return o.Basic.estimateRating()
	case o.Movie != nil:
		return o.Movie.estimateRating()
	case o.User != nil:
		return o.User.estimateRating(namedGenres(s))
	}
	return estimate{middling, guessing, "I have nothing to go by."}
}

// leanings are what is commonly thought of genres.
var leanings = map[string]float64{
	"Film-Noir": 0.4, "War": 0.3, "Drama": 0.2, "Documentary": 0.2, "Mystery": 0.1, "Romance": 0.1,
	"Comedy": -0.1, "Children's": -0.2, "Fantasy": -0.2, "Horror": -0.3,
}

func (b *BasicInfo) estimateRating() estimate {
	v := middling
	for _, g := range b.Movie.Genres {
		v += leanings[g] / float64(len(b.Movie.Genres))
	}
	if b.Movie.Released != "" && b.Movie.Released < "1980" {
		v += 0.4 // what is still watched after so long is mostly good
	}
	if b.User.Age >= 50 {
		v += 0.1
	}
	genre := "nothing in particular"
	if len(b.Movie.Genres) > 0 {
		genre = strings.Join(b.Movie.Genres, ", ")
	}
	because := fmt.Sprintf("The movie is listed under %s. The user is aged %d, %s, works as %s and lives in %s.", genre,
		b.User.Age, b.User.Gender, b.User.Occupation, b.User.State)
	return estimate{v, guessing, because}
}

func (h *MovieHistory) estimateRating() estimate {
	sum, weight := float64(middling*prior), float64(prior)
	for _, v := range h.Rows {
		sum += float64(v.Similarity * float64(v.Rating))
		weight += v.Similarity
	}
	because := fmt.Sprintf("%d other users rated the movie; those with a taste like the target user's count most.", h.Total)
	return estimate{clampRating(sum / weight), sureOf(h.Total, 15), because}
}

func (h *UserHistory) estimateRating(told []string) estimate {
	sum, weight, alike := float64(middling*prior), float64(prior), 0
	for _, v := range h.Rows {
		w := 1.0
		for _, g := range v.Genres {
			if slices.Contains(told, g) {
				w++
			}
		}
		if w > 1 {
			alike++
		}
		sum += float64(w * float64(v.Rating))
		weight += w
	}
	because := fmt.Sprintf("The user rated %d other movies.", h.Total)
	if told != nil {
		because = fmt.Sprintf("The user rated %d other movies, and %d of those that I see share a genre with this one.",
			h.Total, alike)
	}
	return estimate{clampRating(sum / weight), sureOf(h.Total, 20), because}
}

func sureOf(rows, many int) sureness {
	switch {
	case rows >= many:
		return quite
	case rows >= 3:
		return fairly
	}
	return guessing
}

func clampRating(v float64) float64 { return min(max(v, lowest), highest) }
