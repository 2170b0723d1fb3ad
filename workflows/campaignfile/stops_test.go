package campaignfile_test

import (
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// Where each protocol's agents agree at once, and what a file with it says.
var agreeing = map[string]struct{ params, file string }{
	"roundtable":   {`{"rounds":4}`, "env: exchange\nrule: plurality\nprotocol: {name: roundtable, rounds: 4}\n"},
	"debate":       {`{"rounds":4,"confidence":true}`, "env: exchange\nrule: plurality\nprotocol: {name: debate, rounds: 4, confidence: true}\n"},
	"consensus":    {`{"rounds":4}`, "env: consensus\nprotocol: {name: consensus, rounds: 4}\n"},
	"deliberation": {`{"rounds":4,"authority":"vote"}`, "env: menu\nrule: plurality\nprotocol: {name: deliberation, rounds: 4, authority: vote}\n"},
	"delphi":       {`{"rounds":4,"stable":0}`, "env: publicgoods\nprotocol: {name: delphi, rounds: 4, stable: 0}\n"},
	"discussion":   {`{"rounds":4}`, "env: exchange\nrule: plurality\nprotocol: {name: discussion, rounds: 4}\n"},
}

// Every protocol times every stopping rule: what plan accepts ends a talk in
// which all agree at once; what could not end it is refused, with what is accepted.
func TestStoppingRulesTimesProtocols(t *testing.T) {
	for _, proto := range catalogue.Builtin().Protocols {
		x, ok := agreeing[proto.Name]
		if !ok {
			t.Errorf("the protocol %s is not here", proto.Name)
			continue
		}
		for _, stop := range catalogue.Builtin().Stopping {
			if stop.Name == plan.LearnedStop { // it has no default: TestLearnedTimesProtocols
				continue
			}
			name := stop.Name + " in " + proto.Name
			ends := stops(t, proto, x.params, stop.Name)
			if proto.Name == "debate" && stop.Name == "consecutive_agreements" {
				ends = false // it would end one round after a decision: answers are not proposals
			}
			_, err := campaignfile.Parse([]byte("name: a\nmodel: scripted/x\n"+x.file+"stop: "+stop.Name+"\n"), campaignfile.Host{Catalogue: catalogue.Builtin()})
			switch accepted := err == nil; {
			case accepted != (ends || stop.Name == "never"):
				t.Errorf("%s ends a talk early: %t; plan says: %v", name, ends, err)
			case !accepted && stop.Name == "confident_at_start" && proto.Name == "roundtable":
				if !strings.Contains(err.Error(), "stop: confident_at_start needs agents who state a confidence") {
					t.Errorf("%s: %v", name, err)
				}
			case !accepted && !strings.Contains(err.Error(), "stop: "+stop.Name+" means nothing for the protocol "+proto.Name+"; never"):
				t.Errorf("%s: %v", name, err)
			case accepted && stop.Name != "confident_at_start" && !slices.Contains(catalogue.Builtin().StopsOf(proto.Traits), stop.Name): // which a parameter decides
				t.Errorf("%s is accepted", name)
			}
		}
	}
}

// stops plays four rounds in which all agree in the first and nothing new comes later.
func stops(t *testing.T, proto catalogue.Plugin[protocol.Protocol, protocol.Setting], params, stop string) bool {
	t.Helper()
	c := plan.Condition{Protocol: plan.Choice{Name: proto.Name, Params: []byte(params)}, Stop: plan.Choice{Name: stop}}
	if !proto.Traits.Ruleless {
		c.Rule.Name = "plurality"
	}
	s, err := c.Session(catalogue.Builtin(), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for s.Outcome() == nil {
		for _, p := range s.Pending() {
			act := transcript.Act{Status: transcript.Said, Key: "A", Values: []float64{1}, Ballot: &transcript.Ballot{}}
			if p.Speaker.Role != "" { // nowhere
				act.Values = nil
			}
			if p.Payload.Format == transcript.FormatProposal && p.Round > 1 && !proto.Traits.Ruleless {
				act = transcript.Act{Status: transcript.Skipped}
			}
			if err := s.Record(p.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s.Outcome().Reason == "stopped"
}
