package conformance

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"roundtable/envs"
)

// Hostile returns answers that are broken in the ways in which those of models and networks have
// been.
func Hostile() []string {
	deep := 100_000
	list := []string{
		"", " ", "\n\t\r ", "\x00", "\x00\x00\x00\x00", "\xff\xfe", "\xc3\x28", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80",
		"\ufeff", "\ufeff{}",
		"null", "true", "false", "0", "-0", "1", "-1", "1.5", "NaN", "nan", "-NaN", "Infinity", "-Infinity", "Inf",
		"+1", "01", "1.", ".5", "1e400", "-1e400", "1e-400", "1e", "0x10", "1_000",
		"1e999999999999", strings.Repeat("9", 100_000), "0." + strings.Repeat("0", 100_000) + "1",
		"-" + strings.Repeat("9", 400),
		`""`, `"4"`, `"NaN"`, `"null"`, `"\u0000"`, `"\ud800"`, `"\udc00\ud800"`, `"unfinished`, "\"raw\x01control\"",
		`'single'`, `"` + strings.Repeat("a", 1<<20) + `"`,
		"[]", "[[]]", "[null]", "[1,2,3]", "[1,]", "[,]", "[", "]", "[{}]",
		"{}", "{", "}", "{{}}", "{}{}", "{} {}", "{}null", "{},", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`,
		`{'a':1}`, `{1:1}`, `{"":""}`, `{"":{}}`, `{null:null}`,
		`{"a":1,"a":2}`, `{"A":1,"a":-5}`, `{"a":{"b":1,"b":2}}`, `{"a":1} {"a":2}`, `{"a":null}`, `{"a":{}}`,
		`{"a":[]}`, `{"a":{"a":{"a":{"a":{}}}}}`,
		`{"a":NaN}`, `{"a":1e400}`, `{"a":-1}`, `{"a":"1"}`, `{"a":true}`, `{"__proto__":{"x":1}}`, `{"a":1}/*c*/`,
		`// c` + "\n{}", "```json\n{}\n```", "Sure! Here is my proposal: {}",
		"<script>alert(1)</script>", "{{.Secret}}", "%s%n%x", "'; DROP TABLE turns; --", "\u202e{}", "{\u00a0}",
		"{\"\u0430\":1}", "｛｝", "{\"a\"：1}",
		"١٢٣", "²", "Ⅷ", "{\"a\":\"\u202etxt\"}", "{\"a\u0000b\":1}", `{"a\u0000b":1}`,
		strings.Repeat("[", deep), strings.Repeat("[", deep) + strings.Repeat("]", deep), strings.Repeat(`{"a":`, deep),
		strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		strings.Repeat("{", deep), strings.Repeat(" ", 1<<20), strings.Repeat("\"", deep), strings.Repeat("{}", deep),
		strings.Repeat("\\", deep),
		"[" + strings.Repeat("0,", deep) + "0]", strings.Repeat("\x00", 1<<20), strings.Repeat("\xff", 1<<20),
		`{"` + strings.Repeat("k", 1<<20) + `":1}`, manyKeys(50_000),
	}
	return list
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// Mutations returns answers made from a valid one by small changes: some are still valid, others
// are wrong.
func Mutations(valid string) []string {
	list := []string{
		" " + valid + "\n", valid + valid, valid + " x", valid + "\x00", "\x00" + valid, "\ufeff" + valid,
		"[" + valid + "]", "```json\n" + valid + "\n```",
		`{"proposal":` + valid + `}`, `"` + strings.ReplaceAll(valid, `"`, `\"`) + `"`, strings.ToUpper(valid),
		strings.ToLower(valid),
		strings.ReplaceAll(valid, `"`, "'"), strings.ReplaceAll(valid, ":", "："), strings.ReplaceAll(valid, "a", "а"),
		strings.ReplaceAll(valid, "{", "["), strings.ReplaceAll(valid, ":", ":-"),
		strings.ReplaceAll(valid, ":", ":[") + "]", strings.ReplaceAll(valid, ",", ",,"),
		strings.ReplaceAll(valid, ".", ","),
	}
	for _, digits := range []string{"NaN", "Infinity", "-1", "1e400", "1e-400", "1e300", "-0", "0", "null", "true",
		`"7"`, "[7]", "{}", "07", "7.0", "70e-1", "0.1", "1e2", "9007199254740993"} {
		list = append(list, eachNumber(valid, digits)...)
	}
	for i := range min(len(valid), 200) {
		list = append(list, valid[:i], valid[:i]+valid[i+1:], valid[:i]+"\xff"+valid[i:],
			valid[:i]+valid[i:i+1]+valid[i:])
	}
	return append(list, doubledKey(valid)...)
}

// eachNumber replaces the first number, the last number, and all numbers.
func eachNumber(valid, with string) []string {
	isDigit := func(r rune) bool { return unicode.IsDigit(r) || r == '.' }
	var spans [][2]int
	for i := 0; i < len(valid); {
		n := len(valid[i:]) - len(strings.TrimLeftFunc(valid[i:], isDigit))
		if n > 0 {
			spans = append(spans, [2]int{i, i + n})
		}
		i += max(n, 1)
	}
	if len(spans) == 0 {
		return nil
	}
	first, last := spans[0], spans[len(spans)-1]
	all, end := "", 0
	for _, s := range spans {
		all, end = all+valid[end:s[0]]+with, s[1]
	}
	return []string{valid[:first[0]] + with + valid[first[1]:], valid[:last[0]] + with + valid[last[1]:],
		all + valid[end:]}
}

// doubledKey repeats the first member of an object, which encoding/json would hide.
func doubledKey(valid string) []string {
	if !strings.HasPrefix(valid, "{") || len(valid) < 3 {
		return nil
	}
	inner := valid[1 : len(valid)-1]
	return []string{"{" + inner + "," + inner + "}"}
}

// SampleProposals returns valid proposals: those of every policy in the first round.
func SampleProposals(r Reporter, env envs.Environment, in envs.Instance) []string {
	r.Helper()
	var list []string
	for _, name := range env.Policies() {
		policy, err := env.Policy(name, keepDefaults)
		if err != nil {
			r.Fatalf("%v", err)
		}
		for agent := range in.Agents() {
			s := envs.Situation{Agent: agent, Agents: in.Agents(), Round: 1, Rounds: rounds,
				Observation: in.Observe(agent), Rand: envs.Stream(seed, "sample", name, agent)}
			if text, ok := policy.Propose(s); ok {
				list = append(list, text)
			}
		}
	}
	if len(list) == 0 {
		r.Fatalf("no policy makes a proposal in the first round")
	}
	return list
}

// CheckParse returns an error unless in.Parse, given answer, returns a sound proposal or an error
// that can be shown to a model.
func CheckParse(in envs.Instance, answer []byte) error {
	before := string(answer)
	p, err := in.Parse(answer)
	if string(answer) != before {
		return fmt.Errorf("Parse changes its input")
	}
	if err == nil {
		return checkProposal(in, p)
	}
	text := err.Error()
	switch {
	case p != "":
		return fmt.Errorf("both a proposal %q and an error %q", clipText(string(p)), clipText(text))
	case len(text) > 1000:
		return fmt.Errorf("an error of %d bytes: %q", len(text), clipText(text))
	case !utf8.ValidString(text), strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("an error with bytes that must not be shown: %q", clipText(text))
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("an error that says nothing")
	}
	return nil
}

func clipText(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

func checkHostile(r Reporter, env envs.Environment, opt Options) {
	in := DealInstance(r, env, 0)
	answers := append(Hostile(), opt.Hostile...)
	for _, valid := range SampleProposals(r, env, in) {
		answers = append(answers, Mutations(valid)...)
	}
	for _, a := range answers {
		if err := CheckParse(in, []byte(a)); err != nil {
			r.Errorf("answer %q: %v", clipText(a), err)
		}
	}
	for _, valid := range SampleProposals(r, env, in) {
		for _, a := range append(doubledKey(valid), valid+valid, valid+" x") {
			if p, err := in.Parse([]byte(a)); err == nil {
				r.Errorf("answer %q is taken as %s", clipText(a), p)
			}
		}
	}
}
