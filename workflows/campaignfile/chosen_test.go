package campaignfile_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/plan"
)

// Instances are chosen by their ids, and the cells are those of the chosen ones.
func TestChosenInstances(t *testing.T) {
	whole := parse(t, twoTasks).Campaign
	for text, want := range map[string]plan.Chosen{
		"instances: [k3-asymmetric, u1-m12, u18-m15]":     {nil, nil, {0, 2}, {0, 2}},
		"instances: [u10-m34, k3-asymmetric]":             {nil, nil, {1}, {1}},
		"instances: {recsys: [u10-m34, u1-m12]}":          {nil, nil, {1, 2}, {1, 2}},
		"instances: {recsys: [u18-m15, u10-m34]}":         nil, // the first ones
		"instances: {exchange: 1, recsys: ['u1-m12']}":    {nil, nil, {2}, {2}},
		"instances: {exchange: [k3-asymmetric]}":          nil,
		"instances: {recsys: [u1-m12]}\nreplicates: 2 # ": {nil, nil, {2}, {2}},
	} {
		c := parse(t, strings.Replace(twoTasks, "replicates: 2\n", "", 1)+text+"\n").Campaign
		if !reflect.DeepEqual(c.Chosen, want) || !c.HasSoundInstances() {
			t.Errorf("%s chooses %v, want %v", text, c.Chosen, want)
		}
		for n := range c.Size() {
			cell := c.Cell(n)
			if list := want; list != nil && list[cell.Condition] != nil && !slices.Contains(list[cell.Condition], cell.Instance) {
				t.Errorf("%s runs instance %d of condition %d", text, cell.Instance, cell.Condition)
			}
		}
		var back plan.Campaign
		data, err := json.Marshal(c)
		if err != nil || json.Unmarshal(data, &back) != nil || back.Revision() != c.Revision() {
			t.Errorf("%s is not read back: %v", text, err)
		}
	}
	only := parse(t, strings.Replace(twoTasks, "env: [exchange, ", "env: [", 1)+"instances: [u1-m12]\n").Campaign
	if !reflect.DeepEqual(only.Chosen, plan.Chosen{{2}, {2}}) || only.Size() != 4 {
		t.Errorf("the choice is %v, of %d cells", only.Chosen, only.Size())
	}
	small := parse(t, twoTasks+"instances: {recsys: [u1-m12]}\n").Campaign
	more := parse(t, twoTasks+"instances: {recsys: [u10-m34, u1-m12]}\n").Campaign
	other := parse(t, twoTasks+"instances: {recsys: [u10-m34]}\n").Campaign
	for name, diff := range map[string][]string{"more": more.Extends(small), "all": whole.Extends(small)} {
		if len(diff) > 0 {
			t.Errorf("%s is not an extension: %v", name, diff)
		}
	}
	if diff := other.Extends(small); len(diff) != 1 || !strings.HasSuffix(diff[0], " were chosen that are not chosen now; the choice can only grow") {
		t.Errorf("another choice: %v", diff)
	}
	if diff := small.Extends(more); len(diff) != 1 || !strings.HasSuffix(diff[0], " was 2 and is 1; it can only grow") {
		t.Errorf("a smaller choice: %v", diff)
	}
}

func TestChosenInstanceErrors(t *testing.T) {
	for text, want := range map[string]string{
		"instances: [u1-m12, b]":               "line 9: instances: the environment exchange has none of these instances; it has k3-asymmetric",
		"instances: {recsys: [u1-m2, u1-m12]}": `line 9: instances.recsys: unknown instance "u1-m2"; expected one of u1-m12, u10-m11, u10-m34 and 6 more; did you mean u1-m12?`,
		"instances: {recsys: []}":              "line 9: instances.recsys: is an empty list; name at least one instance",
		"instances: {recsys: [[a], a, a]}":     "line 9: instances.recsys[0]: a list is not an id of an instance\nline 9: instances.recsys[2]: \"a\" is there twice",
	} {
		if got := errorsOf(t, twoTasks+text+"\n").Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	pinErrors(t, strings.NewReplacer("exchange", "publicgoods", "trader", "cooperator").Replace(minimal)+"instances: [a]\n",
		"line 6: instances: the environment publicgoods deals as many instances as are asked for; give their number")
}
