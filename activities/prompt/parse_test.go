package prompt_test

import (
	"reflect"
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/exchange"
	"roundtable/workflows/transcript"
)

func economy(t testing.TB) envs.Instance {
	t.Helper()
	env, err := exchange.New(exchange.Params{Agents: 2})
	if err != nil {
		t.Fatal(err)
	}
	inst, err := env.Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

func step(f transcript.Format, b transcript.BallotSpec) transcript.Step {
	return transcript.Step{Kind: transcript.Ask, Payload: transcript.Payload{Format: f, Ballot: b}}
}

// The forms of ballots over three candidates.
var (
	choose  = transcript.BallotSpec{Kind: transcript.Choose, N: 3}
	rate    = transcript.BallotSpec{Kind: transcript.Rate, N: 3, Min: 1, Max: 5}
	partial = transcript.BallotSpec{Kind: transcript.Rate, N: 3, Max: 5, Partial: true}
	fewer   = transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 25, Partial: true}
	rank    = transcript.BallotSpec{Kind: transcript.Rank, N: 3}
	spread  = transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 3}
	approve = transcript.BallotSpec{Kind: transcript.Approve, N: 3}
)

var none transcript.BallotSpec

const (
	even      = `{"Alex":{"apples":50,"bread":50},"Blake":{"apples":50,"bread":50}}`
	abstained = transcript.Abstained
)

func cast(b transcript.Ballot) transcript.Act {
	return transcript.Act{Status: transcript.Said, Ballot: &b}
}

func said(to ...int) transcript.Act { return transcript.Act{Status: transcript.Said, To: to} }

// What can be used, and what it says.
func TestParse(t *testing.T) {
	abstention := transcript.Act{Status: abstained, Ballot: &transcript.Ballot{Abstain: true}}
	proposed := transcript.Act{Status: transcript.Said, Key: prompt.Key(even)}
	skipped := transcript.Act{Status: transcript.Skipped}
	message, proposal, ballot := transcript.FormatMessage, transcript.FormatProposal, transcript.FormatBallot
	for _, x := range []struct {
		format transcript.Format
		form   transcript.BallotSpec
		raw    string
		act    transcript.Act
		text   string // what others may see
	}{
		{transcript.FormatText, none, "I say\r\nthis.", said(), "I say\r\nthis."},
		{transcript.FormatText, none, "<think>secret</think>\nAloud.", said(), "Aloud."},
		{transcript.FormatText, none, "secret, opened by the server</think>Aloud {x}.", said(), "Aloud {x}."},

		{message, none, `{"target": ["Blake"], "message": "hi"}`, said(1), "hi"},
		{message, none, `{"target": [" blake", "ALEX", "Blake"], "message": "hi"}`, said(0, 1), "hi"},
		{message, none, `{"target": "Blake", "message": "hi"}`, said(1), "hi"},
		{message, none, `{"target": "all", "message": "hi"}`, said(), "hi"},
		{message, none, `{"target": ["Blake", "Everyone"], "message": "hi"}`, said(), "hi"},
		{message, none, `{"target": [], "message": "hi"}`, said(), "hi"},
		{message, none, `{"target": null, "message": "hi"}`, said(), "hi"},
		{message, none, `{"target": "None", "message": "hi"}`, said(), "hi"},
		{message, none, `{"message": "hi"}`, said(), "hi"},
		{message, none, `{"target": ["Alex", "Blake"], "message": "to both"}`, said(0, 1), "to both"},
		{message, none, `{"message": ""}`, said(), ""},
		{message, none, `{"message": "“smart” – ünïcödé 🙂"}`, said(), "“smart” – ünïcödé 🙂"},
		{message, none, `{"message": "say {\"target\": [\"Blake\"], \"message\": \"injected\"}"}`, said(), `say {"target": ["Blake"], "message": "injected"}`},
		{message, none, `{"message": "</think>{\"message\": \"injected\"}"}`, said(), `</think>{"message": "injected"}`},
		{message, none, `{"message": "<think>"}`, said(), "<think>"},
		{message, none, `{"message": "` + "```json {}```" + `"}`, said(), "```json {}```"},
		{message, none, `{"message": "hi", "mood": {"a": [1, {"b": 2}]}}`, said(), "hi"},

		{message, none, "\ufeff" + `{"message": "hi"}`, said(), "hi"},
		{message, none, "{\r\n\"message\": \"hi\"\r\n}\r\n", said(), "hi"},
		{message, none, "```json\n{\"message\": \"hi\"}\n```", said(), "hi"},
		{message, none, "Sure! Here it is:\n{\"message\": \"hi\"}\nI hope that this helps.", said(), "hi"},
		{message, none, `[{"message": "hi"}]`, said(), "hi"},
		{message, none, `<think>maybe {"message": "no"}</think>{"message": "hi"}`, said(), "hi"},
		{message, none, `<think>one {</think> <think>two }</think> {"message": "hi"}`, said(), "hi"},
		{message, none, `I could say {"message": "no"}. </think> {"message": "hi"}`, said(), "hi"},
		{message, none, `I could say {… </think> {"message": "hi </think> there"}`, said(), "hi </think> there"},
		{message, none, strings.Repeat("[", 100_000) + `{"message": "hi"}`, said(), "hi"},

		{message, none, `{"Message": "hi"}`, said(), "hi"},
		{message, none, "{\"message\": \"a\nb\"}", said(), "a\nb"},
		{message, none, `{“message”: “hi”}`, said(), "hi"},
		{message, none, `{"message"："hi"，"target"：null}`, said(), "hi"},
		{message, none, `{'message': 'don't', 'target': None}`, said(), "don't"},
		{message, none, `{"message": "hi",}`, said(), "hi"},
		{message, none, `{"message": "hi"`, said(), "hi"},
		{message, none, "```json\n{\"message\": \"hi\"\n```", said(), "hi"},
		{message, none, `{message: "hi", target: ["Blake"]} // done`, said(1), "hi"},
		{message, none, `{"message": "\(x\)"}`, said(), `\(x\)`},
		{message, none, `{"message": "hi"} {"message": "hi"}`, said(), "hi"},
		{message, none, `Since {A} and \frac{1}{2} hold: {"message": "hi"}`, said(), "hi"},
		{message, none, `{"answer": {"message": "hi"}}`, said(), "hi"},
		{message, none, `{"message": "hi"}<|im_end|>` + "\n<|im_start|>user\n" + `{"message": "no"}`, said(), "hi"},
		{message, none, `{"message": "say <|im_end|>"}`, said(), "say <|im_end|>"},
		{ballot, rank, `[3, 1, 2]`, cast(transcript.Ballot{Order: []int{2, 0, 1}}), ""},
		{ballot, choose, "{\"decision\": 2 // my vote\n}", cast(transcript.Ballot{Choice: 1}), ""},
		{ballot, choose, `{"Decision": 2}`, cast(transcript.Ballot{Choice: 1}), ""},

		{proposal, none, `{"reason_for_decision": "fair", "proposal": ` + even + `}`, proposed, even},
		{proposal, none, `{"proposal": {"Blake": {"bread": 5e1, "apples": 50.0}, "Alex": {"bread": 50, "apples": 50}}}`, proposed, even},
		{proposal, none, `{"proposal": null}`, skipped, ""},
		{proposal, none, `{"proposal": "None"}`, skipped, ""},
		{proposal, none, `{"proposal": " none "}`, skipped, ""},

		{ballot, choose, `{"decision": null}`, abstention, ""},
		{ballot, rank, `{"decision": "None"}`, abstention, ""},
		{ballot, choose, `{"decision": 1}`, cast(transcript.Ballot{Choice: 0}), ""},
		{ballot, choose, `{"decision": 3}`, cast(transcript.Ballot{Choice: 2}), ""},
		{ballot, choose, `{"decision": "2"}`, cast(transcript.Ballot{Choice: 1}), ""},
		{ballot, choose, `{"decision": 2.0}`, cast(transcript.Ballot{Choice: 1}), ""},
		{ballot, choose, `{"decision": 1e0}`, cast(transcript.Ballot{Choice: 0}), ""},
		{ballot, choose, `{"decision": 20e-1}`, cast(transcript.Ballot{Choice: 1}), ""},
		{ballot, rate, `{"decision": {"1": 5, "2": 1, "3": "3"}}`, cast(transcript.Ballot{Points: []int{5, 1, 3}}), ""},
		{ballot, rate, `{"decision": {"3": 3, "2": 1, "1": 5}}`, cast(transcript.Ballot{Points: []int{5, 1, 3}}), ""},
		{ballot, partial, `{"decision": {"2": 0}}`, cast(transcript.Ballot{Points: []int{-1, 0, -1}}), ""},
		{ballot, partial, `{"decision": {"1": null, "2": 4, "3": "None"}}`, cast(transcript.Ballot{Points: []int{-1, 4, -1}}), ""},
		{ballot, fewer, `{"decision": {"1": null, "2": 20, "3": "None"}}`, cast(transcript.Ballot{Points: []int{0, 20, 0}}), ""},
		{ballot, partial, `{"decision": {}}`, cast(transcript.Ballot{Points: []int{-1, -1, -1}}), ""},
		{ballot, rank, `{"decision": [3, "1", 2.0]}`, cast(transcript.Ballot{Order: []int{2, 0, 1}}), ""},
		{ballot, spread, `{"decision": {"1": 3}}`, cast(transcript.Ballot{Points: []int{3, 0, 0}}), ""},
		{ballot, spread, `{"decision": {"1": 1, "2": 1, "3": 1}}`, cast(transcript.Ballot{Points: []int{1, 1, 1}}), ""},
		{ballot, approve, `{"decision": [3, 1]}`, cast(transcript.Ballot{Order: []int{0, 2}}), ""},
		{ballot, approve, `{"decision": []}`, cast(transcript.Ballot{}), ""},
		{ballot, choose, `{"reason_for_decision": ["a", {"decision": 3}], "decision": 1}`, cast(transcript.Ballot{Choice: 0}), ""},
	} {
		got, err := prompt.Parse([]byte(x.raw), step(x.format, x.form), economy(t))
		if err != nil {
			t.Errorf("%s: %v", clip(x.raw), err)
			continue
		}
		if len(got.Act.To) == 0 {
			got.Act.To = nil
		}
		if len(x.act.To) == 0 {
			x.act.To = nil
		}
		if !reflect.DeepEqual(got.Act, x.act) || got.Text != x.text {
			t.Errorf("%s is %+v saying %q, want %+v saying %q", clip(x.raw), got.Act, got.Text, x.act, x.text)
		}
		if (x.format == proposal && x.text != "") != (got.Proposal != "") {
			t.Errorf("%s has the proposal %q", clip(x.raw), got.Proposal)
		}
	}
}

func TestReasons(t *testing.T) {
	for raw, want := range map[string]string{
		`{"reason_for_decision": "because", "proposal": null}`:  "because",
		`{"reason_for_decision": ["a", "b"], "proposal": null}`: `["a", "b"]`,
		`{"reason_for_decision": null, "proposal": null}`:       "",
		`{"proposal": null}`: "",
		`{"reason_for_decision": "a\u0000b", "proposal": null}`: "ab",
		`{"reason_for_decision": 5, "proposal": "none"}`:        "5",
	} {
		a, err := prompt.Parse([]byte(raw), step(transcript.FormatProposal, none), economy(t))
		if err != nil || a.Reason != want || a.Text != "" {
			t.Errorf("%s: reason %q, text %q, error %v; want the reason %q", raw, a.Reason, a.Text, err, want)
		}
	}
}

// What cannot be used, and what the model is told.
func TestUnusable(t *testing.T) {
	message, proposal, ballot := transcript.FormatMessage, transcript.FormatProposal, transcript.FormatBallot
	for _, x := range []struct {
		format transcript.Format
		form   transcript.BallotSpec
		raw    string
		says   string
	}{
		{transcript.FormatText, none, " \n", "it is empty"},
		{transcript.FormatText, none, "<think>for ever", "its thinking never ends"},
		{transcript.FormatText, none, "<think>only</think> ", "nothing follows its thinking"},
		{transcript.FormatText, none, "a\xff", "it is not valid UTF-8"},
		{"verse", none, "{}", `no answer can have the format "verse"`},

		{message, none, "", "it is empty"},
		{message, none, "null", "it holds no JSON object"},
		{message, none, "Hello!", "it holds no JSON object"},
		{message, none, "{}", `it needs "target" (a list of names) and "message" (a text)`},
		{message, none, `{"message": null}`, `it needs "target"`},
		{message, none, `{"message": 5}`, `it needs "target"`},
		{message, none, `{"message": ["hi"]}`, `it needs "target"`},
		{message, none, `{"target": ["Zed"], "message": "hi"}`, `there is no agent named "Zed" to address; there are Alex and Blake`},
		{message, none, `{"target": ["all", "Zed"], "message": "hi"}`, `no agent named "Zed"`},
		{message, none, `{"target": [""], "message": "hi"}`, `no agent named ""`},
		{message, none, `{"target": 1, "message": "hi"}`, `"target" must be a list of names`},
		{message, none, `{"target": [1], "message": "hi"}`, `"target" must be a list of names`},
		{message, none, `{"target": {"Blake": 1}, "message": "hi"}`, `"target" must be a list of names`},
		{message, none, `{"target": ["` + strings.Repeat("é", 500) + `"], "message": "hi"}`, "there is no agent named"},
		{message, none, `{"message": "a\u0000b"}`, "it holds a NUL character"},
		{message, none, "{\"message\": \"a\x00b\"}", "it holds a NUL character"},
		{message, none, `{"message": "a\ud800b"}`, "its JSON is broken"},
		{message, none, `{"message": "cut`, "its JSON ends too early"},
		{message, none, `{"message": "hi"} {"message": "ho"}`, "it holds more than one JSON object"},
		{message, none, `{"message": "hi"}{`, "it holds more than one JSON object"},
		{message, none, `{"message": "hi", "message": "ho"}`, "its JSON gives a name twice"},
		{message, none, `{"message": "hi", "mess\u0061ge": "ho"}`, "its JSON gives a name twice"},
		{message, none, `{"message": "hi", "Message": "ho"}`, `gives the name "message" twice, in different case`},
		{message, none, `{"message": "hi", "x": {"a": 1, "a": 2}}`, "its JSON gives a name twice"},
		{message, none, `{"message": "hi", "x": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested more than 64 deep"},
		{message, none, strings.Repeat(`{"a":`, 40_000), "nested more than 64 deep"},
		{message, none, strings.Repeat("[", 5_000_000), "it has 5000000 bytes; expected at most 262144"},
		{message, none, strings.Repeat("[", prompt.MaxAnswer), "it holds no JSON object"},
		{message, none, `{"message": "` + strings.Repeat("x", 10<<20) + `"}`, "expected at most 262144"},
		{message, none, `<think>I could say {"message": "no"}`, "its thinking never ends"},
		{message, none, `Well. <think>I could say {"message": "no"}`, "its thinking never ends"},
		{message, none, `<think>no {`, "its thinking never ends"},
		{message, none, `{"message": "hi"}</think>`, "nothing follows its thinking"},
		{message, none, `["Blake", "hi"]`, `it needs "target"`},
		{proposal, none, `{"proposal": [x]}`, `"x]}" stands where a value belongs`},
		{ballot, choose, `{"decision": 2, "decision": 3}`, "gives a name twice"},
		{ballot, choose, `{"decision": 2} {"decision": 3}`, "more than one JSON object"},
		{ballot, choose, `{"decision": 25%}`, "a plain number"},

		{proposal, none, `{"reason_for_decision": "x"}`, `it needs "proposal": a proposal, or null to propose nothing`},
		{proposal, none, "Half each: " + even, `it needs "proposal"`},
		{proposal, none, `{"proposal": ""}`, "the proposal is the text"},
		{proposal, none, `{"proposal": {}}`, "leaves out Alex"},
		{proposal, none, `{"proposal": ` + strings.Replace(even, "50", "-50", 1) + `}`, "amounts are not negative"},
		{proposal, none, `{"proposal": ` + strings.Replace(even, "50", "NaN", 1) + `}`, "its JSON is broken"},
		{proposal, none, `{"proposal": ` + strings.Replace(even, "50", "Infinity", 1) + `}`, "its JSON is broken"},
		{proposal, none, `{"proposal": ` + strings.Replace(even, "50", "1e400", 1) + `}`, "is too large"},
		{proposal, none, `{"proposal": ` + strings.Replace(even, "50", `"half"`, 1) + `}`, "it is a plain number"},
		{proposal, none, `{"proposal": ` + strings.Replace(even, "50", "60", 1) + `}`, "add up to 110, not to 100"},
		{proposal, none, `{"proposal": ` + strings.Replace(even, "Alex", "Alexa", 1) + `}`, "unknown agent"},

		{ballot, choose, `{"answer": 1}`, `it needs "decision": a ballot, or null to cast none`},
		{ballot, choose, `{"decision": 0}`, "there is no candidate 0; candidates are 1 to 3"},
		{ballot, choose, `{"decision": 4}`, "there is no candidate 4; candidates are 1 to 3"},
		{ballot, choose, `{"decision": -1}`, "there is no candidate -1"},
		{ballot, choose, `{"decision": 1.5}`, `"decision" must be the number of one candidate, or null`},
		{ballot, choose, `{"decision": 1e400}`, "must be the number of one candidate"},
		{ballot, choose, `{"decision": 99999999999999999999}`, "must be the number of one candidate"},
		{ballot, choose, `{"decision": "two"}`, "must be the number of one candidate"},
		{ballot, choose, `{"decision": "0x2"}`, "must be the number of one candidate"},
		{ballot, choose, `{"decision": "NaN"}`, "must be the number of one candidate"},
		{ballot, choose, `{"decision": [1]}`, "must be the number of one candidate"},
		{ballot, choose, `{"decision": true}`, "must be the number of one candidate"},
		{ballot, choose, `{"decision": 1, "Decision": 2}`, "twice, in different case"},
		{ballot, rate, `{"decision": {"1": 5, "2": 5}}`, "candidate 3 is not rated; all must be"},
		{ballot, rate, `{"decision": {"1": 0, "2": 5, "3": 5}}`, "candidate 1 is rated 0; ratings are whole numbers from 1 to 5"},
		{ballot, rate, `{"decision": {"1": 6, "2": 5, "3": 5}}`, "candidate 1 is rated 6"},
		{ballot, rate, `{"decision": {"1": 4.5, "2": 5, "3": 5}}`, `must map candidates' numbers to whole numbers`},
		{ballot, rate, `{"decision": {"1": null, "2": 5, "3": 5}}`, "must map candidates' numbers"},
		{ballot, rate, `{"decision": {"1": 1, "2": 2, "3": 3, "4": 4}}`, "it names a candidate that is not there; candidates are 1 to 3"},
		{ballot, rate, `{"decision": {"01": 1, "2": 2, "3": 3}}`, "candidate 1 is not rated"},
		{ballot, rate, `{"decision": [1, 2, 3]}`, "must map candidates' numbers"},
		{ballot, rate, `{"decision": 1}`, "must map candidates' numbers"},
		{ballot, partial, `{"decision": {"1": -1}}`, "must map candidates' numbers"},
		{ballot, partial, `{"decision": {"7": 1}}`, "it names a candidate that is not there"},
		{ballot, rank, `{"decision": [1, 2]}`, "2 of 3 candidates are ranked; all must be"},
		{ballot, rank, `{"decision": [1, 2, 2]}`, "candidate 2 is named twice"},
		{ballot, rank, `{"decision": [1, 2, 4]}`, "there is no candidate 4"},
		{ballot, rank, `{"decision": [1, 2, "c"]}`, `must be a list of candidates' numbers`},
		{ballot, rank, `{"decision": {"1": 1}}`, `must be a list of candidates' numbers`},
		{ballot, spread, `{"decision": {"1": 1}}`, "the points add up to 1; they must add up to 3"},
		{ballot, spread, `{"decision": {"1": 4}}`, "points are whole numbers from 0 to 3"},
		{ballot, spread, `{"decision": {"1": -1, "2": 4}}`, "must map candidates' numbers"},
		{ballot, spread, `{"decision": {"1": 2147483647, "2": 2147483647}}`, "points are whole numbers from 0 to 3"},
		{ballot, spread, `{"decision": {}}`, "the points add up to 0"},
		{ballot, approve, `{"decision": [1, 1]}`, "candidate 1 is named twice"},
		{ballot, transcript.BallotSpec{Kind: "sing", N: 1}, `{"decision": {"1": 1}}`, `unknown kind of ballot "sing"`},
	} {
		got, err := prompt.Parse([]byte(x.raw), step(x.format, x.form), economy(t))
		if err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s %s: error %v, want %q; read as %+v", x.form.Kind, clip(x.raw), err, x.says, got)
			continue
		}
		if got.Thinking = ""; !reflect.DeepEqual(got, prompt.Answer{}) {
			t.Errorf("%s: an error, and yet %+v", clip(x.raw), got)
		}
		presentable(t, x.raw, err)
	}
}

// A ballot that is asked for alone may be written without JSON around it.
func TestBareBallots(t *testing.T) {
	first, second := &transcript.Ballot{}, &transcript.Ballot{Choice: 1}
	for _, x := range []struct {
		form transcript.BallotSpec
		text string
		want *transcript.Ballot // nil if it is unusable
	}{
		{choose, "2", second}, {choose, " Solution 2. ", second}, {choose, `{"decision": 2}`, second}, {choose, "<think>1 or 2</think>2", second}, {choose, "01", first},
		{choose, "I vote for solution 2, as 1 is wrong.", second}, {choose, "Solution 1 or 2.", nil}, {choose, "Solution 2 is wrong.", nil},
		{choose, "1, 2", nil}, {choose, "9", nil}, {choose, "two", nil}, {choose, "0", nil}, {choose, "", nil},
		{approve, "3, 1", &transcript.Ballot{Order: []int{0, 2}}}, {approve, "2", &transcript.Ballot{Order: []int{1}}},
		{rank, "2 1 3", &transcript.Ballot{Order: []int{1, 0, 2}}}, {spread, `{"1": 3}`, &transcript.Ballot{Points: []int{3, 0, 0}}},
	} {
		s := step(transcript.FormatBallot, x.form)
		s.Payload.Bare = true
		a, err := prompt.Parse([]byte(x.text), s, economy(t))
		if (err == nil) != (x.want != nil) || err == nil && !reflect.DeepEqual(a.Act.Ballot, x.want) {
			t.Errorf("%s %q is read as %+v, %v; want %+v", x.form.Kind, x.text, a.Act.Ballot, err, x.want)
		}
	}
	if _, err := prompt.Parse([]byte("2"), step(transcript.FormatBallot, choose), economy(t)); err == nil {
		t.Error("a bare ballot is read where a reason is asked for")
	}
}
