package prompt

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roundtable/activities/model"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/protocol"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// Said is what an entry says beyond its compact act.
type Said struct {
	Text     string
	Reason   string // private
	Proposal envs.Proposal
}

// Source is what prompts are made from: the present state of a collaboration.
type Source struct {
	Env        envs.Environment
	Instance   envs.Instance
	Protocol   protocol.Protocol
	Transcript *transcript.Transcript
	Said       func(entry int) Said
	Seats      []seats.Seat // by agent; none if the campaign says nothing of them
}

// Rule is the rendered text about a decision rule.
type Rule struct{ Name, Explanation, Ballot string }

// View is the data of protocol templates: what one agent may know now.
type View struct {
	Me            string
	Agents        []string
	Round, Rounds int
	Phase         string
	SystemPrompt  // Task, Background, ProposalForm, Rule
	Protocol      protocol.Protocol
	Offers        []Offer // each agent's latest proposal, by agent
	LastVote      *Vote
	Standing      *Offer
	Messages      []Message
	Candidates    []Candidate // of this ballot
	Answers       []Solution  // others' answers in free text, in the step's order
	Mine          []Solution  // the speaker's own, oldest first
	Seat          seats.Seat  // what the campaign says of the speaker
	Seats         []Seat      // what all know of each other; none if that is nothing
	Persona       string      // of the speaker; empty if it has none
	Personas      []Persona   // of the agents that have one, by agent
	Places        Positions   // states that the environment moves
	Notes         []Note      // its own estimates and what tools told it, oldest first
	Estimate      string      // its own latest one
	Tools         []Note      // what tools told it of that
	Merged        string      // all observations as one, if it is told them
	Decision      *Decision   // its own latest one, if it is shown to it
	Bare          bool        // the answer is asked for without reasons
	Confidence    bool        // the answer is to say how sure the agent is
	ReasonsShown  bool        // reasons are read by the other agents
	Required      bool        // the agent must propose something, since no earlier proposal could stand

	unshown []transcript.Entry // seen, and of a form that none of the above holds
	ends    *partEnds          // of what is rendered; nil if they are not asked for
}

// partEnds are where something ends in a text that is being rendered.
type partEnds struct {
	length func() int // of the text by now
	keys   []int
	at     []int
}

// Ended marks that from here on, a later prompt of the speaker may differ, and returns "". Marks
// come after what was said in a round, or before a message of the speaker. Templates that begin
// with what was said, in its order, call it. Of neighbouring marks with the same key the last one
// counts.
func (v View) Ended(key int) string {
	e := v.ends
	if e == nil || e.length == nil {
		return ""
	}
	if n := len(e.keys); n > 0 && (e.keys[n-1] == key || e.at[n-1] == e.length()) {
		e.at[n-1] = e.length()
	} else {
		e.keys, e.at = append(e.keys, key), append(e.at, e.length())
	}
	return ""
}

// moveInto counts the ends from the beginning of a text that was trimmed of so many bytes before it.
func (e *partEnds) moveInto(text string, before int) {
	var at []int
	for _, end := range e.at {
		if end = min(end-before, len(text)); end > 0 && (len(at) == 0 || end > at[len(at)-1]) {
			at = append(at, end)
		}
	}
	e.at = at
}

// Seat is what all agents know of one agent.
type Seat struct {
	Agent, Role string
	Votes       string // "2 votes"; empty if that is not said
}

// Note is a text that only one agent knows: its own estimate, or what a tool told it.
type Note struct {
	Phase string
	Round int
	Text  string
}

// Solution is one answer in free text.
type Solution struct {
	By    string
	Round int
	Text  string
}

// Offer is one proposal.
type Offer struct {
	By          string
	Round       int
	Text        string
	Explanation string // that came with it
	Reason      string // its author's, if reasons are shown
}

// Message is one message between agents.
type Message struct {
	Round          int
	From, To, Text string
}

// Candidate is a proposal to vote for; IDs count from 1.
type Candidate struct {
	ID          int
	Text        string // canonical form of the proposal
	Answer      string // as its author wrote it, if it did so as an answer alone
	By          []string
	Standing    bool
	Explanation string // that came with it
}

// visitVisible calls see for each entry that the step's speaker may see, in the step's order.
func (s Source) visitVisible(step transcript.Step, see func(transcript.Entry)) {
	for _, r := range step.Sees {
		for _, e := range s.Transcript.Entries[r.From:r.To] {
			if e.Audience.Hears(step.Speaker) {
				see(e)
			}
		}
	}
}

func (s Source) agentNames() []string { return Names(s.Instance.Agents()) }

// Names returns the names of agents, in their order.
func Names(agents []envs.Agent) []string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	return names
}

// name of a speaker: an agent's, also of a stranger in its place, or its role.
func name(names []string, s transcript.Speaker) string {
	if s.Role != "" && s.Role != protocol.Stranger {
		return s.Role
	}
	return names[s.Index]
}

func (s Source) viewOf(step transcript.Step) View {
	names := s.agentNames()
	v := View{
		Me: name(names, step.Speaker), Agents: names,
		Round: step.Round, Rounds: s.Protocol.Rounds(), Phase: step.Phase, Protocol: s.Protocol,
		Candidates: s.candidatesShown(step.Payload.Candidates), Required: step.Payload.Required,
		Bare: step.Payload.Bare, Confidence: step.Payload.Confidence, ReasonsShown: s.Protocol.Traits().Reasons,
	}
	latest := make([]int, len(names)) // entries, from 1
	var decided *transcript.Entry
	var voted, ballots []transcript.Entry
	s.visitVisible(step, func(e transcript.Entry) {
		switch {
		case e.Payload.Format == transcript.FormatAnswer: // shown even if no answer was found in it
			v.addSolution(step, e, name(names, e.Speaker), s.Said(e.Index).Text)
		case e.Phase == protocol.PhaseDecision && e.Speaker == step.Speaker:
			v.Decision = s.decisionIn(e)
		case isState(e):
		case e.Kind == transcript.Decide:
			decided, voted, ballots = &e, ballots, nil
		case e.Payload.Format == transcript.FormatBallot:
			ballots = append(ballots, e)
		case e.Act.Status != transcript.Said:
		case isPrivateNote(e):
			v.note(e, s.Said(e.Index).Text)
		case e.Payload.Format == transcript.FormatPersona:
		case isUtterance(e):
			if e.Phase == protocol.PhaseMerged {
				v.Merged = s.Said(e.Index).Text
			}
			v.Messages = append(v.Messages, Message{
				Round: e.Round, From: name(names, e.Speaker), To: addresseeNames(names, e.Act.To),
				Text: s.Said(e.Index).Text,
			})
		case e.Payload.Format == transcript.FormatProposal && e.Speaker.Role == "":
			latest[e.Speaker.Index] = e.Index + 1
		default:
			v.unshown = append(v.unshown, e)
		}
	})
	if decided != nil {
		v.LastVote, v.Standing = s.vote(*decided, voted), s.standingOffer(decided.Act.Decision.Standing)
	}
	v.Seat, v.Seats = s.seatsShown(step.Speaker)
	v.Places = s.positionsSeen(step)
	v.Persona, v.Personas = s.personasShown(step)
	if s.chatHistory(step) != nil {
		v.Mine = nil // they are turns of the chat
	}
	for _, entry := range latest {
		if entry > 0 {
			v.Offers = append(v.Offers, *s.standingOffer(entry - 1))
		}
	}
	return v
}

// seatsShown returns what is said of a speaker, and what all know of the agents.
func (s Source) seatsShown(speaker transcript.Speaker) (own seats.Seat, all []Seat) {
	if speaker.Role == "" && speaker.Index < len(s.Seats) {
		own = s.Seats[speaker.Index]
	}
	roles := slices.ContainsFunc(s.Seats, func(x seats.Seat) bool { return x.Role != "" })
	votes := slices.ContainsFunc(s.Seats, func(x seats.Seat) bool { return x.Votes != nil })
	if !roles && !votes {
		return own, nil
	}
	for i, x := range s.Seats {
		all = append(all, Seat{Agent: s.agentNames()[i], Role: x.Role})
		if votes {
			all[i].Votes = seats.VotesInWords(seats.Weight(s.Seats, i))
		}
	}
	return own, all
}

func (v *View) addSolution(step transcript.Step, e transcript.Entry, by, text string) {
	to := &v.Answers
	if e.Speaker == step.Speaker {
		to = &v.Mine
	}
	if text != "" {
		*to = append(*to, Solution{By: by, Round: e.Round, Text: text})
	}
}

func (s Source) standingOffer(entry int) *Offer {
	if entry < 0 {
		return nil
	}
	e, said := s.Transcript.Entries[entry], s.Said(entry)
	return &Offer{
		By: name(s.agentNames(), e.Speaker), Round: e.Round, Text: string(said.Proposal),
		Explanation: s.explanationIn(entry), Reason: s.reasonIn(entry),
	}
}

func (s Source) candidatesShown(list []transcript.Candidate) []Candidate {
	names := s.agentNames()
	var shown []Candidate
	for i, c := range list {
		var by []string
		for _, a := range c.Agents {
			by = append(by, names[a])
		}
		said := s.Said(c.Entry)
		text := string(said.Proposal)
		if text == "" { // a solution that answers something else
			text = said.Text
		}
		shown = append(shown, Candidate{
			ID: i + 1, Text: cmp.Or(text, noAnswer), Answer: cmp.Or(s.proposalText(c.Entry, text), noAnswer), By: by,
			Standing: c.Standing, Explanation: s.explanationIn(c.Entry),
		})
	}
	return shown
}

// noAnswer stands for a candidate without a word, as of a model that declined to answer.
const noAnswer = "(no answer)"

// proposalText returns a final answer, or what the environment gives as one, in the
// words in which it was given; of another entry its proposal.
func (s Source) proposalText(entry int, proposal string) string {
	if e := s.Transcript.Entries[entry]; e.Payload.Format != transcript.FormatAnswer && e.Kind != transcript.Env {
		return proposal
	}
	text := strings.TrimSpace(s.Said(entry).Text)
	if answer := strings.TrimSpace(answerMark.ReplaceAllString(text, "")); answer != "" {
		return answer
	}
	return cmp.Or(text, proposal)
}

// answerMark is how the last line of an answer begins where that is asked for.
var answerMark = regexp.MustCompile(`^(?i:answer:)`)

func candidateNumbers(candidates []int) string {
	return "candidates " + wording.And(candidateIDs(candidates))
}

// candidateIDs number candidates from 1.
func candidateIDs(candidates []int) []string {
	var ids []string
	for _, c := range candidates {
		ids = append(ids, strconv.Itoa(c+1))
	}
	return ids
}

func addresseeNames(names []string, to []int) string {
	if len(to) == 0 {
		return "all"
	}
	var addressed []string
	for _, i := range to {
		addressed = append(addressed, names[i])
	}
	return wording.And(addressed)
}

// Scene returns what the agent of step may see, as data, for models that are not language models.
func (s Source) Scene(step transcript.Step, rng *rand.Rand) *model.Scene {
	sit := envs.Situation{
		Agent: step.Speaker.Index, Role: step.Speaker.Role, Agents: s.Instance.Agents(),
		Round: step.Round, Rounds: s.Protocol.Rounds(), Rand: rng,
	}
	if step.Speaker.Role == "" { // a role sees no agent's secrets
		sit.Observation = s.Instance.Observe(step.Speaker.Index)
	}
	s.visitVisible(step, func(e transcript.Entry) {
		switch {
		case isState(e): // as if the agent had proposed it
			if p := s.Said(e.Index).Proposal; p != "" {
				sit.Offers = append(sit.Offers, envs.Offer{Agent: e.Speaker.Index, Round: e.Round, Proposal: p})
			}
		case e.Kind == transcript.Decide:
			if d := e.Act.Decision.Standing; d >= 0 {
				sit.Standing = s.Said(d).Proposal
			}
		case e.Act.Status != transcript.Said:
		case isPrivateNote(e):
			sit.Notes = append(sit.Notes,
				envs.Shown{Phase: e.Phase, Agent: agentOf(e.Speaker), Text: s.Said(e.Index).Text,
					Proposal: s.Said(e.Index).Proposal})
		case e.Payload.Format == transcript.FormatPersona:
			if e.Speaker == step.Speaker { // who writes them
				sit.Notes = append(sit.Notes, envs.Shown{Phase: e.Phase, Agent: -1, Text: s.Said(e.Index).Text})
			}
		case isUtterance(e):
			sit.Messages = append(sit.Messages,
				envs.Message{From: agentOf(e.Speaker), To: e.Act.To, Text: s.Said(e.Index).Text})
			if p := s.Said(e.Index).Proposal; p != "" &&
				(e.Payload.Format == transcript.FormatReply || e.Phase == protocol.PhaseFeedback) {
				sit.Offers = append(sit.Offers, envs.Offer{Agent: agentOf(e.Speaker), Round: e.Round, Proposal: p})
			}
		case e.Payload.Format == transcript.FormatProposal || e.Payload.Format == transcript.FormatAnswer:
			sit.Offers = append(sit.Offers,
				envs.Offer{Agent: e.Speaker.Index, Round: e.Round, Proposal: s.Said(e.Index).Proposal})
		}
	})
	sit.Weights, _ = step.Payload.Data.([]float64)
	scene := &model.Scene{Environment: s.Env, Problem: s.Instance, Situation: sit, Format: step.Payload.Format,
		Ballot: step.Payload.Ballot, Confidence: step.Payload.Confidence}
	for _, c := range step.Payload.Candidates {
		p := s.Said(c.Entry).Proposal
		scene.Candidates = append(scene.Candidates, p)
		if isOwnAnswer(step, c) && !slices.ContainsFunc(sit.Offers,
			func(o envs.Offer) bool { return o.Agent == sit.Agent }) {
			scene.Situation.Offers = append(scene.Situation.Offers,
				envs.Offer{Agent: sit.Agent, Round: step.Round, Proposal: p})
		}
	}
	return scene
}

// isOwnAnswer reports whether a voter gave the answer that a candidate is: where equal answers
// are one candidate, the entry that it sees may be another agent's.
func isOwnAnswer(step transcript.Step, c transcript.Candidate) bool {
	return step.Speaker.Role == "" && step.Payload.Format == transcript.FormatBallot &&
		slices.Contains(c.Agents, step.Speaker.Index)
}

// agentOf returns the index of an agent, also of a stranger in its place; -1 of a speaker with another role.
func agentOf(s transcript.Speaker) int {
	if s.Role != "" && s.Role != protocol.Stranger {
		return -1
	}
	return s.Index
}

// isState reports whether an entry is where an agent is, as the environment has it.
func isState(e transcript.Entry) bool { return e.Kind == transcript.Env && e.Speaker.Role == "" }

// isUtterance reports whether an entry is something said to others in words.
func isUtterance(e transcript.Entry) bool {
	switch e.Payload.Format {
	case transcript.FormatMessage, transcript.FormatText, transcript.FormatReply:
		return true
	}
	return false
}

// isPrivateNote reports whether an entry is an estimate or what a tool told.
func isPrivateNote(e transcript.Entry) bool {
	return e.Payload.Format == transcript.FormatEstimate || e.Kind == transcript.Env && e.Payload.Format == ""
}
