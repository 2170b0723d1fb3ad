package campaignfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/stopping"
)

// fits of every method, as a command writes them.
var fits = map[string]string{
	stopping.MethodBaseline:    `{"method":"baseline","on":{}}`,
	stopping.MethodFirst:       `{"method":"first_agreement","on":{}}`,
	stopping.MethodConsecutive: `{"method":"consecutive_agreements","on":{}}`,
	stopping.MethodCheckpoint:  `{"method":"validation_checkpoint","round":3,"on":{}}`,
	stopping.MethodFixed:       `{"method":"fixed_best_round","round":3,"on":{}}`,
	stopping.MethodStability:   `{"method":"stability","round":3,"on":{}}`,
	stopping.MethodEProcess:    `{"method":"e_process","evidence":{"rounds":[[0,1],[0,1,1]],"odds":0,"threshold":1.2,"alpha":0.1,"delta":0.1},"on":{}}`,
	stopping.MethodDistance:    `{"method":"information_distance","threshold":0.25,"on":{},"asks":{"model":{"name":"embedder/tfidf"},"generate":{},"reasks":0}}`,
	stopping.MethodDialogueAct: `{"method":"dialogue_act","signals":[{"pair":"Propose->Accept","coefficient":0.5}],"count_per_round":1,"score":1,"on":{},"asks":{"model":{"name":"scripted/labeller"},"generate":{},"reasks":2,"words":"w"}}`,
}

// learning is a host that fits each method as above.
func learning() campaignfile.Host {
	return campaignfile.Host{Catalogue: catalogue.Builtin(), Learn: func(_ string, c plan.Condition, recorded json.RawMessage) (json.RawMessage, error) {
		params, _, _ := c.Learned()
		if recorded != nil {
			return recorded, nil
		}
		return json.RawMessage(fits[params.Method]), nil
	}}
}

func learnedFile(method, rest string) []byte {
	return fmt.Appendf(nil, "name: live\nmodel: scripted/x\n%sstop: {name: learned, from: past, method: %s}\n", rest, method)
}

// A method is accepted where the protocol leaves what it looks at.
func TestLearnedTimesProtocols(t *testing.T) {
	accepts := map[string][]string{
		"roundtable": stopping.MethodNames(),
		"debate":     {stopping.MethodBaseline, stopping.MethodFirst, stopping.MethodCheckpoint, stopping.MethodFixed, stopping.MethodStability, stopping.MethodEProcess},
	}
	for protocol, x := range agreeing {
		for _, method := range stopping.MethodNames() {
			_, err := campaignfile.Parse(learnedFile(method, x.file), learning())
			want := method == stopping.MethodBaseline || strings.Contains(strings.Join(accepts[protocol], " "), method)
			if (err == nil) != want {
				t.Errorf("%s in %s: %v", method, protocol, err)
			}
			if err != nil && !strings.Contains(err.Error(), "stop: learned with the method "+method+" means nothing for the protocol "+protocol) {
				t.Errorf("%s in %s: %v", method, protocol, err)
			}
		}
	}
}

// The fit is part of the condition's identity, and a recorded one is kept.
func TestLearnedIsPartOfTheIdentity(t *testing.T) {
	const rest = "env: exchange\nrule: plurality\nprotocol: {name: roundtable, rounds: 4}\n"
	first, err := campaignfile.Parse(learnedFile(stopping.MethodCheckpoint, rest), learning())
	if err != nil {
		t.Fatal(err)
	}
	c := first.Campaign.Conditions[0]
	if _, fit, ok := c.Learned(); !ok || fit.Round != 3 || !json.Valid(c.Stop.Params) {
		t.Fatalf("the fit is %+v of %s", fit, c.Stop.Params)
	}
	other := learning()
	other.Learn = func(_ string, _ plan.Condition, recorded json.RawMessage) (json.RawMessage, error) {
		if recorded != nil {
			return recorded, nil
		}
		return json.RawMessage(`{"method":"validation_checkpoint","round":2,"on":{}}`), nil
	}
	second, err := campaignfile.Parse(learnedFile(stopping.MethodCheckpoint, rest), other)
	if err != nil || second.Campaign.Conditions[0].ID() == c.ID() {
		t.Errorf("another fit has the same id, %v", err)
	}
	other.Recorded = func(string) (plan.Campaign, error) { return first.Campaign, nil }
	again, err := campaignfile.Parse(learnedFile(stopping.MethodCheckpoint, rest), other)
	if err != nil || again.Campaign.Revision() != first.Campaign.Revision() {
		t.Errorf("the recorded fit is not kept, %v", err)
	}
	if changed, err := campaignfile.Parse(learnedFile(stopping.MethodFixed, rest), other); err == nil && changed.Campaign.Conditions[0].ID() == c.ID() {
		t.Error("another method has the recorded fit")
	}
}

// What a fit asks for counts among the models of its condition, and its calls among the most there can be.
func TestLearnedAsksAnnotators(t *testing.T) {
	const rest = "env: exchange\nrule: plurality\nprotocol: {name: roundtable, rounds: 4}\n"
	most := map[string]int{}
	for _, method := range stopping.MethodNames() {
		file, err := campaignfile.Parse(learnedFile(method, rest), learning())
		if err != nil {
			t.Fatal(err)
		}
		c := file.Campaign.Conditions[0]
		if most[method], err = c.MostCalls(catalogue.Builtin(), 3); err != nil {
			t.Fatal(err)
		}
		a, asks := c.Annotator()
		models := c.AllModels()
		if asks != (method == stopping.MethodDistance || method == stopping.MethodDialogueAct) || asks && models[len(models)-1].Name != a.Model.Name {
			t.Errorf("%s asks %+v, %v", method, a, models)
		}
		if strings.Contains(string(c.Stop.ForHistory().Params), "asks") {
			t.Errorf("%s: the words of its annotator get into histories", method)
		}
	}
	// 3 agents, 4 rounds: a label for each message but those of the last round, a distance for rounds 2 and 3.
	if base := most[stopping.MethodBaseline]; most[stopping.MethodDialogueAct] != base+9 || most[stopping.MethodDistance] != base+2 || most[stopping.MethodCheckpoint] != base {
		t.Errorf("the most calls are %v", most)
	}
}

func TestLearnedRefuses(t *testing.T) {
	const rest = "env: exchange\nrule: plurality\nprotocol: {name: roundtable, rounds: 4}\n"
	failing := learning()
	failing.Learn = func(string, plan.Condition, json.RawMessage) (json.RawMessage, error) {
		return nil, &campaignfile.FitError{Key: "method", Err: errors.New("there are no labels")}
	}
	for _, x := range []struct {
		stop, want string
		host       campaignfile.Host
	}{
		{"{name: learned, from: past, method: dialogue}", `line 5: stop.method: is "dialogue"; expected one of baseline,`, learning()},
		{"{name: learned, method: dialogue_act}", "line 5: stop: from is missing", learning()},
		{"learned", "line 5: stop: from is missing", learning()},
		{"{name: learned, from: past, method: e_process, alpha: 0}", "line 5: stop.alpha: is 0; expected more than 0 and less than 1", learning()},
		{"{name: learned, from: past, method: e_process, alpha: 1}", "line 5: stop.alpha: is 1; expected more than 0 and less than 1", learning()},
		{"{name: learned, from: past, method: stability, alpha: 0}", "line 5: stop.alpha: is 0, and the method stability has no bound", learning()},
		{"{name: learned, from: past, method: stability, labeller: nonsense}", `line 5: stop.labeller: is "nonsense", and the method stability is fitted on no labels`, learning()},
		{"{name: learned, from: past, method: dialogue_act}", "line 5: stop.method: there are no labels", failing},
		{"{name: learned, from: past, method: dialogue_act}", "line 5: stop: nothing is fitted", campaignfile.Host{Catalogue: catalogue.Builtin()}},
		{"{name: learned, from: past, method: dialogue_act, fit: {method: first_agreement, on: {}}}", "line 5: stop.fit: is of the method first_agreement", learning()},
		{"{name: learned, from: past, method: dialogue_act, fit: {method: dialogue_act, signals: [{pair: x, coefficient: 1}], on: {}}}", "line 5: stop.fit: is unusable: ", learning()},
	} {
		_, err := campaignfile.Parse(fmt.Appendf(nil, "name: live\nmodel: scripted/x\n%sstop: %s\n", strings.Replace(rest, "\nprotocol: {name: roundtable, rounds: 4}", "", 1), x.stop), x.host)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.stop, err, x.want)
		}
	}
}
