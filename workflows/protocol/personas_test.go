package protocol_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// One after another, personas are written before anybody speaks; all see them,
// neutral agents have none, and those of a list are in no entry.
func TestPersonas(t *testing.T) {
	s := discussing(3, plurality(), func(p *protocol.DiscussionParams) { p.Personas.Kind, p.Neutral = "generated", 1 })
	var first []string
	play(t, s, 100, func(p protocol.Pending) transcript.Act {
		if len(first) < 4 {
			first = append(first, fmt.Sprint(p.Speaker.Role, p.Phase, p.Payload.Format, indices(seen(s, p.Step))))
		}
		return transcript.Act{Status: transcript.Said, Key: "x", Ballot: &transcript.Ballot{}}
	})
	if want := []string{"personaspersonapersona[]", "personaspersonapersona[0]", "talkreply[0 1]", "talkreply[0 1 2]"}; !slices.Equal(first, want) {
		t.Errorf("%v, want %v", first, want)
	}
	if roles := s.Protocol().Traits().Roles; !slices.Equal(roles, []string{"personas"}) {
		t.Errorf("roles are %v", roles)
	}
	for text, want := range map[string]string{
		`"generated"`: "false", `"none"`: "false", `"neutral"`: "true  ", `[{"role": "Judge", "description": "old"}]`: "true Judge old",
	} {
		var p protocol.Personas
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		s := discussing(1, plurality(), func(params *protocol.DiscussionParams) { params.Personas = p })
		persona, given := s.Protocol().Traits().Persona(0)
		if got := strings.TrimSuffix(fmt.Sprint(given, " ", persona.Role, " ", persona.Description), "  "); got != strings.TrimSuffix(want, "  ") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if back, err := json.Marshal(p); err != nil || strings.ReplaceAll(string(back), ",", ", ") != strings.ReplaceAll(strings.ReplaceAll(text, ": ", ":"), ", ", ", ") {
			t.Errorf("%s is written as %s, %v", text, back, err)
		}
	}
}

func TestPersonasMisspelt(t *testing.T) {
	for _, text := range []string{`[{"role": "Judge", "describe": "old"}]`, `[{"role": "Judge"}, 3]`, `7`} {
		var p protocol.Personas
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s is taken as %+v", text, p)
		}
	}
}

// In a list a word may stand for a persona: it is written by a model, or there is none.
func TestPersonasMixed(t *testing.T) {
	const text = `["neutral",{"role":"Judge","description":"old"},"generated","generated"]`
	var p protocol.Personas
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if back, err := json.Marshal(p); err != nil || string(back) != text {
		t.Errorf("%s, %v", back, err)
	}
	s := discussing(4, plurality(), func(params *protocol.DiscussionParams) { params.Personas = p })
	d := s.Protocol().(*protocol.Discussion)
	if got := d.Traits().Authored; !slices.Equal(got, []int{2, 3}) {
		t.Errorf("personas are written for %v", got)
	}
	var given []string
	for agent := range 4 {
		one, ok := d.Traits().Persona(agent)
		given = append(given, fmt.Sprint(ok, " ", one.Role))
	}
	if got := strings.Join(given, ", "); got != "true , true Judge, false , false " {
		t.Errorf("given are %s", got)
	}
	if err := json.Unmarshal([]byte(`["famous", "neutral", "neutral", "neutral"]`), &p); err != nil {
		t.Fatal(err)
	}
	params := protocol.DefaultDiscussion()
	params.Personas = p
	if _, err := protocol.NewDiscussion(params, protocol.Setting{Agents: 4, Rule: plurality()}); err == nil || !strings.Contains(err.Error(), `item 1 is "famous"`) {
		t.Errorf("a list with famous: %v", err)
	}
}
