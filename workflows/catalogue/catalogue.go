// Package catalogue is the one explicit list of environments, protocols,
// decision rules and stopping rules. Adding one is one line here.
package catalogue

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/envs/allocation"
	"roundtable/envs/consensus"
	"roundtable/envs/exchange"
	"roundtable/envs/menu"
	"roundtable/envs/publicgoods"
	"roundtable/envs/qa"
	"roundtable/envs/recsys"
	"roundtable/envs/wording"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// Plugin is one entry: how to build a T from its parameters and what it needs besides them.
type Plugin[T, Needs any] struct {
	Name    string
	Aliases []string // other names of the very same thing
	About   string   // one line
	Params  any      // the defaults
	// Former are the parameters whose default has changed since campaigns were
	// first recorded, with the value that it had: recorded conditions without
	// them keep it, new plans write today's value down.
	Former map[string]any
	// Policies that scripted agents of an environment have, for documentation.
	Policies []string
	New      func(envs.Decode, Needs) (T, error)
	// Traits of a protocol that its parameters do not change.
	Traits protocol.Traits
	// Reads is what a stopping rule looks at: it can stop the protocols that leave all of it.
	Reads []stopping.Trace
}

// StopsOf returns the names of the stopping rules that can stop a protocol.
func StopsOf(proto Plugin[protocol.Protocol, protocol.Setting]) []string {
	var names []string
	for _, stop := range Stopping() {
		if !slices.ContainsFunc(stop.Reads, func(t stopping.Trace) bool { return !slices.Contains(proto.Traits.Leaves, t) }) {
			names = append(names, stop.Name)
		}
	}
	return names
}

// Environments take the folder of their data files; nil if the campaign names none.
func Environments() []Plugin[envs.Environment, fs.FS] {
	return []Plugin[envs.Environment, fs.FS]{
		{Name: "exchange", About: "exchange economy: divide goods among agents with different tastes (paper 1 §4.1)",
			Params: exchange.Defaults(), Policies: new(exchange.Economy).Policies(), New: newExchange},
		{Name: "recsys", About: "predict a MovieLens rating from three private tables (paper 1 §4.2)",
			Params: recsys.Defaults(), Former: map[string]any{"history": 100}, Policies: new(recsys.MovieLens).Policies(), New: newRecsys},
		{Name: "menu", About: "a menu for two guests from a stock that each agent sees a part of (paper 3 §2.2.1, §2.2.2)",
			Params: menu.Defaults(), Policies: new(menu.Menu).Policies(), New: func(decode envs.Decode, _ fs.FS) (envs.Environment, error) {
				return with(menu.Defaults(), decode, func(p menu.Params) (envs.Environment, error) { return menu.New(p) })
			}},
		{Name: "allocation", About: "tasks for two workers and a leader, with private and pooled resources (paper 3 §2.2.3)",
			Params: allocation.Defaults(), Policies: new(allocation.Allocation).Policies(), New: func(decode envs.Decode, _ fs.FS) (envs.Environment, error) {
				return with(allocation.Defaults(), decode, func(p allocation.Params) (envs.Environment, error) { return allocation.New(p) })
			}},
		{Name: "qa", About: "questions with known answers: BBH, MATH-500, StrategyQA, MMLU, GPQA, MuSR, SQuAD and others (papers 2 and 4)",
			Params: qa.Defaults(), Former: map[string]any{"reading": qa.FirstVersion}, Policies: new(qa.QA).Policies(), New: newQA},
		{Name: "consensus", About: "gather at one number or point, from seeded starts (paper 5 §2)",
			Params: consensus.Defaults(), Policies: new(consensus.Task).Policies(), New: newConsensusTask(consensus.Defaults())},
		{Name: "robots", About: "the same for three robots in a plane, which take time to move (paper 5 §4)",
			Params: consensus.DefaultRobots(), Policies: new(consensus.Task).Policies(), New: newConsensusTask(consensus.DefaultRobots())},
		{Name: "publicgoods", About: "what each contributes to a common account (Isaac and Walker 1988; Fehr and Gächter 2000)",
			Params: publicgoods.Defaults(), Policies: new(publicgoods.Game).Policies(), New: func(decode envs.Decode, _ fs.FS) (envs.Environment, error) {
				return with(publicgoods.Defaults(), decode, func(p publicgoods.Params) (envs.Environment, error) { return publicgoods.New(p) })
			}},
	}
}

// Protocols take their setting.
func Protocols() []Plugin[protocol.Protocol, protocol.Setting] {
	return []Plugin[protocol.Protocol, protocol.Setting]{
		{Name: "roundtable", About: "message, proposal, vote; all at once in each phase (paper 1 §3)",
			Params: protocol.DefaultRoundtable(), New: newRoundtable, Traits: new(protocol.Roundtable).Traits()},
		{Name: "debate", About: "answers in free text, then rounds in which each sees its peers' in an order that is the treatment (paper 4)",
			Params: protocol.DefaultDebate(), Former: map[string]any{"memory": protocol.MemoryRetold, "speaking": protocol.SpeakingIndex},
			New: newDebate, Traits: new(protocol.Debate).Traits()},
		{Name: "consensus", About: "all see the positions of those they hear and choose their own; full, star, line, ring, directed or any network (paper 5 §2, §3.3)",
			Params: protocol.DefaultConsensus(), New: newConsensus, Traits: new(protocol.Consensus).Traits()},
		{Name: "deliberation", About: "in turn: estimate, tools, plan, decide, talk; also centralized and oracle (paper 3 §3)",
			Params: protocol.DefaultDeliberation(), Former: map[string]any{
				"explanations": protocol.ExplanationsPrivate, "memory": protocol.MemoryFull, "centralized_estimate": true,
			},
			New: newDeliberation, Traits: new(protocol.Deliberation).Traits()},
		{Name: "discussion", About: "personas talk in turn until they agree, or vote from a round on (paper 2)",
			Params: protocol.DefaultDiscussion(), Former: map[string]any{"merge_equal": true, "answers": protocol.Canonical, "vote_reason": true, "challenge_calls": 1},
			New: newDiscussion, Traits: new(protocol.Discussion).Traits()},
		{Name: "delphi", About: "anonymous estimates, the group's median and quartiles told, revised until stable (Dalkey and Helmer 1963)",
			Params: protocol.DefaultDelphi(), New: newDelphi, Traits: new(protocol.Delphi).Traits()},
	}
}

// Stopping rules need nothing besides their parameters.
func Stopping() []Plugin[stopping.Rule, struct{}] {
	return []Plugin[stopping.Rule, struct{}]{
		{Name: "never", About: "all rounds are run", Params: struct{}{}, New: fixed[stopping.Rule](stopping.Never{})},
		{Name: "first_agreement", About: "stop when a proposal is first selected (paper 1 D.7)",
			Params: struct{}{}, Reads: []stopping.Trace{stopping.Decisions}, New: fixed[stopping.Rule](stopping.FirstAgreement{})},
		{Name: "consecutive_agreements", About: "stop when nothing new is proposed after a selection (paper 1 D.7)",
			Params: struct{}{}, Reads: []stopping.Trace{stopping.Decisions, stopping.Proposals}, New: fixed[stopping.Rule](stopping.ConsecutiveAgreements{})},
		{Name: "converged", About: "stop when all states are within epsilon of each other",
			Params: stopping.DefaultConverged(), Reads: []stopping.Trace{stopping.States}, New: func(decode envs.Decode, _ struct{}) (stopping.Rule, error) {
				return with(stopping.DefaultConverged(), decode, stopping.NewConverged)
			}},
	}
}

// Find is the entry of that name or alias; the error lists what there is.
func Find[T, N any](kind string, list []Plugin[T, N], name string) (Plugin[T, N], error) {
	var names []string
	for _, p := range list {
		if p.Named(name) {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Plugin[T, N]{}, fmt.Errorf("there is no %s %q; there are %s%s", kind, name, strings.Join(names, ", "), wording.DidYouMean(name, names))
}

// Named reports whether a plug-in has that name or alias.
func (p Plugin[T, N]) Named(name string) bool {
	return p.Name == name || slices.Contains(p.Aliases, name)
}

// fixed builds a thing without parameters.
func fixed[T any](v T) func(envs.Decode, struct{}) (T, error) {
	return func(decode envs.Decode, _ struct{}) (T, error) {
		return v, decode(&struct{}{})
	}
}

// with decodes into defaults and builds.
func with[P, T any](defaults P, decode envs.Decode, build func(P) (T, error)) (T, error) {
	if err := decode(&defaults); err != nil {
		var none T
		return none, err
	}
	return build(defaults)
}

func newExchange(decode envs.Decode, _ fs.FS) (envs.Environment, error) {
	return with(exchange.Defaults(), decode, func(p exchange.Params) (envs.Environment, error) { return exchange.New(p) })
}

func newRecsys(decode envs.Decode, data fs.FS) (envs.Environment, error) {
	return with(recsys.Defaults(), decode, func(p recsys.Params) (envs.Environment, error) {
		if data == nil {
			return nil, fmt.Errorf("needs MovieLens-100k: set data: to its folder (roundtable data movielens says where to get it)")
		}
		return recsys.New(p, data)
	})
}

func newQA(decode envs.Decode, data fs.FS) (envs.Environment, error) {
	return with(qa.Defaults(), decode, func(p qa.Params) (envs.Environment, error) {
		if data == nil {
			return nil, fmt.Errorf("needs questions: set data: to the folder of the files (examples/data has some that are made up)")
		}
		return qa.New(p, data)
	})
}

func newConsensusTask(defaults consensus.Params) func(envs.Decode, fs.FS) (envs.Environment, error) {
	return func(decode envs.Decode, _ fs.FS) (envs.Environment, error) {
		return with(defaults, decode, func(p consensus.Params) (envs.Environment, error) { return consensus.New(p) })
	}
}

func newConsensus(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
	return with(protocol.DefaultConsensus(), decode, func(p protocol.ConsensusParams) (protocol.Protocol, error) {
		return protocol.NewConsensus(p, set)
	})
}

func newRoundtable(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
	return with(protocol.DefaultRoundtable(), decode, func(p protocol.RoundtableParams) (protocol.Protocol, error) {
		return protocol.NewRoundtable(p, set)
	})
}

func newDebate(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
	return with(protocol.DefaultDebate(), decode, func(p protocol.DebateParams) (protocol.Protocol, error) {
		return protocol.NewDebate(p, set)
	})
}

func newDeliberation(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
	return with(protocol.DefaultDeliberation(), decode, func(p protocol.DeliberationParams) (protocol.Protocol, error) {
		return protocol.NewDeliberation(p, set)
	})
}

func newDelphi(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
	return with(protocol.DefaultDelphi(), decode, func(p protocol.DelphiParams) (protocol.Protocol, error) {
		return protocol.NewDelphi(p, set)
	})
}

func newDiscussion(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
	return with(protocol.DefaultDiscussion(), decode, func(p protocol.DiscussionParams) (protocol.Protocol, error) {
		return protocol.NewDiscussion(p, set)
	})
}

// Rules need nothing besides their parameters.
func Rules() []Plugin[decision.Rule, struct{}] {
	return []Plugin[decision.Rule, struct{}]{
		{Name: "unanimous", Aliases: []string{"unanimity"}, About: "everybody votes for it (paper 1 §3)",
			Params: decision.UnanimousParams{}, New: rule(decision.UnanimousParams{}, decision.NewUnanimous)},
		{Name: "majority", Aliases: []string{"absolute_majority"}, About: "more than half of all agents vote for it",
			Params: decision.MajorityParams{}, New: rule(decision.MajorityParams{}, decision.NewMajority)},
		{Name: "plurality", Aliases: []string{"first_past_the_post", "simple"}, About: "the most votes",
			Params: decision.PluralityParams{}, New: rule(decision.PluralityParams{}, decision.NewPlurality)},
		{Name: "rated", Aliases: []string{"range"}, About: "the greatest sum of ratings from 1 to 5",
			Params: decision.DefaultRated(), New: rule(decision.DefaultRated(), decision.NewRated)},
		{Name: "ranked", Aliases: []string{"dowdall"}, About: "rankings scored 1, 1/2, 1/3, …",
			Params: decision.RankedParams{}, New: rule(decision.RankedParams{}, decision.NewRanked)},
		{Name: "cumulative", About: "points to distribute, as many as there are candidates",
			Params: decision.CumulativeParams{}, New: rule(decision.CumulativeParams{}, decision.NewCumulative)},
		{Name: "cumulative25", About: "up to 25 points to distribute (paper 2 §3.2)",
			Params: decision.DefaultCumulative25(), New: rule(decision.DefaultCumulative25(), decision.NewCumulative)},
		{Name: "approval", About: "as many candidates as one likes; the most approvals (paper 2 §3.2)",
			Params: decision.ApprovalParams{}, New: rule(decision.ApprovalParams{}, decision.NewApproval)},
		{Name: "borda", About: "the best sum of ranks: the ranked voting of paper 2",
			Params: decision.BordaParams{}, New: rule(decision.BordaParams{}, decision.NewBorda)},
		{Name: "borda5", About: "rankings of any length of which five places count, as in the code of paper 2's authors",
			Params: decision.DefaultBorda5(), New: rule(decision.DefaultBorda5(), decision.NewBorda)},
		{Name: "copeland", About: "rankings compared pair by pair; the most pairs won", Params: decision.CopelandParams{}, New: rule(decision.CopelandParams{}, decision.NewCopeland)},
		{Name: "majority_consensus", About: "more than half agree with a draft (paper 2 §3.2)",
			Params: decision.MajorityConsensus(), New: rule(decision.MajorityConsensus(), decision.NewAgreement)},
		{Name: "supermajority_consensus", About: "two thirds or more agree with a draft (paper 2 §3.2)",
			Params: decision.SupermajorityConsensus(), Former: map[string]any{"inclusive": false}, New: rule(decision.SupermajorityConsensus(), decision.NewAgreement)},
		{Name: "unanimity_consensus", About: "all agree with a draft (paper 2 §3.2)",
			Params: decision.UnanimityConsensus(), New: rule(decision.UnanimityConsensus(), decision.NewAgreement)},
		{Name: "hybrid_consensus", About: "all agree with a draft, from round 5 on three quarters in groups of more than three",
			Params: decision.HybridConsensus(), New: rule(decision.HybridConsensus(), decision.NewAgreement)},
		{Name: "judge", About: "a judge who is no agent chooses one of the agents' solutions",
			Params: decision.JudgeParams{}, New: rule(decision.JudgeParams{}, decision.NewJudge)},
		{Name: "solution_counting", About: "the answer that most agents give, without a ballot (paper 2 appendix D)",
			Params: decision.CountingParams{}, New: rule(decision.CountingParams{}, decision.NewCounting)},
	}
}

func rule[P any](defaults P, build func(P) (decision.Rule, error)) func(envs.Decode, struct{}) (decision.Rule, error) {
	return func(decode envs.Decode, _ struct{}) (decision.Rule, error) { return with(defaults, decode, build) }
}
