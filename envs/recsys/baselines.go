package recsys

import "math"

// Prediction is a rating predicted without agents, from u1.base alone.
type Prediction struct {
	Name   string
	Rating float64
}

const (
	typical = 4  // the paper's "always guess 4"
	shrink  = 10 // ratings of the mean that a bias is mixed with
	sweeps  = 20 // of the bias model
)

// means are what the baselines are made of; a user or movie without ratings has the mean of all.
type means struct {
	all                 float64
	user, movie         []float64
	userBias, movieBias []float64
}

func newMeans(d *dataset) means {
	m := means{all: averageOr(d.base, 0)}
	m.user, m.movie = averageEach(d.byUser, m.all), averageEach(d.byMovie, m.all)
	m.userBias, m.movieBias = make([]float64, len(d.users)), make([]float64, len(d.movies))
	for range sweeps {
		for i, list := range d.byMovie {
			m.movieBias[i] = shrunkenBias(list, m.all, func(r rating) float64 { return m.userBias[r.user] })
		}
		for u, list := range d.byUser {
			m.userBias[u] = shrunkenBias(list, m.all, func(r rating) float64 { return m.movieBias[r.movie] })
		}
	}
	return m
}

func averageEach(groups [][]rating, none float64) []float64 {
	list := make([]float64, len(groups))
	for i, g := range groups {
		list[i] = averageOr(g, none)
	}
	return list
}

func averageOr(list []rating, none float64) float64 {
	if len(list) == 0 {
		return none
	}
	sum := 0
	for _, r := range list {
		sum += r.stars
	}
	return float64(sum) / float64(len(list))
}

// shrunkenBias returns the shrunken mean of what the average and the other side's bias leave unexplained.
func shrunkenBias(list []rating, all float64, other func(rating) float64) float64 {
	sum := 0.0
	for _, r := range list {
		sum += float64(r.stars) - all - other(r)
	}
	return sum / float64(len(list)+shrink)
}

// predict lists the baselines for one user and movie.
func (m means) predict(user, movie int) []Prediction {
	biased := m.all + m.movieBias[movie] + m.userBias[user]
	return []Prediction{
		{"always_4", typical},
		{"train_mean", m.all},
		{"user_mean", m.user[user]},
		{"item_mean", m.movie[movie]},
		{"rounded_item_mean", math.RoundToEven(m.movie[movie])},
		{"bias_model", min(max(biased, lowest), highest)},
	}
}
