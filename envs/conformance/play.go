package conformance

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"roundtable/envs"
)

const rounds = 3

// game plays one instance with one policy and writes down what everybody does.
// Each round everybody speaks, then proposes, then values every candidate; the
// candidate that is liked most stands. It collects what breaks the contract.
type game struct {
	measure envs.Measure
	in      envs.Instance
	policy  envs.Policy
	state   envs.Situation
	latest  []envs.Proposal
	log     strings.Builder
	errs    []string
}

func playGame(env envs.Environment, in envs.Instance, policy envs.Policy) (g *game) {
	g = &game{measure: env.Measure(), in: in, policy: policy, latest: make([]envs.Proposal, len(in.Agents()))}
	g.state = envs.Situation{Agents: in.Agents(), Rounds: rounds}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error: // of a program that does not answer
			g.reportError("round %d: %v", g.state.Round, p)
		default:
			g.reportError("round %d ends with a panic: %v", g.state.Round, p)
		}
	}()
	for r := 1; r <= rounds; r++ {
		g.state.Round = r
		fmt.Fprintf(&g.log, "\nround %d\n", r)
		g.speakAll()
		g.proposeAll()
		g.decideRound()
	}
	return g
}

// situationOf returns what the agent knows; asking the same twice starts from the same randomness.
func (g *game) situationOf(agent int, purpose string) envs.Situation {
	s := g.state
	s.Agent, s.Observation = agent, g.in.Observe(agent)
	s.Rand = envs.Stream(seed, purpose, g.in.ID(), s.Round, agent)
	return s
}

func (g *game) reportError(format string, args ...any) {
	g.errs = append(g.errs, fmt.Sprintf(format, args...))
}

// askTwice asks the same question twice, with equal randomness, and wants one answer
// and an untouched situation.
func askTwice[T any](g *game, agent int, purpose string, ask func(envs.Situation) T) T {
	before := fmt.Sprintf("%+v", g.state)
	first, second := ask(g.situationOf(agent, purpose)), ask(g.situationOf(agent, purpose))
	if !reflect.DeepEqual(first, second) {
		g.reportError("%s of agent %d in round %d is not pure: %v, then %v", purpose, agent, g.state.Round,
			first, second)
	}
	if after := fmt.Sprintf("%+v", g.state); after != before {
		g.reportError("%s of agent %d in round %d changes its situation", purpose, agent, g.state.Round)
	}
	return first
}

func (g *game) speakAll() {
	var said []envs.Message
	for agent, who := range g.in.Agents() {
		m := askTwice(g, agent, "message", g.policy.Message)
		m.From = agent
		if err := checkReadable(m.Text); err != nil {
			g.reportError("message of agent %d: %v", agent, err)
		}
		to := "everybody"
		for i, a := range m.To {
			if a < 0 || a >= len(g.in.Agents()) || a == agent {
				g.reportError("agent %d writes to agent %d", agent, a)
				continue
			}
			if i == 0 {
				to = ""
			}
			to = strings.TrimPrefix(to+", "+g.in.Agents()[a].Name, ", ")
		}
		fmt.Fprintf(&g.log, "  %s to %s: %s\n", who.Name, to, m.Text)
		said = append(said, m)
	}
	g.state.Messages = append(slices.Clip(g.state.Messages), said...)
}

func (g *game) proposeAll() {
	type answer struct {
		Text string
		OK   bool
	}
	var made []envs.Offer
	for agent, who := range g.in.Agents() {
		a := askTwice(g, agent, "proposal", func(s envs.Situation) answer {
			text, ok := g.policy.Propose(s)
			return answer{text, ok}
		})
		if !a.OK {
			fmt.Fprintf(&g.log, "  %s makes no proposal\n", who.Name)
			continue
		}
		p, err := g.in.Parse([]byte(a.Text))
		if err != nil {
			g.reportError("agent %d in round %d proposes %s, which Parse refuses: %v", agent,
				g.state.Round, a.Text, err)
			continue
		}
		if err := checkProposal(g.in, p); err != nil {
			g.reportError("proposal of agent %d in round %d: %v", agent, g.state.Round, err)
		}
		if err := checkScore(g.measure, g.in.Score(p).Value); err != nil {
			g.reportError("proposal of agent %d in round %d: %v", agent, g.state.Round, err)
		}
		fmt.Fprintf(&g.log, "  %s proposes %s\n", who.Name, p)
		g.latest[agent] = p
		made = append(made, envs.Offer{Agent: agent, Round: g.state.Round, Proposal: p})
	}
	g.state.Offers = append(slices.Clip(g.state.Offers), made...)
}

// listCandidates returns the distinct latest proposals and the standing decision.
func (g *game) listCandidates() []envs.Proposal {
	var list []envs.Proposal
	seen := map[envs.Proposal]bool{"": true}
	for _, p := range append(slices.Clip(g.latest), g.state.Standing) {
		if !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	}
	return list
}

func (g *game) decideRound() {
	candidates := g.listCandidates()
	liking := make([]float64, len(candidates))
	for agent, who := range g.in.Agents() {
		reserve := askTwice(g, agent, "reserve", g.policy.Reserve)
		if !isShare(reserve) {
			g.reportError("Reserve of agent %d in round %d is %v", agent, g.state.Round, reserve)
		}
		fmt.Fprintf(&g.log, "  %s values", who.Name)
		for i, c := range candidates {
			v := askTwice(g, agent, "value", func(s envs.Situation) float64 { return g.policy.Value(s, c) })
			if !isShare(v) {
				g.reportError("Value of agent %d in round %d is %v", agent, g.state.Round, v)
			}
			liking[i] += v
			fmt.Fprintf(&g.log, " %.3f", v)
		}
		fmt.Fprintf(&g.log, " reserve %.3f\n", reserve)
	}
	if len(candidates) == 0 {
		return
	}
	best := 0
	for i := range liking {
		if liking[i] > liking[best] {
			best = i
		}
	}
	g.state.Standing = candidates[best]
	fmt.Fprintf(&g.log, "  stands: %s, score %.6f\n", candidates[best], g.in.Score(candidates[best]).Value)
}

func isShare(v float64) bool { return v >= 0 && v <= 1 }

// checkProposal holds a parsed proposal to the contract of Instance.
func checkProposal(in envs.Instance, p envs.Proposal) error {
	again, err := in.Parse([]byte(p))
	if err != nil {
		return fmt.Errorf("the canonical form %s is refused: %w", p, err)
	}
	if again != p {
		return fmt.Errorf("the canonical form is not fixed: %s becomes %s", p, again)
	}
	score := in.Score(p)
	if !isFinite(score.Value) || len(score.Utilities) != len(in.Agents()) {
		return fmt.Errorf("score %v and %d utilities for %d agents", score.Value, len(score.Utilities),
			len(in.Agents()))
	}
	for agent, u := range score.Utilities {
		if !isFinite(u) || in.Utility(agent, p) != u {
			return fmt.Errorf("agent %d: Score says utility %v, Utility says %v", agent, u, in.Utility(agent, p))
		}
	}
	return nil
}

// checkScore holds score to what it is said to measure.
func checkScore(m envs.Measure, score float64) error {
	switch {
	case m == envs.Share && !isShare(score):
		return fmt.Errorf("score %v is not a share from 0 to 1, as Measure says", score)
	case m == envs.Error && score > 0:
		return fmt.Errorf("score %v is not minus an error, as Measure says", score)
	case m != envs.Share && m != envs.Error:
		return fmt.Errorf("Measure is %q; it is %q or %q", m, envs.Share, envs.Error)
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkPlay plays every policy on every instance, and again at the same time on
// the same instance: one text must come out.
func checkPlay(r Reporter, env envs.Environment, opt Options) {
	for i := range opt.Instances {
		for _, name := range env.Policies() {
			in := DealInstance(r, env, i)
			policy, err := env.Policy(name, keepDefaults)
			if err != nil {
				r.Fatalf("%v", err)
			}
			games := make([]*game, 3)
			var wg sync.WaitGroup
			for k := range games {
				wg.Go(func() { games[k] = playGame(env, in, policy) })
			}
			wg.Wait()
			for _, f := range games[0].errs {
				r.Errorf("instance %d, policy %s: %s", i, name, f)
			}
			if games[0].log.String() != games[1].log.String() || games[0].log.String() != games[2].log.String() {
				r.Errorf("instance %d, policy %s: played at the same time, the games differ", i, name)
			}
		}
	}
}

// GameText returns one game of each policy on the first instance, with what its first agent reads.
func GameText(r Reporter, env envs.Environment) string {
	r.Helper()
	in := DealInstance(r, env, 0)
	var b strings.Builder
	fmt.Fprintf(&b, "version %d, instance %s\n", env.Version(), in.ID())
	for _, name := range []string{"task.tmpl", "background.tmpl", "proposal.tmpl"} {
		text, err := renderPrompt(env, name, in.Observe(0))
		if err != nil {
			r.Fatalf("%v", err)
		}
		fmt.Fprintf(&b, "\n--- %s for %s\n%s\n", name, in.Agents()[0].Name, strings.TrimSpace(text))
	}
	for _, name := range env.Policies() {
		policy, err := env.Policy(name, keepDefaults)
		if err != nil {
			r.Fatalf("%v", err)
		}
		fmt.Fprintf(&b, "\n--- policy %s\n%s", name, playGame(env, in, policy).log.String())
	}
	return b.String()
}
