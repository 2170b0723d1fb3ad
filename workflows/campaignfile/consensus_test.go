package campaignfile_test

import (
	"strings"
	"testing"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
)

// TestConsensusFile: a protocol without votes takes no rule and needs states that move.
func TestConsensusFile(t *testing.T) {
	const good = "name: x\nenv: consensus\nprotocol: {name: consensus, network: [full, [[0, 0, 0], [1, 0, 0], [1, 1, 0]]], delay: 1}\nmodel: scripted/average\n"
	file, err := campaignfile.Parse([]byte(good), campaignfile.Host{Catalogue: catalogue.Builtin()})
	if err != nil {
		t.Fatal(err)
	}
	if id := file.Campaign.Conditions[0].ID(); !strings.HasPrefix(id, "consensus-") || file.Rounds[0] != 9 {
		t.Errorf("%s has %d rounds", id, file.Rounds[0])
	}
	for text, want := range map[string]string{
		good + "rule: majority\n":                                   "line 5: rule: the protocol consensus decides without a rule; leave it out",
		strings.Replace(good, "env: consensus", "env: exchange", 1): "line 3: protocol: consensus needs agents with states that move, and the environment exchange has none",
		strings.Replace(good, "protocol: {name: consensus, network: [full, [[0, 0, 0], [1, 0, 0], [1, 1, 0]]], delay: 1}", "protocol: deliberation\nrule: majority", 1): "line 3: protocol: deliberation needs a state that agents estimate, and the environment consensus has none",
		strings.Replace(good, "protocol: {name: consensus", "protocol: {name: roundtable", 1):                                                                           "rule: is missing",
		strings.Replace(good, "[1, 1, 0]", "[1, 2, 0]", 1):                                                                                                              "line 3: protocol.network: is wrong in row 3: [1 2 0]; a matrix holds 0 and 1 only",
		strings.Replace(good, "delay: 1", "delay: -1", 1):                                                                                                               "line 3: protocol.delay: is wrong: [-1]; delays are from 0 to 1000 rounds",
	} {
		if _, err := campaignfile.Parse([]byte(text), campaignfile.Host{Catalogue: catalogue.Builtin()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}
