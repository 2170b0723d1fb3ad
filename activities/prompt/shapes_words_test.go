package prompt_test

import (
	"testing"
)

// Proposals without JSON, and slips of numbers in it, with what a person reads in each; "-" where no
// amounts are stated, or what is around them may say anything of them.
func TestProposalsInWords(t *testing.T) {
	instances := proposingInstances(t)
	const half = `{"Alex":{"apples":40,"bread":50},"Blake":{"apples":60,"bread":50}}`
	const given = `{"Alex":1,"Blake":2,"Casey":3,"Drew":4}`
	const two = `{"Run the pilot study":"agent_1","Publish the code":"agent_0"}`
	const dishes = `["Tomato and egg","Coconut rice"]`
	checkReadings(t, instances, []reading{
		{"goods", half, "table", "| | apples | bread |\n|---|---|---|\n| Alex | 40 | 50 |\n| Blake | 60 | 50 |"},
		{"goods", half, "table", "### My proposal\n\n| Agent | Apples | Bread |\n|:--|--:|--:|\n| **Alex** | 40 | 50 |\n| **Blake** | 60 | 50 |\n"},
		{"goods", half, "table", "Here is my final proposal:\n| Good | Alex | Blake | Total |\n|---|---|---|---|\n| apples | 40 | 60 | 100 |\n| bread | 50 | 50 | 100 |\nReason: it is fair."},
		{"goods", half, "table", "Agent | apples | bread\n--- | --- | ---\nAlex | 40 apples | 50\nBlake | 60 apples | 50\nTotal | 100 | 100"},
		{"goods", "-", "", "| | apples | bread |\n|---|---|---|\n| Alex | 40 | 50 |\n| Blake | 60 | 50 |\n| Total | 90 | 100 |"},
		{"goods", "-", "", "| Rejected | apples | bread |\n|---|---|---|\n| Alex | 40 | 50 |\n| Blake | 60 | 50 |"},
		{"goods", "-", "", "We have now:\n| | apples | bread |\n|---|---|---|\n| Alex | 40 | 50 |\n| Blake | 60 | 50 |"},
		{"goods", "-", "", "| | apples | bread |\n|---|---|---|\n| Alex | 40 | 50 |\n| Blake | 60 | 50 |\nThis would be unfair."},
		{"goods", "-", "", "| | apples | bread |\n|---|---|---|\n| Alex | 40 |\n| Blake | 60 | 50 |"},
		{"goods", "-", "", "| | apples | bread |\n|---|---|---|\n| Alex | 40 | 50 |\n| Alex | 60 | 50 |"},
		{"goods", half, "lines", "- Alex: 40 apples, 50 bread\n- Blake: 60 apples, 50 bread"},
		{"goods", half, "lines", "My offer:\n* **Alex:** 40 apples and 50 units of bread\n* **Blake:** apples: 60, bread: 50."},
		{"goods", half, "lines", "**Alex**:\n- apples: 40\n- bread: 50\n\n**Blake**:\n- apples: 60\n- bread: 50"},
		{"goods", half, "lines", "```yaml\nreason_for_decision: it is fair\nproposal:\n  Alex:\n    apples: 40\n    bread: 50\n  Blake:\n    apples: 60\n    bread: 50\n```"},
		{"goods", half, "lines", "1. Alex -> 40 apples; 50 bread\n2. Blake -> 60 apples; 50 bread"},
		{"goods", half, "lines", "Alex: ４０ apples, 50 bread\nBlake: ６０ apples, 50 bread"},
		{"goods", "-", "", "- Alex: 40 apples, 50 bread\n- Blake: the rest"}, {"goods", "-", "", "- Alex: half of everything\n- Blake: half of everything"},
		{"goods", "-", "", "- Alex: 40 apples or 50 bread\n- Blake: 60 apples, 50 bread"}, {"goods", "-", "", "- Alex: not 40 apples, 50 bread\n- Blake: 60 apples, 50 bread"},
		{"goods", "-", "", "I reject this:\n- Alex: 40 apples, 50 bread\n- Blake: 60 apples, 50 bread"}, {"goods", "-", "", "Alex: about 40 apples, 50 bread\nBlake: 60 apples, 50 bread"},
		{"goods", "-", "", "Alex gives Blake 10 apples."}, {"goods", "-", "", "- Alex: 40 apples, 50 bread\n- Blake: 60 apples, 50 bread\nBut I disagree."},
		{"goods", "-", "", "- Alex: 40 apples, 50 bread, 3 apples\n- Blake: 60 apples, 50 bread"}, {"goods", "-", "", "Let us split evenly."},
		{"goods", "-", "", "- Alex: 40 apples, 50 bread\n- Blake: 60 apples, 50 bread\n- Alex: 50 apples, 50 bread"},
		{"riches", `{"Alex":{"apples":1250,"bread":50},"Blake":{"apples":1750,"bread":50}}`, "lines", "Alex: 1,250 apples, 50 bread\nBlake: 1,750 apples, 50 bread"},
		{"riches", "-", "", "Alex: 1.250 apples, 50 bread\nBlake: 1.750 apples, 50 bread"},

		{"give", given, "table", "| Agent | Contribution |\n|---|---|\n| Alex | 1 |\n| Blake | 2 tokens |\n| Casey | 3 |\n| Drew | 4 |"},
		{"give", "-", "", "| Agent | Keeps |\n|---|---|\n| Alex | 1 |\n| Blake | 2 |\n| Casey | 3 |\n| Drew | 4 |"},
		{"give", given, "lines", "Contributions:\n- Alex: 1\n- Blake: 2 tokens\n- Casey: 3\n- Drew: 4"}, {"give", "-", "", "- Alex keeps: 1\n- Blake: 2\n- Casey: 3\n- Drew: 4"},
		{"tasks", two, "table", "| Task | Agent |\n|---|---|\n| Run the pilot study | agent_1 |\n| Publish the code | agent_0 |"},
		{"tasks", two, "lines", "- Run the pilot study: agent_1\n- Publish the code → agent_0"}, {"tasks", "-", "", "- Run the pilot study: agent_1 or agent_0"},
		{"tasks", "-", "", "- agent_1: Run the pilot study\n- agent_0: Publish the code"},
		{"menu", dishes, "lines", "- Tomato and egg\n- Coconut rice"}, {"menu", dishes, "lines", "Menu:\n1. Coconut rice\n2. Tomato and egg"},
		{"menu", dishes, "lines", "Tomato and egg, Coconut rice"}, {"menu", "-", "", "Not these:\n- Tomato and egg\n- Coconut rice"}, {"menu", "-", "", "- Tomato and egg\n- no Coconut rice"},
		{"menu", "-", "", "- Tomato and egg: yes\n- Coconut rice: no"},
		{"line", "[57]", "lines", "57"}, {"line", "[57]", "lines", "My position is 57."}, {"line", "-", "", "between 50 and 57"}, {"line", "-", "", "1. 57"}, {"line", "-", "", "- 57"}, {"line", "-", "", "I move from 57 to 60."},
		{"plane", "[3,4]", "lines", "x: 3\ny: 4"}, {"stars", `{"rating":4}`, "lines", "Rating: 4/5"}, {"stars", `{"rating":4.5}`, "lines", "4.5 stars"}, {"stars", "-", "", "4/10"}, {"stars", "-", "", "three stars"},
		{"stars", "-", "", "Not 4 stars"}, {"goods", "-", "", "None"},
		{"open", "-", "", "I cannot decide yet; let the others speak first."}, {"open", "-", "", "Proposal: I refuse to answer."}, {"open", `"warsaw"`, "json", `{"proposal": "Warsaw"}`},

		{"goods", half, "json, repaired: comment, trailing comma", "{\"proposal\": {\"Alex\": {\"apples\": 40, \"bread\": 50,}, // fair\n\"Blake\": {\"apples\": 60, \"bread\": 50}}}"},
		{"goods", half, "json, repaired: quotes", "{'proposal': {'Alex': {'apples': 40, 'bread': 50}, 'Blake': {'apples': 60, 'bread': 50}}}"},
		{"goods", half, "json", "Sure! I propose {\"proposal\": " + half + "}. It is fair."},
		{"goods", "-", "", "{\"proposal\": " + half + "} or {\"proposal\": {\"Alex\":{\"apples\":60,\"bread\":50},\"Blake\":{\"apples\":40,\"bread\":50}}}"},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": 80/2, "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": 1,040, "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": 040, "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", "-", "", `{"proposal": {"Alex": {"apples": 40%, "bread": 50}, "Blake": {"apples": 60, "bread": 50}}}`},
		{"goods", half, "json, repaired: number in words", `{"proposal": {"Alex": {"apples": "４０", "bread": 50}, "Blake": {"apples": "60.0", "bread": 50}}}`},
		{"line", "-", "", `{"proposal": ["1/2"]}`}, {"line", "-", "", `{"proposal": "vierzig"}`}, {"line", "-", "", `{"proposal": ["40,5"]}`},
	})
}
