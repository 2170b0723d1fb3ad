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
	ConditionID     string `parquet:"condition_id,dict"`     // the rule and a hash of the whole condition
	CollaborationID string `parquet:"collaboration_id,dict"` // one cell: condition, instance, replicate
	Generation      int32  `parquet:"generation"`            // 0, and one more for each rerun; take the latest
}

// Collaboration is one cell of a campaign: one run of a group. Key: collaboration_id, generation.
type Collaboration struct {
	Key
	Status        string    `parquet:"status,dict"`                    // succeeded, failed or stopped
	Failure       *string   `parquet:"failure" digest:"-"`             // why it did not succeed
	Environment   string    `parquet:"environment,dict"`               // as the campaign names it, as protocol, rule, model
	EnvVersion    int32     `parquet:"environment_version"`            // grows when it deals, parses or scores differently
	InstanceID    string    `parquet:"instance_id,dict"`               // the environment's name for it; empty if the collaboration could not start
	Instance      int32     `parquet:"instance"`                       // index, from 0
	Replicate     int32     `parquet:"replicate"`                      // from 0
	Protocol      string    `parquet:"protocol,dict"`                  // likewise
	Rule          string    `parquet:"rule,dict"`                      // decision rule, likewise
	Model         string    `parquet:"model,dict"`                     // provider/model, likewise
	Simulated     bool      `parquet:"simulated"`                      // a scripted agent answered
	Agents        int32     `parquet:"agents"`                         // members of the group
	RoundsPlanned int32     `parquet:"rounds_planned"`                 // the most possible
	RoundsRun     int32     `parquet:"rounds_run"`                     // rounds started
	EndReason     string    `parquet:"end_reason,dict"`                // rounds, stopped, …; empty if it did not end by itself
	DecidedRound  *int32    `parquet:"decided_round"`                  // first round with a decision
	DecisionKey   *string   `parquet:"decision_key"`                   // of the final decision; equal proposals have equal keys
	DecisionJSON  *string   `parquet:"decision_json"`                  // the final decision, as turns.proposal_json: an answer is a text such as "(B)"
	Score         *float64  `parquet:"score"`                          // of the final decision: average outcome instead
	Utilities     []float64 `parquet:"utilities,list"`                 // of the final decision, by agent; empty without one
	BaselinesJSON *string   `parquet:"baselines_json"`                 // scores of simple methods: {"always_4": -1, …}
	Turns         int32     `parquet:"turns"`                          // entries of the transcript
	InvalidTurns  int32     `parquet:"invalid_turns"`                  // without a usable answer after all re-asks
	Asks          int32     `parquet:"asks"`                           // prompts sent, re-asks included
	Seed          int64     `parquet:"seed"`                           // of the campaign
	SettingsJSON  string    `parquet:"settings_json"`                  // the whole condition without addresses of models
	AgentsJSON    *string   `parquet:"agents_json"`                    // who is who: [{"agent": "Alex", "role": "nurse", "votes": 2, "model": …}, …]; absent without agents: in the file
	PromptsHash   string    `parquet:"prompts_hash,dict"`              // of all prompt templates
	EngineVersion string    `parquet:"engine_version,dict" digest:"-"` // of the workflow code that finished it
	// Follow from other columns: not part of the row digest.
	Measure        string   `parquet:"measure,dict" digest:"-"`    // what score is: share (0 to 1), error (minus an error) or scored (0 to 1, final decisions only)
	Label          *string  `parquet:"label,dict" digest:"-"`      // the file's labels of its values, comma-separated; names controls and baselines. Query shows the present ones
	KeyJSON        *string  `parquet:"key_json" digest:"-"`        // the right answers, as decision_json: ["(B)"]
	InstanceHash   *string  `parquet:"instance_hash" digest:"-"`   // of the question and its right answer: equal ones are paired; absent where instances are drawn
	Outcome        *float64 `parquet:"outcome" digest:"-"`         // what to average: score; without a decision 0 if a share, absent if an error; absent if it did not succeed
	FinalAgreement *float64 `parquet:"final_agreement" digest:"-"` // last rounds.agreement
	Flipped        *bool    `parquet:"flipped" digest:"-"`         // the final decision is not the first one
	ReaskedTurns   *int32   `parquet:"reasked_turns" digest:"-"`   // turns asked more than once
	CutAnswers     *int32   `parquet:"cut_answers" digest:"-"`     // answers cut off at their length limit, cached ones included
	// Operational: not part of the row digest.
	Calls        int32    `parquet:"calls" digest:"-"`                             // rows of the table calls without cached answers
	InputTokens  int64    `parquet:"input_tokens" digest:"-"`                      // of these, as the provider counts
	OutputTokens int64    `parquet:"output_tokens" digest:"-"`                     // likewise
	CostUSD      *float64 `parquet:"cost_usd" digest:"-"`                          // of answered calls; absent if a price is unknown
	WorstUSD     *float64 `parquet:"worst_usd" digest:"-"`                         // most that calls of unknown outcome have cost; absent if unknown
	AnsweredBy   string   `parquet:"models_answered_json,dict" digest:"-"`         // the services' names of the models that answered: ["gpt-5-mini-2025-08-07"]
	StartedAt    int64    `parquet:"started_at,timestamp(microsecond)" digest:"-"` // start of its first call
	EndedAt      int64    `parquet:"ended_at,timestamp(microsecond)" digest:"-"`   // arrival of its last answer
}

// Round is one round of a collaboration. Key: collaboration_id, generation, round.
type Round struct {
	Key
	Round        int32     `parquet:"round"`                 // from 1
	Voted        bool      `parquet:"voted"`                 // ballots were counted
	Candidates   int32     `parquet:"candidates"`            // of the vote
	Ballots      int32     `parquet:"ballots"`               // cast, without abstentions
	Winners      int32     `parquet:"winners"`               // more than one is a tie
	Passed       bool      `parquet:"passed"`                // the count selected a candidate
	Changed      bool      `parquet:"changed"`               // and thereby changed the decision
	NewProposals int32     `parquet:"new_proposals"`         // made in this round
	DecisionKey  *string   `parquet:"decision_key"`          // of the standing decision at the end of the round
	DecisionJSON *string   `parquet:"decision_json"`         // the standing decision, as in collaborations
	Score        *float64  `parquet:"score"`                 // of the standing decision: average outcome instead
	Utilities    []float64 `parquet:"utilities,list"`        // of the standing decision, by agent; empty before the first
	Simulated    bool      `parquet:"simulated" digest:"-"`  // a scripted agent answered
	Outcome      *float64  `parquet:"outcome" digest:"-"`    // as collaborations.outcome
	VotesJSON    *string   `parquet:"votes_json" digest:"-"` // the round's last count: {"(B)": 3, "(C)": 1}, by candidate_key where proposals are not texts; (unread) are unreadable answers. Sums of ballots.value, or without ballots numbers of agents
	Agreement    *float64  `parquet:"agreement" digest:"-"`  // greatest share of agents with the same proposal or answer at that count
}

// Turn is one entry of a transcript. Key: collaboration_id, generation, entry.
type Turn struct {
	Key
	Entry           int32    `parquet:"entry"`                      // position in the transcript, from 0
	Round           int32    `parquet:"round"`                      // from 1
	Phase           string   `parquet:"phase,dict"`                 // roundtable: message, proposal, vote, or as phases: names them; debate: answer (alone), debate (after reading others, and the count), gold (the key, which no agent sees), summary; discussion: persona, material, talk, check (by agreement, after each message), final (an answer), vote, count, settle, challenge, new_answer; delphi: answer, debate, estimate, feedback; deliberation: merged, observation, planning, decision, conversation, ballot, agreement, result; consensus: start, position, move; annotations: the message's
	Kind            string   `parquet:"kind,dict"`                  // ask (a model or a person), decide (the rule counts), env (the environment speaks) or annotate (for a stopping rule)
	Role            string   `parquet:"role,dict"`                  // of a speaker that is not an agent: rule (counts), judge, summarizer, facilitator, environment, key, personas, retriever, labeller, embedder; empty for an agent
	Agent           *int32   `parquet:"agent"`                      // its index, from 0; absent for decisions
	AgentName       string   `parquet:"agent_name,dict"`            // its name; empty for decisions
	Format          string   `parquet:"format,dict"`                // of the answer: message, proposal, ballot, estimate (JSON), text, answer (a text that ends with a proposal), reply (a text with [AGREE] or [DISAGREE]), persona, acts, distance; empty unless asked or annotated
	Status          string   `parquet:"status,dict"`                // said, skipped, abstained or invalid
	InvalidReason   *string  `parquet:"invalid_reason"`             // what was wrong with the last answer; or refusal, content_filter
	Asks            int32    `parquet:"asks"`                       // prompts sent, re-asks included
	Text            *string  `parquet:"text"`                       // what others could see
	Reason          *string  `parquet:"reason"`                     // private
	Thinking        *string  `parquet:"thinking" digest:"-"`        // of the model before its last answer; private: in no prompt, not read as an answer
	ReadAs          *string  `parquet:"read_as" digest:"-"`         // how the answer was found: stated, boxed, alone, marked (in bold or brackets), only (one in the text), words (of an option), last, table, lines, json, or json, repaired: with what
	AddresseesJSON  *string  `parquet:"addressees_json"`            // indices of the addressed agents; absent: everybody
	ProposalKey     *string  `parquet:"proposal_key"`               // equal proposals have equal keys
	ProposalJSON    *string  `parquet:"proposal_json"`              // in the environment's canonical form
	ProposalUtility *float64 `parquet:"proposal_utility"`           // to the agent itself
	ProposalScore   *float64 `parquet:"proposal_score"`             // only of a new answer to a challenged one
	StandingUtility *float64 `parquet:"standing_utility"`           // of the standing decision to it
	SeesJSON        string   `parquet:"sees_json"`                  // [[from,to],…]: entries shown, in order
	PromptHash      string   `parquet:"prompt_hash"`                // of the first prompt: 32 hexadecimal digits of its SHA-256
	AnswerHash      string   `parquet:"answer_hash"`                // SHA-256 of the last raw answer
	Model           *string  `parquet:"model"`                      // as the campaign names it; absent for decisions
	ModelSimulated  bool     `parquet:"simulated"`                  // a scripted agent gave the last answer
	MeanLogprob     *float64 `parquet:"mean_logprob"`               // mean natural log-probability of the last answer's tokens, with generate: {logprobs: true}; absent if the service gave none
	LogprobTokens   *int64   `parquet:"logprob_tokens"`             // tokens in that mean
	DataJSON        *string  `parquet:"data_json"`                  // the entry's compact act in the workflow
	AgentRole       *string  `parquet:"agent_role,dict" digest:"-"` // its role in agents: of the campaign file
	ForkedFrom      *string  `parquet:"forked_from"`                // in a fork: where the turn was made, campaign/collaboration.generation
}

// Ballot is one voter's stand on one candidate. Key: collaboration_id,
// generation, entry, candidate. An abstention is one row without a candidate. Protocols that count answers have none: see turns.proposal_key and rounds.votes_json.
type Ballot struct {
	Key
	Round         int32    `parquet:"round"`                // from 1
	Entry         int32    `parquet:"entry"`                // the ballot's turn
	Agent         int32    `parquet:"agent"`                // the voter, from 0; -1 is a judge
	Abstained     bool     `parquet:"abstained"`            // no ballot: by choice, or because the turn was invalid
	Invalid       bool     `parquet:"invalid"`              // it abstained because its turn was invalid
	Candidate     *int32   `parquet:"candidate"`            // from 0
	CandidateKey  *string  `parquet:"candidate_key"`        // proposal_key of the candidate
	ProposersJSON *string  `parquet:"proposers_json"`       // agents who proposed it
	Standing      *bool    `parquet:"standing"`             // it was the decision before the vote
	Value         *float64 `parquet:"value"`                // vote 1 or 0 (weighted: its weight or 0), rating, reciprocal rank, points
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
	Provider          string   `parquet:"provider,dict"`                     // model as the campaign names it
	ModelAsked        string   `parquet:"model_asked,dict"`                  // the same
	ModelAnswered     string   `parquet:"model_answered,dict"`               // the service's name of the model that answered
	Status            string   `parquet:"status,dict"`                       // answered, or unknown: under way when the process died or the connection broke
	Cached            bool     `parquet:"cached"`                            // answered from another turn's stored answer; not billed
	InputTokens       *int64   `parquet:"input_tokens"`                      // absent if the outcome is unknown
	CachedInputTokens *int64   `parquet:"cached_input_tokens"`               // of input_tokens, read from the provider's cache
	OutputTokens      *int64   `parquet:"output_tokens"`                     // reasoning included
	ReasoningTokens   *int64   `parquet:"reasoning_tokens"`                  // of output_tokens
	CacheWriteTokens  *int64   `parquet:"cache_write_tokens"`                // of input_tokens, written to its cache
	CostUSD           *float64 `parquet:"cost_usd"`                          // tokens times price; absent without a price or known outcome
	PriceUSD          *float64 `parquet:"price_usd"`                         // cost_usd, for a cached answer that of the call that bought it
	WorstUSD          *float64 `parquet:"worst_usd"`                         // most that a call of unknown outcome or usage has cost
	WorstTokens       *int64   `parquet:"worst_tokens"`                      // likewise, input and output
	LatencyMS         *int64   `parquet:"latency_ms"`                        // until the whole answer
	FinishReason      string   `parquet:"finish_reason,dict"`                // the service's: stop, length, refusal, …
	RequestID         string   `parquet:"request_id"`                        // the service's
	StartedAt         int64    `parquet:"started_at,timestamp(microsecond)"` // start of the call
	Simulated         bool     `parquet:"simulated" digest:"-"`              // no language model was asked
	ReasoningAsked    *string  `parquet:"reasoning_asked"`                   // thinking asked for: an effort, or tokens
	Tier              *string  `parquet:"tier"`                              // service tier that answered; absent for the standard one
	SavedUSD          *float64 `parquet:"saved_usd"`                         // against the standard tier; absent there
	ForkedFrom        *string  `parquet:"forked_from"`                       // in a fork: the collaboration that paid, campaign/collaboration.generation; such calls are cached
}
