package plan

import (
	"slices"
	"strings"
	"testing"
)

// of returns a campaign of two conditions with so many instances and replicates.
func of(instances, replicates []int) Campaign {
	c := Campaign{Name: "c", CacheScope: "condition", Instances: instances,
		Conditions: []Condition{{Rule: Choice{Name: "majority"}}, {Rule: Choice{Name: "plurality"}}}}
	c.SetReplicates(replicates)
	return c
}

func TestHasSoundInstances(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*Campaign)
		sound  bool
	}{
		"as it is":                  {func(*Campaign) {}, true},
		"one instance":              {func(c *Campaign) { c.Instances[1] = 1 }, true},
		"no instance":               {func(c *Campaign) { c.Instances[1] = 0 }, false},
		"a count too few":           {func(c *Campaign) { c.Instances = c.Instances[:1] }, false},
		"repeats":                   {func(c *Campaign) { c.Repeats = []int{1, 2} }, true},
		"repeats of none":           {func(c *Campaign) { c.Repeats = []int{0, 2} }, false},
		"repeats below replicates":  {func(c *Campaign) { c.Repeats = []int{1, 1} }, false},
		"repeats above replicates":  {func(c *Campaign) { c.Repeats = []int{1, 3} }, false},
		"repeats of one condition":  {func(c *Campaign) { c.Repeats = []int{2} }, false},
		"chosen":                    {func(c *Campaign) { c.Chosen = Chosen{{0, 4}, nil} }, true},
		"chosen for one condition":  {func(c *Campaign) { c.Chosen = Chosen{{0, 4}} }, false},
		"chosen twice":              {func(c *Campaign) { c.Chosen = Chosen{{4, 4}, nil} }, false},
		"chosen in no order":        {func(c *Campaign) { c.Chosen = Chosen{{4, 1}, nil} }, false},
		"chosen below the first":    {func(c *Campaign) { c.Chosen = Chosen{{-1, 4}, nil} }, false},
		"more chosen than counted":  {func(c *Campaign) { c.Chosen = Chosen{{0, 1, 4}, nil} }, false},
		"fewer chosen than counted": {func(c *Campaign) { c.Chosen = Chosen{{0}, nil} }, false},
	} {
		c := of([]int{2, 3}, []int{2, 2})
		if x.change(&c); c.HasSoundInstances() != x.sound {
			t.Errorf("%s: sound is %v", name, !x.sound)
		}
	}
}

// What keeps a campaign from being an extension of a recorded one is said.
func TestExtends(t *testing.T) {
	for want, change := range map[string]func(*Campaign){
		"":                    func(c *Campaign) { c.Instances[0]++; c.Replicates++ },
		"seed was 0 and is 1": func(c *Campaign) { c.Seed = 1 },
		"replicates was 2 and is 1; it can only grow": func(c *Campaign) { c.Replicates = 1 },
		"replicates of":                         func(c *Campaign) { c.SetReplicates([]int{1, 2}) },
		"instances of":                          func(c *Campaign) { c.Instances[1] = 2 },
		"were chosen that are not chosen now":   func(c *Campaign) { c.Chosen = Chosen{{1, 2}, nil} },
		"cache_scope was condition and is lake": func(c *Campaign) { c.CacheScope = "lake" },
		"plurality":                             func(c *Campaign) { c.Conditions = c.Conditions[:1]; c.Instances = c.Instances[:1] },
	} {
		c := of([]int{2, 3}, []int{2, 2})
		change(&c)
		got := c.Extends(of([]int{2, 3}, []int{2, 2}))
		if (len(got) > 0) != (want != "") || !strings.Contains(strings.Join(got, "; "), want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	chosen := of([]int{2, 3}, []int{2, 2})
	chosen.Chosen = Chosen{{0, 1}, {0, 1, 2}}
	if got := chosen.Extends(of([]int{2, 3}, []int{2, 2})); len(got) > 0 {
		t.Errorf("the first ones, chosen: %q", got)
	}
	if got := chosen.Extends(Campaign{CacheScope: chosen.CacheScope}); len(got) == 0 {
		t.Error("it extends a recorded campaign without conditions")
	}
}

func TestSetReplicates(t *testing.T) {
	for _, x := range []struct{ each, repeats []int }{{[]int{2, 2}, nil}, {[]int{2, 3}, []int{2, 3}}, {[]int{3, 2}, []int{3, 2}}} {
		if c := of([]int{1, 1}, x.each); c.Replicates != slices.Max(x.each) || !slices.Equal(c.Repeats, x.repeats) {
			t.Errorf("%v: %d, %v", x.each, c.Replicates, c.Repeats)
		}
	}
}

// Cells take turns by condition, those with most first, until each has had all of its own.
func TestOrder(t *testing.T) {
	for _, x := range []struct {
		instances, replicates []int
		want                  []Cell // condition, instance, replicate
	}{
		{[]int{1, 2}, []int{1, 1}, []Cell{{1, 0, 0}, {0, 0, 0}, {1, 1, 0}}},
		{[]int{2, 1}, []int{1, 2}, []Cell{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 1}}},
		{[]int{1, 1}, []int{3, 1}, []Cell{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 2}}},
	} {
		c := of(x.instances, x.replicates)
		var got []Cell
		for n := range c.Size() {
			got = append(got, c.Cell(n))
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%v by %v: %v, want %v", x.instances, x.replicates, got, x.want)
		}
	}
}

func TestContains(t *testing.T) {
	c := of([]int{2, 3}, []int{2, 1})
	c.Chosen = Chosen{{1, 4}, nil}
	first, second := c.Conditions[0].ID(), c.Conditions[1].ID()
	is := c.Contains()
	for id, want := range map[string]bool{
		first + "-i1-r0": true, first + "-i4-r1": true, first + "-i0-r0": false, first + "-i1-r2": false,
		second + "-i0-r0": true, second + "-i2-r0": true, second + "-i3-r0": false, second + "-i0-r1": false,
		second + "-i-1-r0": false, second + "-i0-r-1": false, second + "-i00-r0": false, second + "-i0-r0x": false,
		second + "-i0": false, second: false, "": false, "other-i0-r0": false,
	} {
		if is(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}

// Strangers answer any instance but the cell's own.
func TestStrangersInstance(t *testing.T) {
	c := of([]int{3, 3}, []int{1, 1})
	seen := map[int]bool{}
	for n := range 60 {
		seen[c.StrangersInstance(Cell{Instance: 1}, n, 3)] = true
	}
	if len(seen) != 2 || !seen[0] || !seen[2] {
		t.Errorf("of 0 to 2 without 1: %v", seen)
	}
	if n := c.StrangersInstance(Cell{Instance: 0}, 0, 0); n < 1 || n > 1000 {
		t.Errorf("without an end: %d", n)
	}
}

func TestWithoutFit(t *testing.T) {
	given := Condition{Stop: Choice{Name: "learned", Params: []byte(`{"a":1,"fit":{"b":2}}`)}}
	if got := string(given.WithoutFit().Stop.Params); got != `{"a":1}` {
		t.Errorf("%s is left", got)
	}
	given.Stop.Params = []byte(`{"a": 1}`)
	if got := string(given.WithoutFit().Stop.Params); got != `{"a": 1}` {
		t.Errorf("%s is left of what has none", got)
	}
}
