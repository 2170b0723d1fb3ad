package recsys

import (
	"math"
	"testing"
)

// By hand: three ratings 5, 4, 1 of two users and two movies.
func TestBaselinesByHand(t *testing.T) {
	d := &dataset{users: make([]User, 3), movies: make([]Movie, 3), base: []rating{{0, 0, 5, 0}, {0, 1, 4, 0}, {1, 1, 1, 0}}}
	d.indexRatings()
	m := newMeans(d)
	names := map[string]float64{}
	for _, b := range m.predict(0, 1) {
		names[b.Name] = b.Rating
	}
	for name, want := range map[string]float64{"always_4": 4, "train_mean": 10. / 3, "user_mean": 4.5, "item_mean": 2.5, "rounded_item_mean": 2} {
		if math.Abs(names[name]-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, names[name], want)
		}
	}
	for _, b := range m.predict(2, 2) {
		if b.Name != "always_4" && b.Name != "rounded_item_mean" && math.Abs(b.Rating-10./3) > 1e-12 {
			t.Errorf("without ratings %s is %v, want the mean of all", b.Name, b.Rating)
		}
	}
	// The biases solve the shrunken normal equations up to what 20 sweeps leave.
	all := 10. / 3
	if got := (5 - all - m.userBias[0]) / 11; math.Abs(got-m.movieBias[0]) > 1e-9 {
		t.Errorf("the bias of movie 1 is %v, want %v", m.movieBias[0], got)
	}
	if got := (9 - 2*all - m.movieBias[0] - m.movieBias[1]) / 12; math.Abs(got-m.userBias[0]) > 1e-9 {
		t.Errorf("the bias of user 1 is %v, want %v", m.userBias[0], got)
	}
}

func TestBaselinesReference(t *testing.T) {
	m := real(t)
	var ref map[string]any
	if !reference(t, "movielens_baselines.json", &ref) {
		t.Skip("no reference vectors next to this checkout")
	}
	absolute, squared := map[string]float64{}, map[string]float64{}
	for _, r := range m.data.test {
		for _, b := range m.means.predict(r.user, r.movie) {
			off := math.Abs(b.Rating - float64(r.stars))
			absolute[b.Name] += off
			squared[b.Name] += off * off
		}
	}
	n := float64(len(m.data.test))
	for name, key := range map[string]string{"always_4": "always4", "train_mean": "always_train_mean", "user_mean": "user_mean", "item_mean": "item_mean",
		"rounded_item_mean": "rounded_item_mean", "bias_model": "bias_model_shrink10"} {
		want := ref[key].(map[string]any)
		wantNear(t, name+" MAE", []float64{absolute[name] / n}, []float64{want["MAE"].(float64)}, 1e-6)
		wantNear(t, name+" RMSE", []float64{math.Sqrt(squared[name] / n)}, []float64{want["RMSE"].(float64)}, 1e-6)
	}
	wantNear(t, "mean", []float64{m.means.all}, []float64{ref["train_mean"].(float64)}, 1e-12)
}
