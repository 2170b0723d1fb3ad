package prompt_test

import (
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/workflows/transcript"
)

// Thinking is private in every form in which models write it: it is neither said nor read,
// and it is kept.
func TestThinking(t *testing.T) {
	const thought = `Maybe the answer is (A). I could write {"decision": 1} first.`
	pairs := [][2]string{
		{"<think>", "</think>"}, {"<think>\n", "\n</think>\n\n"}, {"<THINK>", "</Think>"}, {"<thinking>", "</thinking>"}, {"<thought>\n", "</thought>\n"}, {"<thoughts>", "</thoughts>"},
		{"<reasoning>", "</reasoning>"}, {"<reflection>", "</reflection>"}, {"<scratchpad>", "</scratchpad>"}, {"<analysis>", "</analysis>"}, {"<inner_monologue>", "</inner_monologue>"},
		{"<mm:think>", "</mm:think>\n"}, {"<seed:think>", "</seed:think>"}, {"<antThinking>", "</antThinking>"}, {`<think time="3">`, "</think>"}, {"[THINK]", "[/THINK]"},
		{"◁think▷", "◁/think▷"}, {"<|channel>thought\n", "<channel|>"}, {"<unused94>thought\n", "<unused95>"}, {"<|begin_of_thought|>", "<|end_of_thought|>"},
		{"<|START_THINKING|>", "<|END_THINKING|>"}, {"<|inner_prefix|>", "<|inner_suffix|>"}, {"<|think|>", "<|end|>"}, {`<details type="reasoning" done="true">`, "</details>"},
		{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"},
		{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>"},
		{"analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"},
		{"<|channel|>commentary<|message|>", "<|end|><|channel|>final<|message|>"}, {"analysis", "assistantfinal"},
		{"<longcat_think>", "</longcat_think>"}, {"<think:opensource>", "</think:opensource>"}, {"<ifm|think_fast>", "</ifm|think_fast>"},
		{"Here is my thought process:\n\n", "\n\nHere is my response:\n\n"}, {"Here's my thought process:", "Here's my response:"},
		{"assistantanalysis", "assistantfinal"}, {"commentary", "assistantfinal"},
		{"<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"}, {"<|START_THINKING|>", "<|END_THINKING|><|START_TEXT|>"}, {"", "<|END_THINKING|><|START_TEXT|>"},
		{"<|begin_of_thought|>", "<|end_of_thought|>\n\n<|begin_of_solution|>"}, {"<think>", "</think><|begin_of_box|>"},
		{"<|think|>", "<|end|><|begin|>assistant<|content|>"}, {"<think>\n", "\n</think>\n\n<response>\n"}, {"<Thought>", "</Thought>\n<Output>\n"},
		{"<internal_reasoning>", "</internal_reasoning>"}, {"<deepthink>", "</deepthink>"}, {"<hidden_thoughts>", "</hidden_thoughts>"}, {"<self_reflection>", "</self_reflection>"}, {"<thoughtprocess>", "</thoughtprocess>"},
		{"<think >", "</ think>"}, {"< think >", "< /think >"}, {"＜think＞", "＜/think＞"}, {"&lt;think&gt;", "&lt;/think&gt;"}, {"<|think_on|><think>", "</think>"},
		{"<|thinking_start|>", "<|thinking_end|>"}, {"<|begin_of_thinking|>", "<|end_of_thinking|>"}, {"<|thought|>", "<|/thought|>"}, {"Thinking...\n", "\n...done thinking.\n\n"},
		{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|message|>"},
		{"```thinking\n", "\n```\n\n"}, {"*Thinking...*\n\n> ", "\n\n"}, {"> *Thinking…*\n> ", "\n> And more.\n\n"},
		{"", "</think>"}, {"", "</mm:think>\n"}, {"", "[/THINK]"}, {"<think>a<think>b</think>", "</think>"}, {"Well. <think>", "</think>"},
	}
	answer := step(transcript.FormatAnswer, none)
	ballot := step(transcript.FormatBallot, choose)
	for _, p := range pairs {
		for _, end := range []string{"", "<|im_end|>", "<|eot_id|>\n(A)", "</s>", "<end_of_turn>\n<start_of_turn>user\nThe answer is (A).", "<|endoftext|>The answer is (A).",
			"<|END_RESPONSE|>", "<|END_TEXT|>", "<|end_of_solution|>", "<|end_of_box|>", "<|flush|>", "</longcat_s>", "[|endofturn|]", "[e~[", "<SPECIAL_12>", "<seed:eos>",
			"<|eom|>", "<|observation|>", "<|header_start|>user", "<|im_user|>", "<|role_end|>", "<|plamo:eos|>", "<eoa>", "<extra_id_1>User\n(A)", "<｜hy_EOT｜>", "[UNUSED_TOKEN_145]", "<reserved_106>", "[EOS]", "<role>HUMAN</role>", "<|tool_calls_section_begin|>", "<|im_end",
		} {
			got, err := prompt.Parse([]byte(p[0]+thought+p[1]+"The answer is (B)."+end), answer, puzzle(t))
			if err != nil || string(got.Proposal) != `"(B)"` || strings.Contains(got.Text, "(A)") || strings.ContainsAny(got.Text, "<|[") || !strings.Contains(got.Thinking, thought) || got.ReadAs != "stated" {
				t.Errorf("%q %q: %+v, %v", p, end, got, err)
			}
		}
		got, err := prompt.Parse([]byte(p[0]+thought+p[1]+`{"reason_for_decision": "x", "decision": 2}`), ballot, puzzle(t))
		if err != nil || got.Act.Ballot.Choice != 1 || !strings.Contains(got.Thinking, thought) || got.ReadAs != "json" {
			t.Errorf("%q: %+v, %v", p, got, err)
		}
		if p[0] == "" {
			continue
		}
		for _, s := range []transcript.Step{answer, ballot, step(transcript.FormatText, none)} {
			got, err := prompt.ParseReply(prompt.Reply{Raw: []byte(p[0] + thought), Cut: true}, s, puzzle(t))
			if err == nil || !strings.Contains(err.Error(), "thinking") || got.Text != "" || !strings.Contains(got.Thinking, "Maybe") {
				t.Errorf("%q never ends: %+v, %v", p[0], got, err)
			}
		}
	}
}

// A text that only mentions marks and tokens, or has tokens of a template before its answer, is read whole.
func TestMarksThatAreNone(t *testing.T) {
	answer := step(transcript.FormatAnswer, none)
	for _, before := range []string{
		"Since sin x < cot x, hence y > 2. ", "p < analysis > q. ", "The tag &lt;think&gt; opens thoughts. ", "Insert the <|user_id|> placeholder. ",
		"In bra-ket form it is <|psi|>. ", "It ends with [EOS]. ", "Use </assistant> there. ", "Write `<role>admin</role>` there. ",
		"<|header_start|>assistant<|header_end|>\n\n", "<|im_assistant|>assistant<|im_middle|>", "<|response|>", "<|startoftext|>", "<think>Maybe (A).</think><|message|>",
	} {
		got, err := prompt.Parse([]byte(before+"The answer is (B)."), answer, puzzle(t))
		if err != nil || string(got.Proposal) != `"(B)"` || !strings.HasSuffix(got.Text, "The answer is (B).") {
			t.Errorf("%q: %+v, %v", before, got, err)
		}
	}
	for _, before := range []string{"*Thinking...*\n> x\n\n", "```thinking\nx\n```\n", "Thinking...\nx\n...done thinking.\n"} {
		got, err := prompt.Parse([]byte(before+"<think>Maybe (A).</think>The answer is (B)."), answer, puzzle(t))
		if err != nil || got.Text != "The answer is (B)." || !strings.Contains(got.Thinking, "Maybe (A)") {
			t.Errorf("%q: %+v, %v", before, got, err)
		}
	}
}

// What the service sends apart as thinking is kept, and read only if it is the whole object.
func TestThinkingApart(t *testing.T) {
	ballot := step(transcript.FormatBallot, choose)
	got, err := prompt.ParseReply(prompt.Reply{Raw: []byte(`{"decision": 2}`), Thinking: "Is it 1?"}, ballot, puzzle(t))
	if err != nil || got.Thinking != "Is it 1?" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = prompt.ParseReply(prompt.Reply{Thinking: `{"decision": 2}`}, ballot, puzzle(t))
	if err != nil || got.Act.Ballot.Choice != 1 || got.ReadAs != "json, sent as thinking" {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = prompt.ParseReply(prompt.Reply{Thinking: "The answer is (B)."}, step(transcript.FormatAnswer, none), puzzle(t))
	if err == nil || !strings.Contains(err.Error(), "all that was sent is thinking") {
		t.Error(err)
	}
}

// Of what was cut off, only what is stated or complete counts.
func TestCutAnswers(t *testing.T) {
	for text, want := range map[string]string{
		"The answer is (B). I chose it since": `"(B)"`, "(B) that. Next, we": "", "So (B)": "",
	} {
		got, err := prompt.ParseReply(prompt.Reply{Raw: []byte(text), Cut: true}, step(transcript.FormatAnswer, none), puzzle(t))
		if string(got.Proposal) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, usable := range map[string]bool{`{"decision": 2}` + "\n\n\n": true, `{"decision": 2`: false, `{"decision": [2`: false} {
		_, err := prompt.ParseReply(prompt.Reply{Raw: []byte(text), Cut: true}, step(transcript.FormatBallot, choose), puzzle(t))
		if (err == nil) != usable {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A text that denies that it agrees does not.
func TestDeniedAgreement(t *testing.T) {
	for text, agrees := range map[string]bool{"I do not agree with the solution.": false, "I can't agree.": false, "I agree.": true, "I would agree if it were (A).": false} {
		got, err := prompt.Parse([]byte(text), reply(true), puzzle(t))
		if err != nil || (got.Act.Tags[0] == prompt.TagAgree) != agrees {
			t.Errorf("%q: %+v, %v", text, got.Act, err)
		}
	}
}
