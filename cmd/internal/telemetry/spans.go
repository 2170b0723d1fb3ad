package telemetry

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
)

// Called sends the span of a call, by the conventions for GenAI. Agents that take no time
// have none: their turns say all.
func (t *Traces) Called(c calls.CallEvent) {
	if c.Request.Messages == nil {
		return
	}
	id, at := traceOf(c.Run), c.Turn()
	ids := spanIDs{trace: id, span: callSpan(id, c.Entry, c.Answer.Ask, c.Answer.Attempt)}
	if at.Collaboration != "" {
		ids.parent = turnSpan(id, c.Entry)
	}
	operation := semconv.GenAIOperationNameChat
	if c.Embeddings {
		operation = semconv.GenAIOperationNameEmbeddings
	}
	provider, name, _ := strings.Cut(c.Model, "/")
	began := time.UnixMicro(c.Answer.StartedAt)
	span := t.start(ids, operation.Value.AsString()+" "+name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(began),
		trace.WithAttributes(operation, providerName(provider), semconv.GenAIRequestModel(name),
			semconv.GenAIConversationID(c.Run.String())),
		trace.WithAttributes(attributesOf(c.Run.Campaign, at.Condition, c.Run.Collaboration, at.Instance,
			at.Replicate)...),
		trace.WithAttributes(requestAttributes(c.Request.Parameters)...),
		trace.WithAttributes(attribute.Int("roundtable.entry", c.Entry), attribute.Int("roundtable.ask", c.Answer.Ask),
			attribute.Int("roundtable.attempt", c.Answer.Attempt), attribute.String("roundtable.outcome", c.Outcome())))
	if at.Agent != "" {
		span.SetAttributes(semconv.GenAIAgentName(at.Agent), attribute.Int("roundtable.round", at.Round),
			attribute.String("roundtable.phase", at.Phase))
	}
	if u, err := url.Parse(c.Endpoint); err == nil && u.Hostname() != "" {
		span.SetAttributes(semconv.ServerAddress(u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			span.SetAttributes(semconv.ServerPort(port))
		}
	}
	if c.Err != nil {
		span.SetAttributes(errorOf(c)...)
		span.SetStatus(codes.Error, c.Outcome()) // not the service's message, which may quote the prompt
	} else {
		span.SetAttributes(answerAttributes(c.Answer)...)
	}
	if t.texts {
		span.SetAttributes(textAttributes(c)...)
	}
	span.End(trace.WithTimestamp(began.Add(time.Duration(c.Answer.LatencyMS) * time.Millisecond)))
}

// providerName returns a provider as the conventions name it.
func providerName(name string) attribute.KeyValue {
	switch name {
	case "bedrock":
		return semconv.GenAIProviderNameAWSBedrock
	case "google":
		return semconv.GenAIProviderNameGCPGemini
	}
	return semconv.GenAIProviderNameKey.String(name) // openai and anthropic are called so there, too
}

// attributesOf returns which collaboration a span is about.
func attributesOf(campaign, condition, collaboration string, instance, replicate int) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("roundtable.campaign", campaign), attribute.String("roundtable.condition", condition),
		attribute.String("roundtable.collaboration", collaboration),
		attribute.Int("roundtable.instance", instance), attribute.Int("roundtable.replicate", replicate),
	}
}

func requestAttributes(p model.Parameters) (all []attribute.KeyValue) {
	if p.Temperature != nil {
		all = append(all, semconv.GenAIRequestTemperature(*p.Temperature))
	}
	if p.TopP != nil {
		all = append(all, semconv.GenAIRequestTopP(*p.TopP))
	}
	if p.MaxTokens > 0 {
		all = append(all, semconv.GenAIRequestMaxTokens(p.MaxTokens))
	}
	if p.Seed != nil {
		all = append(all, semconv.GenAIRequestSeed(int(*p.Seed)))
	}
	if len(p.Stop) > 0 {
		all = append(all, semconv.GenAIRequestStopSequences(p.Stop...))
	}
	return all
}

func answerAttributes(a answers.Answer) []attribute.KeyValue {
	all := []attribute.KeyValue{semconv.GenAIUsageInputTokens(int(a.Usage.Input)),
		semconv.GenAIUsageOutputTokens(int(a.Usage.Output))}
	for _, u := range []struct {
		tokens int64
		as     func(int) attribute.KeyValue
	}{{a.Usage.CachedInput, semconv.GenAIUsageCacheReadInputTokens},
		{a.Usage.CacheWrite, semconv.GenAIUsageCacheCreationInputTokens},
		{a.Usage.Reasoning, semconv.GenAIUsageReasoningOutputTokens}} {
		if u.tokens > 0 {
			all = append(all, u.as(int(u.tokens)))
		}
	}
	if a.ModelAnswered != "" {
		all = append(all, semconv.GenAIResponseModel(a.ModelAnswered))
	}
	if a.FinishReason != "" {
		all = append(all, semconv.GenAIResponseFinishReasons(a.FinishReason))
	}
	if a.RequestID != "" {
		all = append(all, semconv.GenAIResponseID(a.RequestID))
	}
	if a.CostUSD != nil {
		all = append(all, attribute.Float64("roundtable.cost_usd", *a.CostUSD))
	}
	return all
}

func errorOf(c calls.CallEvent) []attribute.KeyValue {
	e, ok := errors.AsType[*model.Error](c.Err)
	switch {
	case !ok:
		return []attribute.KeyValue{semconv.ErrorTypeKey.String(c.Outcome())}
	case e.Status > 0:
		return []attribute.KeyValue{semconv.ErrorTypeKey.String(strconv.Itoa(e.Status)),
			semconv.HTTPResponseStatusCode(e.Status), attribute.String("roundtable.error_code", e.Code)}
	}
	return []attribute.KeyValue{semconv.ErrorTypeKey.String(e.Code)}
}

// textAttributes returns what was asked and answered, in the JSON of the conventions.
func textAttributes(c calls.CallEvent) (all []attribute.KeyValue) {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role   string `json:"role"`
		Parts  []part `json:"parts"`
		Finish string `json:"finish_reason,omitempty"`
	}
	var asked []message
	for _, m := range c.Request.Messages {
		asked = append(asked, message{Role: m.Role, Parts: []part{{"text", m.Content}}})
	}
	if data, err := json.Marshal(asked); err == nil {
		all = append(all, semconv.GenAIInputMessagesKey.String(string(data)))
	}
	if c.Err != nil || c.Embeddings {
		return all
	}
	answer := []message{{Role: "assistant", Parts: []part{{"text", c.Answer.Text()}}, Finish: c.Answer.FinishReason}}
	if data, err := json.Marshal(answer); err == nil {
		all = append(all, semconv.GenAIOutputMessagesKey.String(string(data)))
	}
	return all
}

// period is when something began and ended; zero if that is not known.
type period struct{ from, to time.Time }

func (p *period) include(q period) {
	if p.from.IsZero() || !q.from.IsZero() && q.from.Before(p.from) {
		p.from = q.from
	}
	if q.to.After(p.to) {
		p.to = q.to
	}
}

// Ended sends the spans of an ended collaboration: itself, its rounds and its turns, with
// the times of their calls, from its rows: so they are whole, whichever process made the calls.
func (t *Traces) Ended(c calls.CollaborationEvent) {
	row := c.Row()
	id := traceOf(answers.RunKey{Campaign: row.CampaignID, Collaboration: row.CollaborationID,
		Generation: int(row.Generation)})
	about := trace.WithAttributes(attributesOf(row.CampaignID, row.ConditionID, row.CollaborationID, int(row.Instance),
		int(row.Replicate))...)
	var whole period
	turns, rounds := map[int32]period{}, map[int32]period{}
	for _, call := range c.Rows.Calls {
		one := periodOf(call)
		p := turns[call.Entry]
		p.include(one)
		turns[call.Entry] = p
		whole.include(one)
	}
	var order []int32
	for _, turn := range c.Rows.Turns {
		p, asked := turns[turn.Entry]
		if !asked { // nobody was asked
			continue
		}
		r := rounds[turn.Round]
		r.include(p)
		rounds[turn.Round] = r
		if !slices.Contains(order, turn.Round) {
			order = append(order, turn.Round)
		}
		span := t.start(spanIDs{id, turnSpan(id, int(turn.Entry)), roundSpan(id, int(turn.Round))}, "turn",
			trace.WithTimestamp(p.from), about, trace.WithAttributes(
				attribute.Int("roundtable.entry", int(turn.Entry)), attribute.Int("roundtable.round", int(turn.Round)),
				attribute.String("roundtable.phase", turn.Phase),
				attribute.String("roundtable.role", turn.Role), attribute.String("roundtable.status", turn.Status),
				attribute.Int("roundtable.asks", int(turn.Asks)), semconv.GenAIAgentName(turn.AgentName)))
		span.End(trace.WithTimestamp(p.to))
	}
	for _, round := range order {
		span := t.start(spanIDs{id, roundSpan(id, int(round)), rootSpan(id)}, "round",
			trace.WithTimestamp(rounds[round].from), about,
			trace.WithAttributes(attribute.Int("roundtable.round", int(round))))
		span.End(trace.WithTimestamp(rounds[round].to))
	}
	if whole.from.IsZero() { // it asked nobody
		whole = period{time.Now(), time.Now()}
	}
	root := t.start(spanIDs{trace: id, span: rootSpan(id)}, "collaboration", trace.WithTimestamp(whole.from), about,
		trace.WithAttributes(
			attribute.String("roundtable.status", c.Status), attribute.Int("roundtable.rounds", int(row.RoundsRun)),
			attribute.Int("roundtable.calls", int(row.Calls)),
			attribute.Int("roundtable.generation", int(row.Generation)),
			semconv.GenAIConversationID(answers.RunKey{Campaign: row.CampaignID, Collaboration: row.CollaborationID,
				Generation: int(row.Generation)}.String())))
	if row.CostUSD != nil {
		root.SetAttributes(attribute.Float64("roundtable.cost_usd", *row.CostUSD))
	}
	if c.Status == "failed" {
		root.SetStatus(codes.Error, "failed")
	}
	root.End(trace.WithTimestamp(whole.to))
}

func periodOf(c record.Call) period {
	p := period{from: time.UnixMicro(c.StartedAt), to: time.UnixMicro(c.StartedAt)}
	if c.LatencyMS != nil {
		p.to = p.from.Add(time.Duration(*c.LatencyMS) * time.Millisecond)
	}
	return p
}

// Compacted sends nothing.
func (t *Traces) Compacted(string, int, time.Duration) {}
