package campaignfile_test

import (
	"strings"
	"testing"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/plan"
)

// Each control of each group is a condition that is the same but for it; who is asked once
// and alone has none, and neither has a baseline.
func TestControls(t *testing.T) {
	without, err := parseAsked(asked + "baselines: [single]\n")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parseAsked(asked + "baselines: [single]\ncontrols: [same, alone]\n")
	if err != nil {
		t.Fatal(err)
	}
	all, before := file.Campaign.Conditions, len(without.Campaign.Conditions)
	if len(all) != before+8 {
		t.Fatalf("%d conditions, want 8 more than %d", len(all), before)
	}
	groups := []int{0, 1, 4, 5} // 2 and 3 are asked once
	for i, c := range all[before:] {
		of := groups[i%4]
		want := all[of]
		want.Control = campaignfile.Controls()[i/4]
		if c.ID() != want.ID() || file.Campaign.Instances[before+i] != file.Campaign.Instances[of] || file.Rounds[before+i] != file.Rounds[of] {
			t.Errorf("condition %d is %+v, want %+v", before+i, c, want)
		}
	}
	if a, b := all[0].Draws(3), all[before].Draws(3); a != 3 || b <= 1000 || all[before+4].Draws(3) != 3 {
		t.Errorf("answers of replicate 3 are drawn by %d, and of the same anew by %d", a, b)
	}
	names, rows := file.Columns()
	if last := len(names) - 1; names[last] != "control" || rows[before][last] != "same" || rows[0][last] != "" {
		t.Errorf("columns are %v, rows %v", names, rows)
	}
	if diff := file.Campaign.Extends(without.Campaign); len(diff) > 0 {
		t.Errorf("controls cannot be added to a campaign: %v", diff)
	}
}

// Strangers come from all instances of the data but the cell's own, and which ones does not
// depend on how many the campaign runs.
func TestStrangersInstance(t *testing.T) {
	few, many := plan.Campaign{Seed: 3, Instances: []int{2}}, plan.Campaign{Seed: 3, Instances: []int{9}}
	seen := map[int]int{}
	for replicate := range 50 {
		for n := range 6 {
			cell := plan.Cell{Instance: 1, Replicate: replicate}
			i := few.StrangersInstance(cell, n, 9)
			if seen[i]++; i == 1 || i < 0 || i >= 9 || i != many.StrangersInstance(cell, n, 9) {
				t.Fatalf("the stranger of a cell of instance 1 answers %d", i)
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("strangers come from %v, want all 8 others", seen)
	}
	if i := few.StrangersInstance(plan.Cell{}, 0, 2); i != 1 {
		t.Errorf("of two instances the other one is 1, not %d", i)
	}
	if i := few.StrangersInstance(plan.Cell{}, 0, 0); i < 1 {
		t.Errorf("without an end of instances, %d", i)
	}
}

func TestControlErrors(t *testing.T) {
	for controls, want := range map[string]string{
		"same":                        `controls: "same" is not a list; expected same, alone or strangers`,
		"[]":                          "controls: is an empty list",
		"[same, both]":                `controls[1]: "both" is not a control; expected same, alone or strangers`,
		"[same, alone, same]":         `controls[2]: "same" is there twice`,
		"[{alone: true}]":             "controls[0]: a mapping is not a control",
		"[same]\ngrid2: {control: 1}": "unknown key",
	} {
		if _, err := parseAsked(asked + "controls: " + controls + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", controls, err, want)
		}
	}
	debates := strings.Replace(asked, "    - {name: discussion, rounds: 4}\n", "", 1)
	for change, want := range map[string]string{
		"models: {Agent 2: scripted/other}\n": "strangers are asked of the one model",
		"\n":                                  "",
	} {
		_, err := parseAsked(strings.Replace(debates, "models: {Agent 2: scripted/other}\n", change, 1) + "controls: [strangers]\n")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", change, err, want)
		}
	}
	alone := strings.Replace(debates, "    - {label: long, value: {name: debate, rounds: 2, chain_of_thought: false}}\n", "", 1)
	if _, err := parseAsked(alone + "controls: [same]\n"); err == nil || !strings.Contains(err.Error(), "there is nothing to compare") {
		t.Errorf("of agents alone: %v", err)
	}
}

// Strangers stand for texts that could be anybody's. Where an agent would have to decide with one, or hears no
// texts, they are refused with the reason.
func TestStrangersAreRefused(t *testing.T) {
	const (
		proposals  = "messages go there with proposals that the group votes on"
		discussion = "data: folder\nenv: {name: qa, format: csv, file: q.csv, kind: yesno, agents: 3}\nmodel: scripted/answerer\n"
	)
	for keys, want := range map[string]string{
		"env: {name: exchange, agents: 3}\nmodel: scripted/trader\nprotocol: {name: roundtable}\nrule: majority\n": "roundtable: " + proposals,
		"env: {name: menu}\nmodel: scripted/sharer\nprotocol: {name: deliberation}\nrule: unanimous\n":             "deliberation: " + proposals,
		discussion + "protocol: discussion\nrule: majority_consensus\n":                                            "discussion: by its rule agents decide by agreeing with each other's drafts",
		discussion + "protocol: {name: discussion, collective: true}\nrule: plurality\n":                           "discussion: with collective: true they are shown final answers alone",
		discussion + "protocol: {name: discussion, extract: false}\nrule: plurality\n":                             "discussion: with extract: false an agent's solution can be the draft",
		discussion + "protocol: {name: discussion, challenge: history}\nrule: plurality\n":                         "discussion: with a challenge they are shown the group's solution",
		discussion + "protocol: discussion\nrule: plurality\n":                                                     "",
		"env: publicgoods\nmodel: scripted/cooperator\nprotocol: {name: delphi, rounds: 2}\n":                      "delphi: agents are told medians and quartiles there, and hear no texts",
		"env: {name: consensus, agents: 3}\nmodel: scripted/average\nprotocol: {name: consensus, rounds: 2}\n":     "consensus: agents see positions there, and hear no texts",
	} {
		_, err := parseAsked("name: a\n" + keys + "controls: [strangers]\n")
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", keys, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), "agents cannot hear strangers in the protocol "+want) || !strings.Contains(err.Error(), "in debate, and in discussion with a vote, they can, and same and alone go with it") {
			t.Errorf("%s: %v, want %s", keys, err, want)
		}
		if _, err := parseAsked("name: a\n" + keys + "controls: [same, alone]\n"); err != nil {
			t.Errorf("%s: the other controls: %v", keys, err)
		}
	}
}
