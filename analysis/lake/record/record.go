// Package record is THE schema of the lake: the row types of every Parquet
// table. Columns are snake_case; *_id identify, *_at are UTC microseconds,
// *_ms milliseconds, *_json canonical JSON; pointers are values that may be
// absent. Evolution is additive only: columns are never renamed, retyped or
// reused. One that is added is optional; digests stay, since absent values are no
// part of them.
// SchemaVersion grows if a reader of the version before would misread a file.
// Operational columns, tagged digest:"-", are what may differ between two runs
// of one campaign, or what follows from other columns.
package record

// SchemaVersion is in every row.
const SchemaVersion = 1

// Key is the identity that every row carries.
type Key struct {
	SchemaVersion   int32  `parquet:"schema_version"`        // version of this schema
	CampaignID      string `parquet:"campaign_id,dict"`      // name: of the campaign file
	ConditionID     string `parquet:"condition_id,dict"`     // one point of the grid: the rule and a hash of the whole condition
	CollaborationID string `parquet:"collaboration_id,dict"` // one cell: condition, instance, replicate
	Generation      int32  `parquet:"generation"`            // 0, then one more each time the cell is run again; readers take the latest
}

// Collaboration is one cell of a campaign: one run of a group. Key: collaboration_id, generation.
type Collaboration struct {
	Key
	Status        string    `parquet:"status,dict"`                    // succeeded, failed or stopped
	Failure       *string   `parquet:"failure" digest:"-"`             // why it did not succeed
	Environment   string    `parquet:"environment,dict"`               // as the campaign names it, as are protocol, rule and model
	EnvVersion    int32     `parquet:"environment_version"`            // grows when the environment deals, parses or scores differently
	InstanceID    string    `parquet:"instance_id,dict"`               // the environment's name for the instance; empty if the collaboration could not be begun
	Instance      int32     `parquet:"instance"`                       // index, from 0
	Replicate     int32     `parquet:"replicate"`                      // from 0
	Protocol      string    `parquet:"protocol,dict"`                  // see environment
	Rule          string    `parquet:"rule,dict"`                      // decision rule as the campaign names it
	Model         string    `parquet:"model,dict"`                     // provider/model as the campaign names it
	Simulated     bool      `parquet:"simulated"`                      // a scripted agent answered at least once
	Agents        int32     `parquet:"agents"`                         // members of the group
	RoundsPlanned int32     `parquet:"rounds_planned"`                 // the most rounds there could be
	RoundsRun     int32     `parquet:"rounds_run"`                     // rounds that were begun
	EndReason     string    `parquet:"end_reason,dict"`                // rounds, stopped, … ; empty if it did not end by itself
	DecidedRound  *int32    `parquet:"decided_round"`                  // first round with a decision
	DecisionKey   *string   `parquet:"decision_key"`                   // identity of the final decision; equal proposals have equal keys
	DecisionJSON  *string   `parquet:"decision_json"`                  // the final decision in canonical JSON, as turns.proposal_json: an answer is a text such as "(B)"
	Score         *float64  `parquet:"score"`                          // score of the final decision, absent without one: average outcome instead
	Utilities     []float64 `parquet:"utilities,list"`                 // of the final decision, by agent; an empty list without a decision
	BaselinesJSON *string   `parquet:"baselines_json"`                 // score of what simple methods decide here: {"always_4": -1, …}
	Turns         int32     `parquet:"turns"`                          // entries of the transcript
	InvalidTurns  int32     `parquet:"invalid_turns"`                  // turns without a usable answer after all asks
	Asks          int32     `parquet:"asks"`                           // questions asked, re-asks included
	Seed          int64     `parquet:"seed"`                           // of the campaign
	SettingsJSON  string    `parquet:"settings_json"`                  // the whole condition, without the addresses of models
	AgentsJSON    *string   `parquet:"agents_json"`                    // who sat where: [{"agent": "Alex", "role": "nurse", "votes": 2, "model": …}, …]; absent without agents: in the file
	PromptsHash   string    `parquet:"prompts_hash,dict"`              // of all prompt templates in use
	EngineVersion string    `parquet:"engine_version,dict" digest:"-"` // of the workflow code that ended it
	// Follow from other columns: not part of the row digest.
	Measure        string   `parquet:"measure,dict" digest:"-"`    // what score measures: share (0 to 1), error (minus an error) or scored (0 to 1, of final decisions only)
	Label          *string  `parquet:"label,dict" digest:"-"`      // the file's labels of the condition's values, comma-separated; controls and baselines say so. Query shows the present ones
	KeyJSON        *string  `parquet:"key_json" digest:"-"`        // the right answers, written as decision_json: ["(B)"]; absent if none is known
	InstanceHash   *string  `parquet:"instance_hash" digest:"-"`   // identity of the question and its right answer: equal hashes are paired; absent where the environment deals its instances
	Outcome        *float64 `parquet:"outcome" digest:"-"`         // what to average: score, 0 without a decision if it is a share; absent without a decision if it is an error, and of what did not succeed
	FinalAgreement *float64 `parquet:"final_agreement" digest:"-"` // rounds.agreement of the last round that has one
	Flipped        *bool    `parquet:"flipped" digest:"-"`         // the final decision is another than the first; absent without a decision
	ReaskedTurns   *int32   `parquet:"reasked_turns" digest:"-"`   // turns that were asked more than once
	CutAnswers     *int32   `parquet:"cut_answers" digest:"-"`     // answers that ended at the limit of their length, cached ones included
	// Operational: not part of the row digest.
	Calls        int32    `parquet:"calls" digest:"-"`                             // rows of the table calls, answers from the cache not counted
	InputTokens  int64    `parquet:"input_tokens" digest:"-"`                      // of these calls, as the provider counts
	OutputTokens int64    `parquet:"output_tokens" digest:"-"`                     // likewise
	CostUSD      *float64 `parquet:"cost_usd" digest:"-"`                          // of answered calls; absent if a price is not known
	WorstUSD     *float64 `parquet:"worst_usd" digest:"-"`                         // what calls of unknown outcome have cost at most; absent if that is not known, 0 if there are none
	AnsweredBy   string   `parquet:"models_answered_json,dict" digest:"-"`         // the models that answered, as the services name them: ["gpt-5-mini-2025-08-07"]
	StartedAt    int64    `parquet:"started_at,timestamp(microsecond)" digest:"-"` // when its first call began
	EndedAt      int64    `parquet:"ended_at,timestamp(microsecond)" digest:"-"`   // when its last answer was in
}

// Round is one round of a collaboration. Key: collaboration_id, generation, round.
type Round struct {
	Key
	Round        int32     `parquet:"round"`                 // from 1
	Voted        bool      `parquet:"voted"`                 // ballots were counted in this round
	Candidates   int32     `parquet:"candidates"`            // candidates of the vote
	Ballots      int32     `parquet:"ballots"`               // cast, abstentions not counted
	Winners      int32     `parquet:"winners"`               // more than one is a tie
	Passed       bool      `parquet:"passed"`                // the count selected a candidate
	Changed      bool      `parquet:"changed"`               // and it is another decision than before
	NewProposals int32     `parquet:"new_proposals"`         // proposals made in this round
	DecisionKey  *string   `parquet:"decision_key"`          // what stands at the end of the round
	DecisionJSON *string   `parquet:"decision_json"`         // what stands, as collaborations.decision_json
	Score        *float64  `parquet:"score"`                 // score of the standing decision, absent before the first: average outcome instead
	Utilities    []float64 `parquet:"utilities,list"`        // of what stands, by agent; an empty list before the first decision
	Simulated    bool      `parquet:"simulated" digest:"-"`  // a scripted agent answered in this round
	Outcome      *float64  `parquet:"outcome" digest:"-"`    // what to average, as collaborations.outcome
	VotesJSON    *string   `parquet:"votes_json" digest:"-"` // what each candidate of the round's last count got: {"(B)": 3, "(C)": 1}, by candidate_key where proposals are not texts, (unread) for answers that could not be read: the sum of its ballots' values, as in ballots.value; of debates and others without ballots the number of agents whose answer it is; absent without a count
	Agreement    *float64  `parquet:"agreement" digest:"-"`  // greatest share of the agents with the same proposal or answer at the round's last count; absent without candidates
}

// Turn is one entry of a transcript. Key: collaboration_id, generation, entry.
type Turn struct {
	Key
	Entry           int32    `parquet:"entry"`                      // index in the transcript, from 0
	Round           int32    `parquet:"round"`                      // from 1
	Phase           string   `parquet:"phase,dict"`                 // which step it is. roundtable: message, proposal, vote, or as phases: names them; debate: answer (alone), debate (having seen others, and the count), gold (the key, which no agent sees), summary; discussion: persona, material, talk, check (by agreement, after each message), final (an answer), vote, count, settle, challenge, new_answer; delphi: answer, debate, estimate, feedback; deliberation: merged, observation, planning, decision, conversation, ballot, agreement, result; consensus: start, position, move; of annotations that of the message
	Kind            string   `parquet:"kind,dict"`                  // ask (a model or a person), decide (the rule counts), env (the environment says something) or annotate (for a stopping rule)
	Role            string   `parquet:"role,dict"`                  // part of a speaker that is not an agent: rule (counts), judge, summarizer, facilitator, environment, key, personas, retriever, labeller, embedder; empty for an agent, whose own role is agent_role
	Agent           *int32   `parquet:"agent"`                      // index of the agent, from 0; absent for decisions
	AgentName       string   `parquet:"agent_name,dict"`            // as the others address it; empty for decisions
	Format          string   `parquet:"format,dict"`                // form of the answer: message, proposal, ballot and estimate (JSON), text, answer (a text that ends with a proposal, as in debates), reply (a text with [AGREE] or [DISAGREE]), persona, of annotations acts or distance; empty for decisions and for what the environment says
	Status          string   `parquet:"status,dict"`                // said, skipped, abstained or invalid
	InvalidReason   *string  `parquet:"invalid_reason"`             // what was wrong with the last answer, or refusal, content_filter
	Asks            int32    `parquet:"asks"`                       // questions put for this turn, re-asks included
	Text            *string  `parquet:"text"`                       // what others could see
	Reason          *string  `parquet:"reason"`                     // private
	Thinking        *string  `parquet:"thinking" digest:"-"`        // what the model thought before its last answer; private: in no prompt, and not read as an answer
	ReadAs          *string  `parquet:"read_as" digest:"-"`         // how the answer was found: stated, boxed, alone, marked (in bold or brackets), only (one in the text), words (of an option), last; json, or json, repaired: with what was repaired
	AddresseesJSON  *string  `parquet:"addressees_json"`            // indices of the addressed agents; absent means everybody
	ProposalKey     *string  `parquet:"proposal_key"`               // identity of the proposal; equal proposals have equal keys
	ProposalJSON    *string  `parquet:"proposal_json"`              // the proposal in the environment's canonical form
	ProposalUtility *float64 `parquet:"proposal_utility"`           // to the agent itself
	ProposalScore   *float64 `parquet:"proposal_score"`             // score of an agent's new answer to a challenged one; absent for others
	StandingUtility *float64 `parquet:"standing_utility"`           // what the standing decision is worth to it
	SeesJSON        string   `parquet:"sees_json"`                  // [[from,to],…]: the entries shown, in order
	PromptHash      string   `parquet:"prompt_hash"`                // of the messages of the first question: 32 hexadecimal digits of their SHA-256
	AnswerHash      string   `parquet:"answer_hash"`                // SHA-256 of the last raw answer
	Model           *string  `parquet:"model"`                      // model of the speaker as the campaign names it; absent for decisions
	ModelSimulated  bool     `parquet:"simulated"`                  // the last answer came from a scripted agent
	DataJSON        *string  `parquet:"data_json"`                  // compact act of the entry as the engine saw it
	AgentRole       *string  `parquet:"agent_role,dict" digest:"-"` // role of the agent, as agents: in the campaign file gives it; absent without one
	ForkedFrom      *string  `parquet:"forked_from"`                // of a fork: where the turn was made, campaign/collaboration.generation
}

// Ballot is one voter's stand on one candidate. Key: collaboration_id,
// generation, entry, candidate. An abstention is one row without a candidate. Debates and others that count answers have no ballots: who holds what is turns.proposal_key, and the count is rounds.votes_json.
type Ballot struct {
	Key
	Round         int32    `parquet:"round"`                // from 1
	Entry         int32    `parquet:"entry"`                // the ballot's turn
	Agent         int32    `parquet:"agent"`                // the voter, from 0; -1 is a judge
	Abstained     bool     `parquet:"abstained"`            // no ballot: by choice, or because the turn was invalid
	Invalid       bool     `parquet:"invalid"`              // it abstained because its turn was invalid
	Candidate     *int32   `parquet:"candidate"`            // from 0
	CandidateKey  *string  `parquet:"candidate_key"`        // identity of the candidate's proposal
	ProposersJSON *string  `parquet:"proposers_json"`       // agents whose proposal it is
	Standing      *bool    `parquet:"standing"`             // the candidate is the decision that stood before the vote
	Value         *float64 `parquet:"value"`                // vote 1 or 0, rating, reciprocal rank, points
	ValueExact    *string  `parquet:"value_exact"`          // the same as a fraction
	Simulated     bool     `parquet:"simulated" digest:"-"` // the voter is a scripted agent
}

// Call is one attempt that was or may have been billed. Key: collaboration_id,
// generation, entry, ask, attempt. Operational: not part of the row digest.
type Call struct {
	Key
	Entry             int32    `parquet:"entry"`                             // the turn
	Ask               int32    `parquet:"ask"`                               // 0, then re-asks
	Attempt           int32    `parquet:"attempt"`                           // from 0
	Provider          string   `parquet:"provider,dict"`                     // the model as the campaign names it
	ModelAsked        string   `parquet:"model_asked,dict"`                  // the same
	ModelAnswered     string   `parquet:"model_answered,dict"`               // the model that answered, as the service names it
	Status            string   `parquet:"status,dict"`                       // answered, or unknown: in flight when the process died or the connection broke
	Cached            bool     `parquet:"cached"`                            // answered from another turn's stored answer: not billed
	InputTokens       *int64   `parquet:"input_tokens"`                      // absent if the outcome is unknown
	CachedInputTokens *int64   `parquet:"cached_input_tokens"`               // part of input_tokens that the provider had cached
	OutputTokens      *int64   `parquet:"output_tokens"`                     // reasoning included, as the provider counts
	ReasoningTokens   *int64   `parquet:"reasoning_tokens"`                  // part of output_tokens
	CacheWriteTokens  *int64   `parquet:"cache_write_tokens"`                // part of input_tokens that the provider wrote to its cache
	CostUSD           *float64 `parquet:"cost_usd"`                          // tokens times the price; absent if there is no price or the outcome is unknown
	PriceUSD          *float64 `parquet:"price_usd"`                         // what the answer cost whoever paid for it: cost_usd, and of a cached answer that of the call that bought it
	WorstUSD          *float64 `parquet:"worst_usd"`                         // what a call of unknown outcome or usage has cost at most; absent for others
	WorstTokens       *int64   `parquet:"worst_tokens"`                      // likewise, input and output
	LatencyMS         *int64   `parquet:"latency_ms"`                        // from asking to the whole answer
	FinishReason      string   `parquet:"finish_reason,dict"`                // why the answer ended, as the service says: stop, length, refusal, …
	RequestID         string   `parquet:"request_id"`                        // the service's own name of the request
	StartedAt         int64    `parquet:"started_at,timestamp(microsecond)"` // when the call began
	Simulated         bool     `parquet:"simulated" digest:"-"`              // it asked no language model
	ReasoningAsked    *string  `parquet:"reasoning_asked"`                   // how much thinking was asked for: an effort, or tokens
	Tier              *string  `parquet:"tier"`                              // of the service, in which it was answered; absent for the standard one
	SavedUSD          *float64 `parquet:"saved_usd"`                         // what it would have cost more in the standard tier; absent there
	ForkedFrom        *string  `parquet:"forked_from"`                       // of a fork: the collaboration that paid, campaign/collaboration.generation; cached, too
}
