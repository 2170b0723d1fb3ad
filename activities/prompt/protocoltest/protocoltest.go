// Package protocoltest is the suite that every protocol passes. It plays the
// protocol without a model, over generated answers, and shows that whatever a
// step's Sees names stands in the prompt of its speaker and nothing else does,
// that steps are well formed, that a talk ends, and that it can be replayed.
package protocoltest

import (
	"cmp"
	"fmt"
	"io/fs"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Game is a protocol in an environment.
type Game struct {
	Env envs.Environment
	// Build returns the protocol, as its catalogue entry does.
	Build func(protocol.Setting) (protocol.Protocol, error)
	// Prompts are the protocol's templates.
	Prompts fs.FS
	// Rule is nil for a protocol that decides without one.
	Rule decision.Rule
	// Talks is how many talks over random answers are played; 20 if zero, none if negative.
	Talks int
	// Hears is whom agents hear; Run plays HearsNobody as well.
	Hears protocol.Hearing
}

// seed of everything that is dealt and drawn here. Environments that generate benchmarks
// have recorded that of the first seed.
const seed = 1

// Run runs the whole suite.
func Run(t *testing.T, g Game) {
	t.Helper()
	t.Run("prompts", func(t *testing.T) {
		if err := g.checkPrompts(); err != nil {
			t.Error(err)
		}
	})
	t.Run("alone", func(t *testing.T) {
		g := g
		g.Hears = protocol.HearsNobody
		if err := g.checkPrompts(); err != nil {
			t.Error(err)
		}
	})
	t.Run("steps", func(t *testing.T) {
		for talk := range max(0, cmp.Or(g.Talks, 20)) {
			if err := g.checkTalk(uint64(talk)); err != nil {
				t.Fatalf("talk %d: %v", talk, err)
			}
		}
	})
}

// instance deals the one problem that is played.
func (g Game) instance() (envs.Instance, error) { return g.Env.Instance(seed, 0) }

// session begins a talk.
func (g Game) session(agents int) (*protocol.Session, error) {
	set := protocol.Setting{Agents: agents, Rule: g.Rule, Seed: seed, Hears: g.Hears}
	p, err := g.Build(set)
	if err != nil {
		return nil, err
	}
	return protocol.Begin(p, set, stopping.Never{})
}

// templates returns the prompts of the environment, the protocol and the rule.
func (g Game) templates() (*prompt.Templates, error) {
	var words decision.Words
	if g.Rule != nil {
		words = g.Rule.Words()
	}
	pack, err := prompt.NewPack(g.Env.Prompts(), g.Prompts, nil, nil, words)
	if err != nil {
		return nil, err
	}
	return pack.Parse()
}

// nameOf a speaker in messages of the suite.
func nameOf(s transcript.Speaker) string {
	return cmp.Or(s.Role, fmt.Sprint("agent ", s.Index))
}
