package campaignfile_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/envs/wording"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
)

// Every error of a file is reported at once with its line.
func TestAllErrorsAtOnce(t *testing.T) {
	data, err := os.ReadFile("testdata/faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := errorsOf(t, string(data))
	var stops []string
	for _, s := range catalogue.Builtin().Stopping {
		stops = append(stops, s.Name)
	}
	got := strings.ReplaceAll(found.Error(), wording.Or(stops), "[all stopping rules]") + "\n"
	const golden = "testdata/faults.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	lines := strings.Split(string(data), "\n")
	for i, f := range found {
		if f.Line < 1 || f.Line > len(lines) {
			t.Errorf("%v has no line", f)
			continue
		}
		if i > 0 && f.Line < found[i-1].Line {
			t.Errorf("%v comes after a later line", f)
		}
		// The line shows the key or the value that the error is about.
		last := f.Key[strings.LastIndexAny(f.Key, ".")+1:]
		last, _, _ = strings.Cut(last, "[")
		if line := lines[f.Line-1]; !strings.Contains(line, last) {
			t.Errorf("%v points at the line %q", f, line)
		}
	}
}

func lines(text ...string) string { return strings.Join(text, "\n") + "\n" }

const minimal = "name: a\nenv: exchange\nprotocol: roundtable\nrule: majority\nmodel: scripted/trader\n"

// One error each: its line and what must be in its words.
func TestErrors(t *testing.T) {
	for name, x := range map[string]struct {
		text string
		line int
		says string
	}{
		"empty file":             {"", 1, "a campaign file is a mapping with name"},
		"only a comment":         {"# nothing\n", 1, "a campaign file is a mapping"},
		"a list":                 {"- name\n", 1, "a campaign file is a mapping"},
		"a word":                 {"campaign", 1, "a campaign file is a mapping"},
		"tab":                    {"name: a\nenv:\n\tname: exchange\n", 3, "not valid YAML: found character that cannot start any token"},
		"unclosed":               {minimal + "grid: {rule: [majority\n", 6, "not valid YAML"},
		"not UTF-8":              {"name: a\nseed: \xff\n", 2, "not valid YAML: invalid leading UTF-8 octet"},
		"NUL":                    {"name: a\x00\n", 1, "not valid YAML: control characters are not allowed"},
		"second document":        {minimal + "---\nname: b\n", 6, "a second document begins; a campaign file has one"},
		"trailing content":       {minimal + "---\n" + minimal, 6, "a second document begins"},
		"broken second document": {minimal + "---\n\t{", 7, "not valid YAML"},
		"unknown anchor":         {minimal + "stop: *nowhere\n", 6, "not valid YAML: unknown anchor 'nowhere'"},
		"unknown key":            {minimal + "sed: 1\n", 6, "sed: unknown key; known are name, seed, replicates"},
		"key given twice":        {minimal + "rule: rated\n", 6, "rule: given twice"},
		"header key twice":       {minimal + "seed: 1\nseed: 1\n", 7, "seed: given twice"},
		"grid twice":             {minimal + "grid: {}\ngrid: {}\n", 7, "grid: given twice"},
		"number as key":          {minimal + "7: x\n", 6, "the key 7 is not a name; if it is one, write it in quotes: \"7\""},
		"list as key":            {minimal + "? [a]\n: x\n", 6, "a list cannot be a key; keys are names"},
		"nothing as key":         {minimal + "~: x\n", 6, "a key is missing before the colon"},
		"deep number as key":     {lines("name: a", "env: exchange", "protocol: roundtable", "rule: majority", "model:", "  name: scripted/trader", "  policy: {1: 2}"), 7, "the key 1 is not a name"},
		"merged mapping":         {lines("name: a", "env: &e {name: exchange}", "protocol: {name: roundtable, <<: *e}", "rule: majority", "model: scripted/trader"), 3, "mappings cannot be merged with <<; write the keys out"},

		"no name":          {lines("env: exchange", "protocol: roundtable", "rule: majority", "model: scripted/trader"), 0, "name: is missing"},
		"empty name":       {strings.Replace(minimal, "name: a", "name:", 1), 1, "name: is empty"},
		"name of spaces":   {strings.Replace(minimal, "name: a", "name: '  '", 1), 1, "is not a campaign name; use 1 to 63 of a-z, 0-9 and -"},
		"name with a dash": {strings.Replace(minimal, "name: a", "name: -a", 1), 1, "not beginning with -"},
		"name with a path": {strings.Replace(minimal, "name: a", "name: ../a", 1), 1, `"../a" is not a campaign name`},
		"long name":        {strings.Replace(minimal, "name: a", "name: "+strings.Repeat("a", 64), 1), 1, "1 to 63"},
		"name is a number": {strings.Replace(minimal, "name: a", "name: 12", 1), 1, `"12" is not a text`},
		"name is a list":   {strings.Replace(minimal, "name: a", "name: [a]", 1), 1, "a list is not a text"},

		"no env":              {strings.Replace(minimal, "env: exchange\n", "", 1), 0, "env: is missing; expected exchange, recsys"},
		"no protocol":         {strings.Replace(minimal, "protocol: roundtable\n", "", 1), 0, "protocol: is missing; expected roundtable"},
		"no rule":             {strings.Replace(minimal, "rule: majority\n", "", 1), 0, "rule: is missing; expected unanimous, majority"},
		"no model":            {strings.Replace(minimal, "model: scripted/trader\n", "", 1), 0, "model: is missing; models are provider/model"},
		"empty env":           {strings.Replace(minimal, "env: exchange", "env:", 1), 2, "env: is empty; expected exchange, recsys"},
		"empty mapping":       {strings.Replace(minimal, "env: exchange", "env: {}", 1), 2, "env: has no name; expected exchange"},
		"misspelt label":      {minimal + "grid: {rule: [{labl: x, value: majority}]}\n", 6, "grid.rule.labl: unknown key; a value with a label is written {label: …, value: …}"},
		"null in a mapping":   {strings.Replace(minimal, "env: exchange", "env: {name: ~}", 1), 2, "env: is empty; expected exchange"},
		"list for env":        {strings.Replace(minimal, "env: exchange", "env: [exchange]", 1), 2, "a list is neither a name nor a mapping with a name"},
		"unknown env":         {strings.Replace(minimal, "env: exchange", "env: chess", 1), 2, `unknown environment "chess"; expected exchange, recsys`},
		"unknown protocol":    {strings.Replace(minimal, "roundtable", "parliament", 1), 3, `unknown protocol "parliament"`},
		"unknown rule":        {strings.Replace(minimal, "majority", "[]", 1), 4, "a list is neither a name"},
		"unknown model":       {strings.Replace(minimal, "scripted/trader", "gpt", 1), 5, `"gpt" is not a model; models are`},
		"unknown policy":      {strings.Replace(minimal, "scripted/trader", "scripted/poet", 1), 5, "poet"},
		"misspelt policy":     {strings.Replace(minimal, "scripted/trader", "scripted/tradr", 1), 5, `unknown policy "tradr"; expected trader or stubborn; did you mean trader?`},
		"misspelt utility":    {strings.Replace(minimal, "env: exchange", "env: {name: exchange, utility: symetric}", 1), 2, `unknown utility "symetric"; expected `},
		"utility meant":       {strings.Replace(minimal, "env: exchange", "env: {name: exchange, utility: symetric}", 1), 2, "; did you mean symmetric?"},
		"useless stop":        {minimal + "stop: converged\n", 6, "stop: converged means nothing for the protocol roundtable; never, first_agreement"},
		"unknown stop":        {minimal + "stop: later\n", 6, `unknown stopping rule "later"; expected never, first_agreement`},
		"parameter of never":  {minimal + "stop: {name: never, x: 1}\n", 6, "stop.x: unknown key; nothing can be set here"},
		"parameter too large": {strings.Replace(minimal, "env: exchange", "env: {name: exchange, agents: 101}", 1), 2, "env.agents: is 101; it is a number from 2 to 100"},
		"no whole number":     {strings.Replace(minimal, "env: exchange", "env: {name: exchange, agents: 2.5}", 1), 2, `env.agents: "2.5" is not a whole number`},
		"quoted number":       {strings.Replace(minimal, "env: exchange", `env: {name: exchange, agents: "3"}`, 1), 2, `env.agents: "3" is not a whole number`},
		"infinite":            {strings.Replace(minimal, "env: exchange", "env: {name: exchange, tolerance: .inf}", 1), 2, `env.tolerance: ".inf" is not a number that can be used`},
		"too many digits":     {minimal + "seed: 99999999999999999999\n", 6, "is not a whole number of at least 0"},
		"wrong tag":           {minimal + "seed: !!int x\n", 6, `seed: "x" is not int`},
		"null parameter":      {strings.Replace(minimal, "env: exchange", "env: {name: exchange, agents: }", 1), 2, "env.agents: is empty"},
		"wrong phase":         {strings.Replace(minimal, "roundtable", "{name: roundtable, phases: [talk]}", 1), 3, `unknown phase "talk"; expected message, proposal or vote`},
		"unknown phase key":   {strings.Replace(minimal, "roundtable", "{name: roundtable, phases: [message, {phase: vote, each: 2}]}", 1), 3, "protocol.phases[1]: "},

		"data folder":      {minimal + "data: nowhere\n", 6, "data: the folder nowhere cannot be opened"},
		"prompts folder":   {minimal + "prompts: nowhere\n", 6, "prompts: the folder nowhere cannot be opened"},
		"recsys, no data":  {strings.Replace(strings.Replace(minimal, "exchange", "recsys", 1), "trader", "rater", 1), 2, "env: needs MovieLens-100k: set data:"},
		"recsys, lost":     {strings.Replace(strings.Replace(minimal, "exchange", "recsys", 1), "trader", "rater", 1) + "data: nowhere\n", 6, "data: the folder nowhere"},
		"other data":       {strings.Replace(strings.Replace(minimal, "exchange", "recsys", 1), "trader", "rater", 1) + "data: ml-tiny\n", 2, "set synthetic: true"},
		"many instances":   {strings.Replace(strings.Replace(minimal, "exchange", "{name: recsys, synthetic: true, n: 5}", 1), "trader", "rater", 1) + "data: ml-tiny\ninstances: 6\n", 7, "instances: is 6; the environment recsys {\"history\":0,\"n\":5,\"synthetic\":true} has 5"},
		"no instances":     {minimal + "instances: 0\n", 6, "instances: 0 is not from 1"},
		"no replicates":    {minimal + "replicates: 0\n", 6, "replicates: 0 is not from 1"},
		"empty replicates": {minimal + "replicates:\n", 6, "replicates: is empty"},
		"too many cells":   {minimal + "replicates: 10000\ninstances: 1001\n", 0, "10010000 cells are planned; expected at most 10000000"},
		"cache scope":      {minimal + "cache_scope: all\n", 6, "expected condition, campaign or lake"},
		"limits":           {minimal + "limits:\n  calls: 20001\n", 7, "limits.calls: is 20001 at once; expected 1 to 20000"},
		"empty labels":     {minimal + "labels:\n", 6, "labels: is empty"},
		"labels is a name": {minimal + "labels: scripted/labeller\n", 6, "is not a mapping of model, generate, reasks"},
		"no labeller":      {minimal + "labels: {reasks: 1}\n", 6, "labels: has no model; models are provider/model, as scripted/labeller"},
		"empty labeller":   {minimal + "labels:\n  model:\n", 7, "labels.model: is empty"},
		"other labeller":   {minimal + "labels:\n  model: scripted/trader\n", 7, `labels.model: "scripted/trader" cannot label`},
		"labeller's key":   {minimal + "labels:\n  model:\n    name: scripted/labeller\n    base: x\n", 9, "labels.model.base: unknown key; nothing can be set here"},
		"labels' key":      {minimal + "labels: {agent: scripted/labeller, model: scripted/labeller}\n", 6, "labels.agent: unknown key; known are model, generate, reasks"},
		"labels' heat":     {minimal + "labels:\n  model: scripted/labeller\n  generate: {temperature: 3}\n", 8, "labels.generate.temperature: is 3; expected 0 to 2"},
		"labels' reasks":   {minimal + "labels: {model: scripted/labeller, reasks: 11}\n", 6, "labels.reasks: is 11; expected 0 to 10"},
		"labels vary":      {minimal + "grid: {labels.reasks: [1, 2]}\n", 6, "grid.labels.reasks: cannot vary"},
		"empty limits":     {minimal + "limits:\n", 6, "limits: is empty"},
		"reasks":           {minimal + "reasks: 11\n", 6, "reasks: is 11; expected 0 to 10"},
		"cold":             {minimal + "generate:\n  max_tokens: 5\n  temperature: -1\n", 8, "generate.temperature: is -1; expected 0 to 2"},
		"no number":        {minimal + "generate:\n  temperature: .nan\n", 7, `generate.temperature: ".nan" is not a number that can be used here`},
		"limit misspelt":   {minimal + "limits:\n  models:\n    openai/x: {requests_per_minut: 5}\n", 8, "limits.models.openai/x.requests_per_minut: unknown key"},
		"limit of no kind": {minimal + "limits: {models: {openai/x: fast}}\n", 6, `limits.models.openai/x: "fast" is not a mapping of requests_per_minute`},
		"batch's wait":     {minimal + "limits: {tier: batch, tier_wait: 5s}\n", 6, `limits.tier_wait: is "5s"; expected a time from 30s to 48h, as 12h, or never`},
		"other tier":       {minimal + "limits: {tier: priority}\n", 6, `limits.tier: is "priority"; expected standard, flex or batch`},
		"tier's wait":      {minimal + "limits:\n  tier: flex\n  tier_wait: soon\n", 8, `limits.tier_wait: is "soon"; expected a time from 0s to 24h, as 15m, or never`},
		"wait for nothing": {minimal + "limits: {tier_wait: 5m}\n", 6, "limits.tier_wait: is set without tier: flex or batch"},
		"effort":           {minimal + "generate: {reasoning_effort: huge}\n", 6, `generate.reasoning_effort: is "huge"; expected none, minimal, low, medium, high, xhigh or max`},
		"two efforts":      {minimal + "generate: {reasoning_effort: max, thinking: 2000}\n", 6, "generate.thinking: reasoning_effort is set, too"},
		"no thinking":      {minimal + "generate: {thinking: 0}\n", 6, "generate.thinking: is 0; it is a number of tokens above 0"},
		"extra logprobs":   {minimal + "generate: {extra_body: {logprobs: true}}\n", 6, "generate.extra_body.logprobs: is set by roundtable itself"},
		"unweighed":        {strings.Replace(minimal, "majority", "weighted", 1), 4, "rule: weighted needs the log-probabilities of answers; set generate: {logprobs: true}"},
		"one unweighed":    {strings.Replace(minimal, "majority", "weighted", 1) + "generate: {logprobs: true}\nagents: [{role: clerk, generate: {temperature: 1}}, {}, {}]\n", 4, "rule: weighted needs the log-probabilities"},
		"labels' logprobs": {minimal + "labels: {model: scripted/labeller, generate: {logprobs: true}}\n", 6, "labels.generate.logprobs: is true; log-probabilities are kept of turns only"},
		"generate":         {minimal + "generate: hot\n", 6, `generate: "hot" is not a mapping of temperature, top_p`},

		"grid is a list":         {minimal + "grid: [rule]\n", 6, "grid: a list is not a mapping of keys to lists of values"},
		"grid is empty":          {minimal + "grid:\n", 6, "grid: nothing is not a mapping"},
		"axis is a word":         {minimal + "grid: {stop: never}\n", 6, `grid.stop: "never" is not a list of values; write [never]`},
		"axis is empty":          {minimal + "grid: {stop: []}\n", 6, "grid.stop: is an empty list; give at least one value"},
		"axis with nothing":      {minimal + "grid: {stop: [never, ]}\n" + "grid: 1\n", 7, "grid: given twice"},
		"null on an axis":        {minimal + "grid: {stop: [never, ~]}\n", 6, "stop: is empty; expected never"},
		"axis cannot vary":       {minimal + "grid: {seed: [1, 2]}\n", 6, "grid.seed: cannot vary; env, protocol, rule"},
		"axis within the header": {minimal + "grid: {limits.calls: [1, 2]}\n", 6, "grid.limits.calls: cannot vary"},
		"axis twice":             {minimal + "grid:\n  stop: [never]\n  stop: [never]\n", 8, "grid.stop: given twice"},
		"value twice":            {minimal + "grid:\n  stop:\n  - never\n  - {name: never}\n", 9, `stop: "never" is there twice`},
		"number twice":           {minimal + "grid:\n  protocol.rounds: [4, 4.0]\n", 7, "protocol.rounds: 4 is there twice"},
		"same condition":         {minimal + "grid:\n  generate: [{}, {max_tokens: 0}]\n", 6, `grid: generate {"max_tokens":0} is the same condition as generate {}`},
		"too many points":        {minimal + "grid:\n" + axis("protocol.rounds", 101) + axis("reasks", 100), 6, "grid: makes more than 10000 conditions"},
		"unknown nested key":     {minimal + "grid:\n  protocol.round: [1]\n", 7, "protocol.round: unknown key; known are rounds, phases, ties"},
		"key within a number":    {minimal + "reasks: 1\ngrid:\n  reasks.x: [2]\n", 6, `reasks: "1" has no keys, but the grid sets reasks.x`},
		"nested wrong value":     {minimal + "grid:\n  protocol.rounds: [3, 0, 5]\n", 7, "protocol.rounds: is 0; expected 1 to 1000"},
		"empty path":             {minimal + "grid:\n  protocol.: [3]\n", 7, "protocol.: unknown key"},
		"parameter for one rule": {minimal + "grid:\n  rule: [majority, rated]\n  rule.max: [5]\n", 8, "rule.max: unknown key; nothing can be set here"},
	} {
		t.Run(name, func(t *testing.T) {
			found := errorsOf(t, x.text)
			for _, f := range found {
				if f.Line == x.line && strings.Contains(f.String(), x.says) {
					return
				}
			}
			t.Errorf("no error of line %d says %q:\n%v", x.line, x.says, found)
		})
	}
}

// axis is n values of a key.
func axis(key string, n int) string {
	return "  " + key + ": [" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]\n"
}

// One thing wrong is one error: nothing follows from it.
func TestOneErrorIsOne(t *testing.T) {
	for _, text := range []string{
		strings.Replace(good, "name: good", "name: Good", 1),
		strings.Replace(good, "seed: 7", "seed: seven", 1),
		strings.Replace(good, "replicates: 2", "replicates: -2", 1),
		strings.Replace(good, "agents: 3", "agents: three", 1),
		strings.Replace(good, "agents: 3", "agents: 1000", 1),
		strings.Replace(good, "ties: keep", "ties: kept", 1),
		strings.Replace(good, "phase: vote", "phase: veto", 1),
		strings.Replace(good, "skip: 0.1", "skip: 10", 1),
		strings.Replace(good, "max: 7", "max: 1", 1),
		strings.Replace(good, "max: 7", "max: .nan", 1),
		strings.Replace(good, "0.7", "7", 1),
		strings.Replace(good, "data: ml-tiny", "data: nowhere", 1),
		strings.Replace(strings.Replace(good, "exchange", "recsys", 1), "data: ml-tiny", "data: nowhere", 1),
		strings.Replace(good, "uniform", "unicorn", 1),
		strings.Replace(minimal, "rule: majority", "grid: {rule: majority}", 1),
		strings.Replace(minimal, "protocol: roundtable", "grid: {protocol: []}", 1),
	} {
		if !strings.Contains(text, "recsys") {
			if found := errorsOf(t, text); len(found) != 1 {
				t.Errorf("%d faults:\n%v", len(found), found)
			}
		} else if found := errorsOf(t, text); strings.Contains(found.Error(), "MovieLens") {
			t.Errorf("a lost folder is also called missing:\n%v", found)
		}
	}
}

// Files made to harm are refused quickly.
func TestHostileFiles(t *testing.T) {
	bomb := "name: a\na: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+p+",", 10), ",") + "]\n"
	}
	mapBomb := strings.NewReplacer("[", "{k: [", "]", "]}").Replace(bomb)
	for name, text := range map[string]string{
		"brackets":         strings.Repeat("[", 20_000),
		"closed brackets":  minimal + "grid: {stop: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "}\n",
		"braces":           strings.Repeat("{", 20_000),
		"nested mappings":  minimal + "stop: " + strings.Repeat("{a: ", 9_000) + strings.Repeat("}", 9_000) + "\n",
		"indented":         strings.Repeat(" ", 30_000) + "a: b",
		"dashes":           strings.Repeat("- ", 20_000),
		"question marks":   strings.Repeat("? ", 20_000),
		"bomb":             bomb,
		"bomb of mappings": mapBomb,
		"bomb in the grid": minimal + strings.Replace(bomb, "name: a\n", "", 1) + "grid: {stop: *j}\n",
		"itself":           minimal + "stop: &s [*s]\n",
		"itself as key":    minimal + "stop: &s {*s : 1}\n",
		"itself twice":     minimal + "stop: &s {a: [*s, *s, *s]}\n",
		"a megabyte":       minimal + "# " + strings.Repeat("x", campaignfile.MaxFileSize),
		"many keys":        minimal + keys(50_000, ""),
		"many parameters":  minimal + "stop:\n  name: never\n" + keys(50_000, "  "),
		"the same key":     minimal + strings.Repeat("x: 1\n", 50_000),
		"long scalar":      minimal + "stop: " + strings.Repeat("x", 1_000_000),
		"long number":      minimal + "seed: " + strings.Repeat("9", 1_000_000),
		"many values":      minimal + "grid: {reasks: [" + strings.Repeat("1,", 400_000) + "]}",
		"wrong values":     minimal + "grid:\n  stop:\n" + dashes(9_999),
		"many agents":      minimal + "agents: [" + strings.Repeat("{role: a}, ", 30_000) + "]\n",
		"wrong agents":     minimal + "agents: [" + strings.Repeat("{name: a}, ", 30_000) + "]\n",
		"agents' tools":    minimal + "agents: [" + strings.Repeat("{tools: [x], votes: 0}, ", 20_000) + "]\n",
		"agents' models":   minimal + "agents: [" + strings.Repeat("{model: openai/m}, ", 30_000) + "]\n",
		"BOM and nothing":  "\ufeff",
		"UTF-16":           "\xff\xfe" + "n\x00a\x00m\x00e\x00:\x00 \x00a\x00",
		"anchors":          strings.Repeat("&a ", 20_000),
		"tags":             strings.Repeat("!!str ", 20_000),
		"directives":       strings.Repeat("%YAML 1.1\n", 20_000),
		"documents":        strings.Repeat("---\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			if !*long && slices.Contains([]string{"wrong values", "the same key", "many agents", "wrong agents", "agents' models"}, name) {
				t.Skip("-long")
			}
			started := time.Now()
			found := errorsOf(t, text)
			if took := time.Since(started); took > time.Minute {
				t.Errorf("took %v", took)
			}
			if words := found.Error(); len(words) > 1<<20 {
				t.Errorf("the faults have %d bytes", len(words))
			}
		})
	}
}

func keys(n int, indent string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(indent + "k" + number(i) + ": 1\n")
	}
	return b.String()
}

func dashes(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("  - s" + number(i) + "\n")
	}
	return b.String()
}
