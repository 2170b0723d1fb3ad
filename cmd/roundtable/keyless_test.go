package main

import (
	"strings"
	"testing"

	"roundtable/cmd/internal/providers"
	"roundtable/workflows/plan"
)

const keylessCampaign = `name: keyless
env: exchange
protocol: {name: roundtable, rounds: 2}
rule: majority
model: openai/gpt-5-mini
generate: {max_tokens: 500}
limits: {cost_usd: 5}
`

// A plan asks nobody, so it needs no key; it names the variable that run will
// need, and other errors stay errors.
func TestPlanWithoutKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	dir := t.TempDir()
	t.Chdir(dir)
	save(t, dir, "keyless.yaml", keylessCampaign)
	out, err := runCommand(t, "plan", "keyless.yaml", "--json")
	noError(t, err)
	d := document(t, out)
	if list := d["warnings"].([]any); len(list) == 0 || list[0] != "run needs a key for openai/gpt-5-mini: the environment variable OPENAI_API_KEY is not set" {
		t.Errorf("warnings: %q", list)
	}
	for _, args := range [][]string{{"run", "keyless.yaml"}, {"plan", "keyless.yaml", "--pilot", "0.5"}} {
		if _, err := runCommand(t, args...); err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY is not set") {
			t.Errorf("%v without a key: %v", args, err)
		}
	}
	save(t, dir, "keyless.yaml", strings.Replace(keylessCampaign, "openai/gpt-5-mini", "{name: openai/gpt-5-mini, api: telepathy}", 1))
	if _, err := runCommand(t, "plan", "keyless.yaml"); err == nil || !strings.Contains(err.Error(), `api is "telepathy"`) {
		t.Errorf("a wrong parameter: %v", err)
	}
	save(t, dir, "keyless.yaml", strings.Replace(strings.Replace(keylessCampaign, "openai/gpt-5-mini", "anthropic/claude-sonnet-4-5", 1), "500", "500, temperature: 1.5", 1))
	t.Setenv("ANTHROPIC_API_KEY", "")
	if _, err := runCommand(t, "plan", "keyless.yaml"); err == nil || !strings.Contains(err.Error(), "temperature is 1.5; Anthropic takes 0 to 1") {
		t.Errorf("a parameter that the service refuses: %v", err)
	}
}

// The words about a price that cannot be read are about prices, not about Go.
func TestPriceErrors(t *testing.T) {
	const form = "; a price is written {input: 2.5, output: 10}, in US dollars for a million tokens, also with cached_input, cache_write, reasoning, flex and batch"
	for prices, want := range map[string]string{
		`{"x": 1}`:               "x: 1 is not a price" + form,
		`{"x": {"input": "a"}}`:  "x: input: expected a number, got string" + form,
		`{"x": {"inptu": 1}}`:    `x: unknown key "inptu"; known are input, output, cached_input, cache_write, reasoning, flex, batch, long, max_output, as_of; did you mean input?` + form,
		`{"y": [], "x": "free"}`: `x: "free" is not a price` + form + "\n" + "y: [] is not a price" + form,
	} {
		if err := new(providers.PriceList).Open([]byte(prices), false, plan.Limits{}); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", prices, err, want)
		}
	}
}

// A campaign that the lake does not have is named, with the one that was meant.
func TestShowNamesCampaignThatWasMeant(t *testing.T) {
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	_, err := runCommand(t, "show", "raeding/majority", "--lake", o.Lake)
	if err == nil || !strings.Contains(err.Error(), `the lake has no campaign "raeding"; it has reading; did you mean reading?`) {
		t.Error(err)
	}
}
