package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// lines are what agents say, each the sign of one dialogue act for the labeller by rules.
var lines = []string{"What do you want?", "My stock is low.", "That was unfair.", "Agreed."}

var (
	roundNow = regexp.MustCompile(`(?m)^\w+, this is the .* of round (\d+)`)
	saidLine = regexp.MustCompile(`(?m)^\[round (\d+)\] (\w+) to .*?: (.*)$`)
)

// informed reports whether one agent requested in the round before and another
// informs in this one, as the messages in a prompt have it.
func informed(prompt string, round int) bool {
	var requests, informs []string
	for _, m := range saidLine.FindAllStringSubmatch(prompt, -1) {
		if m[1] == strconv.Itoa(round-1) && strings.Contains(m[3], lines[0]) {
			requests = append(requests, m[2])
		}
		if m[1] == strconv.Itoa(round) && strings.Contains(m[3], lines[1]) {
			informs = append(informs, m[2])
		}
	}
	return len(requests)*len(informs) > 1 || len(requests)*len(informs) == 1 && requests[0] != informs[0]
}

const bestRound = 3

// member answers as a member of a group of two traders. What it says is drawn at
// random; how good the solution is that both propose and vote for depends on the
// model: of pair on what the prompt says was said, of peak on the round, of
// others on chance alone. The number after a model's name is the seed.
func member(a *asked) string {
	kind, seed, _ := strings.Cut(a.model, "-")
	draw := func(what ...any) *rand.Rand {
		sum := sha256.Sum256(fmt.Append(nil, seed, a.replicate(), what))
		return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 3))
	}
	round, _ := strconv.Atoi(roundNow.FindStringSubmatch(a.prompt())[1])
	switch {
	case strings.Contains(a.prompt(), "this is the message phase"):
		words, mind := []string{"Well."}, draw("entry", strings.Split(a.key, "/")[2])
		for _, line := range lines {
			if mind.Float64() < 0.4 {
				words = append(words, line)
			}
		}
		return fmt.Sprintf(`{"target": [], "message": %q}`, strings.Join(words, " "))
	case strings.Contains(a.prompt(), "this is the vote"):
		return `{"reason_for_decision": "it is ours", "decision": 1}`
	}
	// Score is greatest where each keeps 80 of what it likes, and less the fewer these are.
	keeps := 40 + 3*draw().NormFloat64() + 5*draw(round).NormFloat64()
	switch {
	case kind == "pair" && informed(a.prompt(), round):
		keeps += 15 // from 0.72 of the greatest total utility to 0.87
	case kind == "peak":
		keeps += 25 - 10*math.Abs(float64(round-bestRound))
	}
	keeps = math.Round(min(max(keeps, 5), 80))
	return fmt.Sprintf(`{"proposal": {"Alex": {"apples": %v, "bread": %v}, "Blake": {"apples": %[2]v, "bread": %[1]v}}}`, keeps, 100-keeps)
}

// playedBy is the folder of a campaign that was run and labelled, one condition a model.
func playedBy(t *testing.T, models ...string) (dir string) {
	t.Helper()
	v, group := newVendor(t), sells("group", "stop", member)
	v.set(func(*asked) *trick { return &group })
	dir = write(t, fmt.Sprintf(`name: played
replicates: 20
env: {name: exchange, agents: 2}
protocol: {name: roundtable, rounds: 5}
rule: majority
cost: unknown
grid: {model: [%s]}
labels: {model: scripted/labeller}
`, "openai/"+strings.Join(models, ", openai/")))
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	return dir
}

// What a model plants in a campaign that it plays is found by the commands: a
// pair of acts that raises score, and the round at which score peaks. Of
// chance, and of the same words, nothing is claimed.
func TestPlayedEffectsAreFound(t *testing.T) {
	if !*statedLimits {
		t.Skip("a service answers 13,000 calls; -limits")
	}
	t.Parallel()
	nulls := []string{"null"}
	for i := range 19 {
		nulls = append(nulls, fmt.Sprintf("null-%d", i+1))
	}
	dir := playedBy(t, append([]string{"pair", "peak"}, nulls...)...)
	regression := analyse(t, dir, "played", "regression")
	const pair = "Request->Inform"
	for model, want := range map[string][]string{"openai/pair": {pair}, "openai/peak": nil, "openai/null": nil} {
		if claims, tested := regression.claims(t, "model", model); !slices.Equal(claims, want) || tested < 20 {
			t.Errorf("of %d pairs %q are claimed for %s, planted was %q", tested, claims, model, want)
		}
	}
	strongest := slices.MaxFunc(regression.effects(t, "model", "openai/pair"), func(a, b effect) int { return cmp.Compare(math.Abs(a.T), math.Abs(b.T)) })
	if worth := strongest.Coefficient.Value; strongest.Pair != pair || math.Abs(worth-0.15) > 0.05 {
		t.Errorf("%s is strongest (t %.2f) and worth %.3f, planted was %s, worth 0.15", strongest.Pair, strongest.T, worth, pair)
	}
	nominal(t, regression, nulls)

	nested := analyse(t, dir, "played", "nested")
	if got := nested.cell(t, "Fixed Best Round", "last round of all", "openai/peak"); *got != bestRound {
		t.Errorf("the best round is %v, planted was %d", *got, bestRound)
	}
	of := func(method string) float64 { return *nested.cell(t, method, "score", "openai/peak") }
	if best, last, oracle := of("Fixed Best Round"), of("Baseline"), of("Oracle"); best < last+0.1 || best < oracle-0.01 || best > oracle+1e-9 {
		t.Errorf("round %d is worth %.3f, the last one %.3f, the best of each %.3f", bestRound, best, last, oracle)
	}
}

// nominal: where chance alone plays, campaigns that claim something and tests that
// reject at 5 % are no more than a binomial of that rate has in 999 of 1000
// experiments. Where there are many, the tests are not fewer either.
func nominal(t *testing.T, regression analysed, models []string) {
	t.Helper()
	claimed, rejected, tested := 0, 0, 0
	for _, model := range models {
		if claims, _ := regression.claims(t, "model", "openai/"+model); len(claims) > 0 {
			claimed++
		}
		for _, e := range regression.effects(t, "model", "openai/"+model) {
			if tested++; *e.P <= 0.05 {
				rejected++
			}
		}
	}
	rate := func(n int) distuv.Binomial { return distuv.Binomial{N: float64(n), P: 0.05} }
	if rate(len(models)).Survival(float64(claimed-1)) < 0.001 || rate(tested).Survival(float64(rejected-1)) < 0.001 || rate(tested).CDF(float64(rejected)) < 0.001 {
		t.Errorf("%d of %d null campaigns claim a pair, %d of %d tests reject", claimed, len(models), rejected, tested)
	}
	t.Logf("%d of %d null campaigns claim a pair, %d of %d tests reject", claimed, len(models), rejected, tested)
}
