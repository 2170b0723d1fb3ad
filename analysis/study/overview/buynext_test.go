package overview

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
)

// Planted noise is recovered: deviations of 0.10 between instances and 0.20 within them,
// by which 2 replicates pay if an instance costs more than 2·cost·(0.1/0.2)².
func TestBuyNextRecoversPlantedNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var c campaign.Campaign
	const instances, replicates = 400, 4
	for i := range instances {
		difference := .1 * r.NormFloat64()
		for k := range replicates {
			a, b := asked("a", i%20, k, .5+difference+.2*r.NormFloat64()), asked("b", i%20, k, .5)
			for _, run := range []*campaign.Run{&a, &b} {
				run.Instance = int32(i)
				run.Collaboration.CollaborationID = run.Rule + string(rune(1000+i)) + string(rune('a'+k))
			}
			c.Runs = append(c.Runs, a, b)
		}
	}
	got, ok := BuyNext(c)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%d rows", len(got.Rows))
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	near := func(column string, want, within float64) {
		t.Helper()
		if v := row[column].Value; v == nil || math.Abs(*v-want) > within {
			t.Errorf("%s: %v, want %v", column, v, want)
		}
	}
	near("instances", instances, 0)
	near("replicates", replicates, 0)
	near("between", .1, .015)
	near("within", .2, .01)
	near("ICC", .2, .05)
	near("cost, USD", 1, 1e-9)
	compared, _ := Comparisons(c)
	interval := analysistest.ByColumn(compared, compared.Rows[0])
	if now := (*interval["to"].Value - *interval["95 % from"].Value) / 2; math.Abs(*row["half width"].Value-now) > 1e-9 {
		t.Errorf("half width %v; the interval has %v", *row["half width"].Value, now)
	}
	half := 1.966 * math.Sqrt(.01/instances+.04/(instances*replicates))
	near("half width", half, .06*half)
	near("4× instances", half/2, .06*half)
	near("4× replicates", 1.966*math.Sqrt(.01/instances+.04/(instances*4*replicates)), .12*half)
	near("two pay above", .5, .15)
}

// With one replicate of each instance the parts cannot be told apart.
func TestBuyNextWithoutReplicates(t *testing.T) {
	c := campaign.Campaign{Runs: []campaign.Run{asked("a", 0, 0, 1), asked("a", 1, 0, .5), asked("b", 0, 0, .25), asked("b", 1, 0, .25)}}
	got, ok := BuyNext(c)
	if !ok {
		t.Fatal("there is no table")
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	if row["between"].Value != nil || row["2× replicates"].Value != nil {
		t.Errorf("%v", row)
	}
	analysistest.Near(t, "half width", row["half width"].Value, 12.706204736432095*.25) // differences 0.75 and 0.25
}

// Instances are paired by what they ask, whatever their numbers: here the second condition
// has its questions the other way round.
func TestBuyNextGoesByQuestion(t *testing.T) {
	var c campaign.Campaign
	for question := range 4 {
		for k := range 2 {
			value, hash := .2*float64(question), fmt.Sprint("question ", question)
			a, b := asked("a", question, k, value+.1*float64(k)), asked("b", 3-question, k, value)
			a.InstanceHash, b.InstanceHash = &hash, &hash
			c.Runs = append(c.Runs, a, b)
		}
	}
	got, ok := BuyNext(c)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%d rows", len(got.Rows))
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	for column, want := range map[string]float64{"instances": 4, "replicates": 2, "between": 0, "within": .1 / math.Sqrt2} {
		if v := row[column].Value; v == nil || math.Abs(*v-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", column, row[column], want)
		}
	}
}
