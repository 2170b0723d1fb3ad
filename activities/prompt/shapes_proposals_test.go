package prompt_test

import (
	"testing"
	"testing/fstest"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/allocation"
	"roundtable/envs/consensus"
	"roundtable/envs/exchange"
	"roundtable/envs/menu"
	"roundtable/envs/publicgoods"
	"roundtable/envs/qa"
	"roundtable/workflows/transcript"
)

// proposingInstances are what proposals of these tests are for.
func proposingInstances(t *testing.T) map[string]envs.Instance {
	plane := consensus.Defaults()
	plane.Dimension = 2
	open := qa.Defaults()
	open.Format, open.File, open.Kind = "jsonl", "q.jsonl", qa.Text
	return map[string]envs.Instance{
		"goods": economy(t), "riches": dealt(t, must(exchange.New(exchange.Params{Agents: 2, Quantity: exchange.Quantity{3000, 100}}))), "menu": dealt(t, must(menu.New(menu.Defaults()))), "tasks": dealt(t, must(allocation.New(allocation.Defaults()))),
		"line": dealt(t, must(consensus.New(consensus.Defaults()))), "plane": dealt(t, must(consensus.New(plane))),
		"give": dealt(t, must(publicgoods.New(publicgoods.Defaults()))), "stars": dealt(t, movies(tiny())),
		"open": dealt(t, must(qa.New(open, fstest.MapFS{"q.jsonl": {Data: []byte(`{"id":"q","question":"Which city?","answer":"Warsaw"}`)}}))),
	}
}

// Proposals in other shapes, with what a person reads in each and how it is said to have been
// read; "-" where it cannot be told, or a second reading is possible.
func TestShapesOfProposals(t *testing.T) {
	instances := proposingInstances(t)
	const half = `{"Alex":{"apples":40,"bread":50},"Blake":{"apples":60,"bread":50}}`
	const given = `{"Alex":1,"Blake":2,"Casey":3,"Drew":4}`
	const two = `{"Run the pilot study":"agent_1","Publish the code":"agent_0"}`
	checkReadings(t, instances, []reading{
		{"goods", half, "json", `{"proposal": ` + half + `}`},
		{"goods", half, "json, repaired: list of objects", `{"proposal": [{"agent": "Alex", "apples": 40, "bread": 50}, {"agent": "Blake", "apples": 60, "bread": 50}]}`},
		{"goods", half, "json, repaired: list of objects", `{"proposal": [{"name": "Blake", "goods": {"apples": 60, "bread": 50}, "reason": "x"}, {"name": "Alex", "goods": {"apples": 40, "bread": 50}}]}`},
		{"goods", half, "json, repaired: list of pairs", `{"proposal": [["Alex", {"apples": 40, "bread": 50}], ["Blake", {"apples": 60, "bread": 50}]]}`},
		{"goods", half, "json, repaired: list of pairs", `{"proposal": {"Alex": [["apples", 40], ["bread", 50]], "Blake": [["apples", 60], ["bread", 50]]}}`},
		{"goods", half, "json, repaired: object around it", `{"proposal": {"proposal": ` + half + `}}`},
		{"goods", half, "json, repaired: object around it", `{"proposal": {"allocation": ` + half + `, "reason": "fair"}}`},
		{"goods", half, "json, repaired: names", `{"proposal": {"alex": {"Apples": 40, "BREAD": 50}, "Blake ": {"apples": 60, "bread": 50}}}`},
		{"goods", half, "json, repaired: names", `{"Proposal": ` + half + `}`},
		{"goods", half, "json, repaired: names", `{"reason_for_decision": "x", "offer": ` + half + `}`},
		{"goods", half, "json, repaired: proposal without an object", half},
		{"goods", half, "json, repaired: proposal without an object", "My offer:\n```json\n" + half + "\n```"},
		{"goods", half, "json, repaired: number in words", `{"proposal": {"Alex": {"apples": "40", "bread": "50 units"}, "Blake": {"apples": "60 apples", "bread": "50 units of bread"}}}`},
		{"goods", half, "json, repaired: object around it", `{"proposal": {"Alex": {"apples": {"amount": 40}, "bread": 50}, "Blake": {"apples": 60, "bread": {"quantity": 50}}}}`},
		{"goods", half, "json, repaired: sums", `{"proposal": {"Alex": {"apples": 40, "bread": 50}, "Blake": {"apples": 60, "bread": 50}, "total": {"apples": 100, "bread": 100}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": 40, "bread": 50}, "Blake": {"apples": 60, "bread": 50}, "total": {"apples": 90, "bread": 100}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": 40, "bread": 50}, "Blake": {"apples": 60, "bread": 50}, "rejected": {"apples": 0}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": "40%", "bread": "50%"}, "Blake": {"apples": "60%", "bread": "50%"}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": "between 30 and 40", "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": "30-40", "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": "about 40", "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": "40,0", "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": "40/100", "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": "4 dozen", "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": 40, "bread": 50}, "alex": {"apples": 60, "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": [{"agent": "Alex", "partner": "Blake", "apples": 40, "bread": 50}]}`},
		{"goods", "-", "", `{"proposal": [{"agent": "Alex", "apples": 40, "bread": 50}, {"agent": "Alex", "apples": 60, "bread": 50}]}`},
		{"goods", "-", "", `{"proposal": [{"giver": "Alex", "apples": 40, "bread": 50}, {"giver": "Blake", "apples": 60, "bread": 50}]}`},
		{"goods", half, "json, repaired: list of objects", `{"proposal": {"Alex": [{"good": "apples", "amount": 40}, {"good": "bread", "amount": 50}], "Blake": [{"item": "apples", "quantity": 60}, {"item": "bread", "quantity": 50}]}}`},
		{"goods", half, "json, repaired: list of objects", `{"proposal": [{"Recipient": "Alex", "apples": 40, "bread": 50}, {"Recipient": "Blake", "apples": 60, "bread": 50}]}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"offer": {"apples": 40, "bread": 50}}, "Blake": {"offer": {"apples": 60, "bread": 50}}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"contributions": {"apples": 40, "bread": 50}}, "Blake": {"contributions": {"apples": 60, "bread": 50}}}}`},
		{"goods", "-", "", `{"contributions": ` + half + `}`}, {"goods", "-", "", `{"proposal": {"contributions": ` + half + `}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": {"contribution": 40}, "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", half, "json, repaired: object around it", `{"proposal": {"Alex": {"gets": {"apples": 40, "bread": 50}}, "Blake": {"goods": {"apples": 60, "bread": 50}}}}`},
		{"riches", `{"Alex":{"apples":1250,"bread":50},"Blake":{"apples":1750,"bread":50}}`, "json, repaired: number in words", `{"proposal": {"Alex": {"apples": "1,250", "bread": 50}, "Blake": {"apples": "1,750", "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": [[40, 50], [60, 50]]}`}, {"goods", "-", "", `{"proposal": [{"agent": "Alex", "apples": 40, "bread": 50}]}`},
		{"goods", "-", "", `{"rejected_proposal": ` + half + `}`}, {"goods", "-", "", `{"offer": ` + half + `, "counteroffer": ` + half + `}`},
		{"goods", "-", "", `For example ` + half + ` would be unfair.`}, {"goods", "-", "", `{"offer": ` + half + `, "accept": false}`},
		{"goods", "-", "", `{"proposal": {"Alex": "40 apples", "Alex ": "50 bread", "Blake": "60 apples, 50 bread"}}`},
		{"goods", half, "json, repaired: number in words", `{"proposal": {"Alex": "40 apples, 50 bread", "Blake": "60 apples and 50 units of bread"}}`},

		{"give", given, "json", `{"proposal": ` + given + `}`},
		{"give", given, "json, repaired: list of objects", `{"proposal": [{"agent": "Alex", "contribution": 1}, {"agent": "Blake", "contribution": 2}, {"agent": "Casey", "amount": 3}, {"agent": "Drew", "contribution": 4}]}`},
		{"give", given, "json, repaired: list of pairs, names, number in words", `{"contributions": [["Alex", "1"], ["Blake", "2 tokens"], ["Casey", 3], ["Drew", 4]]}`},
		{"give", given, "json, repaired: sums", `{"proposal": {"Alex": 1, "Blake": 2, "Casey": 3, "Drew": 4, "Total": 10}}`},
		{"give", "-", "", `{"proposal": {"Alex": 1, "Blake": 2, "Casey": 3, "Drew": 4, "Total": 12}}`},
		{"give", "-", "", `{"proposal": [{"agent": "Alex", "keeps": 1}, {"agent": "Blake", "keeps": 2}, {"agent": "Casey", "keeps": 3}, {"agent": "Drew", "keeps": 4}]}`},
		{"give", "-", "", `{"proposal": [1, 2, 3, 4]}`}, {"give", "-", "", `{"proposal": {"Alex": "yes", "Blake": 2, "Casey": 3, "Drew": 4}}`},
		{"give", "-", "", `{"proposal": 10}`},

		{"tasks", two, "json", `{"proposal": ` + two + `}`},
		{"tasks", two, "json, repaired: list of objects", `{"proposal": [{"task": "Run the pilot study", "agent": "agent_1"}, {"task": "Publish the code", "agent": "agent_0"}]}`},
		{"tasks", two, "json, repaired: list of pairs, names", `{"proposal": [["run the pilot study", "Agent 1"], ["Publish the code", "agent_0"]]}`},
		{"tasks", two, "json, repaired: object around it", `{"proposal": {"assignments": ` + two + `}}`},
		{"tasks", two, "json, repaired: object around it", `{"proposal": {"Run the pilot study": {"assignee": "agent_1"}, "Publish the code": {"agent": "agent_0", "reason": "x"}}}`},
		{"tasks", two, "json", `{"proposal": {"Run the pilot study": "agent_1", "Publish the code": "agent_0", "Write the discussion": null}}`},
		{"tasks", two, "json, repaired: names", `{"assignment": ` + two + `}`},
		{"tasks", "-", "", `{"proposal": {"Run the pilot study": {"not": "agent_1"}}}`}, {"tasks", "-", "", `{"proposal": {"Run the pilot study": "agent_1 or agent_2"}}`},
		{"tasks", "-", "", `{"proposal": {"Run the pilot study": ["agent_1", "agent_2"]}}`}, {"tasks", "-", "", `{"proposal": {"agent_1": ["Run the pilot study"], "agent_0": ["Publish the code"]}}`},
		{"tasks", "-", "", `{"proposal": [{"task": "Run the pilot study", "agent": "agent_1"}, {"task": "Run the pilot study", "agent": "agent_0"}]}`},
		{"tasks", "-", "", `{"reason_for_decision": "x"}`}, {"tasks", "-", "", `{}`}, {"tasks", "{}", "json", `{"proposal": {}}`},
		{"tasks", "-", "", `{"proposal": [{"rejected_task": "Run the pilot study", "agent": "agent_1"}]}`}, {"tasks", "-", "", `{"proposal": [{"task": "Run the pilot study", "rejected_agent": "agent_1"}]}`},
		{"tasks", "-", "", `{"proposal": {"Run the pilot study": 1}}`}, {"tasks", "-", "", `{"proposal": {"Walk the dog": "agent_1"}}`},

		{"menu", `["Tomato and egg","Coconut rice"]`, "json", `{"proposal": ["Coconut rice", "Tomato and egg"]}`},
		{"menu", `["Tomato and egg","Coconut rice"]`, "json, repaired: list in words", `{"proposal": "Tomato and egg, Coconut rice"}`},
		{"menu", `["Tomato and egg","Coconut rice"]`, "json, repaired: object around it", `{"proposal": {"dishes": ["Tomato and egg", "Coconut rice"]}}`},
		{"menu", `["Tomato and egg","Coconut rice"]`, "json, repaired: object around it", `{"proposal": [{"name": "Tomato and egg"}, {"dish": "Coconut rice", "reason": "x"}]}`},
		{"menu", `["Tomato and egg","Coconut rice"]`, "json, repaired: names", `{"menu": ["tomato and egg", "Coconut rice"]}`},
		{"menu", "-", "", `{"proposal": {"Tomato and egg": true, "Coconut rice": true}}`}, {"menu", "-", "", `{"proposal": "Tomato and egg and Coconut rice"}`},
		{"menu", "-", "", `{"proposal": {"dishes": ["Coconut rice"], "without": ["Tomato and egg"]}}`}, {"menu", "-", "", `{"proposal": ["Coconut rice", "Coconut rice"]}`},
		{"menu", "-", "", `{"proposal": ["Coconut rice", "-Tomato pasta"]}`}, {"tasks", "-", "", `{"proposal": {"Run the pilot study": "-agent_1"}}`},
		{"menu", "-", "", `{"proposal": {"Coconut rice": 2}}`}, {"menu", "-", "", `{"proposal": 5}`}, {"menu", "-", "", `{"proposal": true}`}, {"menu", "-", "", `{"proposal": [{"dish": "Coconut rice", "include": false}]}`},

		{"line", "[57]", "json", `{"proposal": [57]}`}, {"line", "[57]", "json", `{"proposal": "57"}`}, {"line", "[57]", "json, repaired: object around it", `{"proposal": {"position": 57}}`},
		{"line", "[57]", "json, repaired: axes", `{"proposal": {"x": 57}}`}, {"line", "[57]", "json, repaired: names", `{"position": [57]}`},
		{"line", "-", "", `{"proposal": ["1,250"]}`}, {"line", "-", "", `{"proposal": "1,250"}`}, {"line", "[1250]", "json, repaired: number in words", `{"proposal": ["1,250.0 units"]}`},
		{"line", "[57]", "json, repaired: number in words", `{"proposal": ["57"]}`}, {"line", "-", "", `{"proposal": ["far"]}`}, {"line", "-", "", `{"proposal": {"from": 57}}`}, {"line", "-", "", `{"proposal": [57, 58]}`},
		{"plane", "[3,4]", "json, repaired: axes", `{"proposal": {"x": 3, "y": 4}}`}, {"plane", "[3,4]", "json, repaired: axes", `{"proposal": {"Y": 4, "X": 3}}`},
		{"plane", "-", "", `{"proposal": {"x": 3}}`}, {"plane", "-", "", `{"proposal": {"a": 3, "b": 4}}`}, {"plane", "-", "", `{"proposal": 3}`},

		{"stars", `{"rating":4}`, "json", `{"proposal": {"rating": 4}}`}, {"stars", `{"rating":4}`, "json", `{"proposal": 4}`},
		{"stars", `{"rating":4}`, "json, repaired: number in words", `{"proposal": {"rating": "4 stars"}}`}, {"stars", `{"rating":4.5}`, "json, repaired: number in words", `{"proposal": {"rating": "4.5/5"}}`},
		{"stars", `{"rating":4}`, "json, repaired: number in words", `{"proposal": {"rating": "4 out of 5 stars"}}`}, {"stars", `{"rating":4}`, "json, repaired: names", `{"rating": 4}`},
		{"stars", "-", "", `{"proposal": {"rating": "4/10"}}`}, {"stars", "-", "", `{"proposal": {"rating": "3 to 4"}}`}, {"stars", "-", "", `{"proposal": {"rating": 9}}`},
		{"stars", "-", "", `{"proposal": {"rating": 4, "confidence": 0.4}}`}, {"stars", "-", "", `{"proposal": {"rating": "80%"}}`}, {"stars", "-", "", `{"rating": 4, "score": 2}`},
	})
}

// reading is what a person reads in an answer, "-" if it cannot be told, and how it is read.
type reading struct{ env, want, readAs, text string }

func checkReadings(t *testing.T, instances map[string]envs.Instance, all []reading) {
	t.Helper()
	for _, x := range all {
		a, err := prompt.Parse([]byte(x.text), step(transcript.FormatProposal, none), instances[x.env])
		got := string(a.Proposal)
		if err != nil {
			got = "-"
		}
		want := x.want
		if p, err := instances[x.env].Parse([]byte(want)); err == nil {
			want = string(p) // in the environment's order
		}
		if got != want || err == nil && a.ReadAs != x.readAs {
			t.Errorf("%s %s\nis read as %s (%s), %v; want %s (%s)", x.env, x.text, got, a.ReadAs, err, want, x.readAs)
		}
	}
}
