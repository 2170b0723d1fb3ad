// Package catalogue is the one explicit list of environments, protocols,
// decision rules and stopping rules. Adding one of ours is one line here. The list
// is a value: a program of one's own adds its plug-ins to Builtin and passes that to
// cmd/commands.
package catalogue

import (
	"fmt"
	"io/fs"
	"slices"

	"roundtable/envs"
	"roundtable/envs/allocation"
	"roundtable/envs/consensus"
	"roundtable/envs/exchange"
	"roundtable/envs/menu"
	"roundtable/envs/program"
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
	Aliases []string // other names of the same plug-in
	About   string   // one line
	Params  any      // the defaults
	// Explicit are the parameters that a condition always states, even at their default.
	Explicit []string
	// Policies that scripted agents of an environment have, for documentation.
	Policies []string
	// Blank is an environment without parameters and data: policies can be checked with it where the
	// environment itself is refused. nil where a program says which it has.
	Blank T
	New   func(envs.Decode, Needs) (T, error)
	// Traits of a protocol that its parameters do not change.
	Traits protocol.Traits
	// Prompts of a protocol: system.tmpl, one template for each phase, and parts that these include.
	Prompts fs.FS
	// Reads is what a stopping rule looks at: it can stop the protocols whose Traits.Leaves has all
	// of it.
	Reads []stopping.Trace
}

// Needs holds what an environment may need besides its parameters.
type Needs struct {
	Data     fs.FS         // the folder of its data files; nil if the campaign names none
	Programs program.Asker // asks the user's programs; nil where none can be asked
}

// Types of the entries of a Catalogue's four lists.
type (
	Environment = Plugin[envs.Environment, Needs]
	Protocol    = Plugin[protocol.Protocol, protocol.Setting]
	Rule        = Plugin[decision.Rule, struct{}]
	Stop        = Plugin[stopping.Rule, struct{}]
)

// builtInEnvironments take what they need.
func builtInEnvironments() []Environment {
	return []Environment{
		NewEnvironment("exchange", "exchange economy: divide goods among agents with different tastes (paper 1 §4.1)",
			exchange.Defaults(), exchange.New),
		NewDataEnvironment("recsys", "predict a MovieLens rating from three private tables (paper 1 §4.2)",
			recsys.Defaults(), new(recsys.MovieLens), recsys.New,
			"MovieLens-100k: set data: to its folder (roundtable data movielens says where to get it)").WithExplicit("history"),
		NewEnvironment("menu", "a menu for two guests from a stock that each agent sees a part of (paper 3 §2.2.1, §2.2.2)", menu.Defaults(), menu.New),
		NewEnvironment("allocation", "tasks for two workers and a leader, with private and pooled resources (paper 3 §2.2.3)", allocation.Defaults(), allocation.New),
		NewDataEnvironment("qa", "questions with known answers: BBH, MATH-500, StrategyQA, MMLU, GPQA, MuSR, SQuAD "+
			"and others (papers 2 and 4)", qa.Defaults(), new(qa.QA), qa.New,
			"questions: set data: to the folder of the files (examples/data has some that are made up)").WithExplicit("reading"),
		NewEnvironment("consensus", "gather at one number or point, from seeded starts (paper 5 §2)",
			consensus.Defaults(), consensus.New),
		NewEnvironment("robots", "the same for three robots in a plane, which take time to move (paper 5 §4)",
			consensus.DefaultRobots(), consensus.New),
		NewEnvironment("publicgoods", "what each contributes to a common account (Isaac and Walker 1988; Fehr and "+
			"Gächter 2000)", publicgoods.Defaults(), publicgoods.New),
		NewProgramEnvironment("program", "an environment of your own in any language: a program that answers lines of JSON", program.Defaults(), program.New),
	}
}

// builtInProtocols take their setting.
func builtInProtocols() []Protocol {
	return []Protocol{
		NewProtocol("roundtable", "message, proposal, vote; all at once in each phase (paper 1 §3)",
			protocol.DefaultRoundtable(), protocol.NewRoundtable),
		NewProtocol("debate", "answers in free text, then rounds in which each sees its peers' in an order that is "+
			"the treatment (paper 4)",
			protocol.DefaultDebate(), protocol.NewDebate).WithExplicit("memory", "speaking"),
		NewProtocol("consensus", "all see the positions of those they hear and choose their own; full, star, line, "+
			"ring, directed or any network (paper 5 §2, §3.3)",
			protocol.DefaultConsensus(), protocol.NewConsensus),
		NewProtocol("deliberation", "in turn: estimate, tools, plan, decide, talk; also centralized and oracle "+
			"(paper 3 §3)",
			protocol.DefaultDeliberation(), protocol.NewDeliberation).WithExplicit("explanations", "memory",
			"centralized_estimate"),
		NewProtocol("discussion", "personas talk in turn until they agree, or vote from a round on (paper 2)",
			protocol.DefaultDiscussion(), protocol.NewDiscussion).WithExplicit("merge_equal", "answers", "vote_reason",
			"challenge_calls"),
		NewProtocol("delphi", "anonymous estimates, the group's median and quartiles told, revised until stable "+
			"(Dalkey and Helmer 1963)",
			protocol.DefaultDelphi(), protocol.NewDelphi),
	}
}

// stoppingRules need nothing besides their parameters.
func stoppingRules() []Stop {
	return []Stop{
		NewStop("never", "all rounds are run", struct{}{}, Fixed(stopping.Never{})),
		NewStop("first_agreement", "stop when a proposal is first selected (paper 1 D.7)", struct{}{},
			Fixed(stopping.FirstAgreement{}), stopping.Decisions),
		NewStop("consecutive_agreements", "stop when nothing new is proposed after a selection (paper 1 D.7)",
			struct{}{}, Fixed(stopping.ConsecutiveAgreements{}), stopping.Decisions, stopping.Proposals),
		NewStop("learned", "stop by a method that is fitted on a past campaign: from, method (paper 1 D.7 and others)",
			stopping.LearnedParams{}, stopping.NewLearned),
		NewStop("converged", "stop when all states are within epsilon of each other", stopping.DefaultConverged(),
			stopping.NewConverged, stopping.States),
		NewStop("agreed_at_start", "talk only if fewer than a share of the agents give the same first answer",
			stopping.DefaultAgreedAtStart(), stopping.NewAgreedAtStart, stopping.Decisions),
		NewStop("confident_at_start", "talk only if fewer than a share of the agents give the same first answer and "+
			"are sure of it",
			stopping.DefaultConfidentAtStart(), stopping.NewConfidentAtStart, stopping.Decisions, stopping.Confidences),
	}
}

// builtInRules need nothing besides their parameters.
func builtInRules() []Rule {
	return []Rule{
		NewRule("unanimous", "everybody votes for it (paper 1 §3)", decision.UnanimousParams{},
			decision.NewUnanimous).WithAliases("unanimity"),
		NewRule("majority", "more than half of all agents vote for it", decision.MajorityParams{},
			decision.NewMajority).WithAliases("absolute_majority"),
		NewRule("plurality", "the most votes", decision.PluralityParams{},
			decision.NewPlurality).WithAliases("first_past_the_post", "simple"),
		NewRule("weighted", "the greatest sum of weights; a vote weighs exp(mean log-probability of its answer's tokens)",
			decision.WeightedParams{}, decision.NewWeighted),
		NewRule("rated", "the greatest sum of ratings from 1 to 5", decision.DefaultRated(),
			decision.NewRated).WithAliases("range"),
		NewRule("ranked", "rankings scored 1, 1/2, 1/3, …", decision.RankedParams{},
			decision.NewRanked).WithAliases("dowdall"),
		NewRule("cumulative", "points to distribute, as many as there are candidates", decision.CumulativeParams{},
			decision.NewCumulative),
		NewRule("cumulative25", "up to 25 points to distribute (paper 2 §3.2)", decision.DefaultCumulative25(),
			decision.NewCumulative),
		NewRule("approval", "as many candidates as one likes; the most approvals (paper 2 §3.2)",
			decision.ApprovalParams{}, decision.NewApproval),
		NewRule("borda", "the best sum of ranks: the ranked voting of paper 2", decision.BordaParams{},
			decision.NewBorda),
		NewRule("borda5", "rankings of any length of which five places count, as in the code of paper 2's authors",
			decision.DefaultBorda5(), decision.NewBorda),
		NewRule("copeland", "rankings compared pair by pair; the most pairs won", decision.CopelandParams{},
			decision.NewCopeland),
		NewRule("majority_consensus", "more than half agree with a draft (paper 2 §3.2)", decision.MajorityConsensus(),
			decision.NewAgreement),
		NewRule("supermajority_consensus", "two thirds or more agree with a draft (paper 2 §3.2)",
			decision.SupermajorityConsensus(), decision.NewAgreement).WithExplicit("inclusive"),
		NewRule("unanimity_consensus", "all agree with a draft (paper 2 §3.2)", decision.UnanimityConsensus(),
			decision.NewAgreement),
		NewRule("hybrid_consensus", "all agree with a draft, from round 5 on three quarters in groups of more than three", decision.HybridConsensus(), decision.NewAgreement),
		NewRule("judge", "a judge who is not an agent chooses one of the agents' solutions", decision.JudgeParams{},
			decision.NewJudge),
		NewRule("solution_counting", "the answer that most agents give, without a ballot (paper 2 appendix D)",
			decision.CountingParams{}, decision.NewCounting),
	}
}

// Find returns the entry of list with this name or alias; otherwise an error, which names kind,
// lists the known names.
func Find[T, N any](kind string, list []Plugin[T, N], name string) (Plugin[T, N], error) {
	var names []string
	for _, p := range list {
		if p.HasName(name) {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Plugin[T, N]{}, fmt.Errorf("unknown %s %q; expected %s%s", kind, name, wording.Or(names),
		wording.DidYouMean(name, names))
}

// HasName reports whether p has this name or alias.
func (p Plugin[T, N]) HasName(name string) bool {
	return p.Name == name || slices.Contains(p.Aliases, name)
}
