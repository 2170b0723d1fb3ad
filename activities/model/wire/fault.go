package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"roundtable/activities/model"
)

// ClientClosed is the status with which proxies say that they gave up waiting.
const ClientClosed = 499

// codes are what codes, types, reasons and exceptions mean with any status, in lower case:
// of OpenAI and what is compatible, Anthropic, Google (google.rpc) and AWS. Their pages on
// errors name them; services that we know from their answers alone are named here.
var codes = map[string]model.Fault{
	"insufficient_quota":                model.Unpaid,
	"credit_balance_exhausted":          model.Unpaid,
	"organization_usage_limit_exceeded": model.Unpaid,
	"billing_hard_limit_reached":        model.Unpaid,
	"billing_not_active":                model.Unpaid,
	"billing_error":                     model.Unpaid,
	"budget_exceeded":                   model.Unpaid, // LiteLLM, with 400 or 429
	"payment_required":                  model.Unpaid, // OpenRouter
	"exceeded_current_quota_error":      model.Unpaid, // Moonshot
	"insufficient_user_quota":           model.Unpaid, // New API
	"accountoverdueerror":               model.Unpaid, // Volcengine
	"setlimitexceeded":                  model.Unpaid, // Volcengine
	"pre_consume_token_quota_failed":    model.Unpaid, // New API
	"allocationquota.freetieronly":      model.Unpaid, // DashScope
	"arrearage":                         model.Unpaid, // DashScope
	"1113":                              model.Unpaid, // Zhipu
	"1008":                              model.Unpaid, // MiniMax
	"servicequotaexceededexception":     model.Unpaid,

	"account_deactivated":                  model.Denied,
	"organization_restricted":              model.Denied, // Groq
	"invalid_api_key":                      model.Denied,
	"authentication":                       model.Denied, // OpenRouter
	"authentication_error":                 model.Denied,
	"permission_denied":                    model.Denied,
	"permission_error":                     model.Denied,
	"unsupported_country_region_territory": model.Denied,
	"unauthenticated":                      model.Denied,
	"failed_precondition":                  model.Denied, // Google: billing is off, or the country is not served
	"service_disabled":                     model.Denied,
	"accessdeniedexception":                model.Denied,
	"badcscoreexception":                   model.Denied,
	"notauthorized":                        model.Denied,
	"optinrequired":                        model.Denied,
	"unrecognizedclientexception":          model.Denied,
	"invalidclienttokenid":                 model.Denied,
	"expiredtokenexception":                model.Denied,
	"expiredtoken":                         model.Denied,
	"invalidsignatureexception":            model.Denied,
	"signaturedoesnotmatch":                model.Denied,
	"incompletesignature":                  model.Denied,
	"incompletesignatureexception":         model.Denied,
	"missingauthenticationtoken":           model.Denied,
	"missingauthenticationtokenexception":  model.Denied,
	"requestexpired":                       model.Denied,
	"requesttimetooskewed":                 model.Denied,
	"ftuformnotfilled":                     model.Denied,

	"model_not_found":           model.Missing,
	"model_deprecated":          model.Missing,
	"model_retired":             model.Missing,
	"model_decommissioned":      model.Missing, // Groq, with 400
	"model_not_available":       model.Missing, // Together, with 400
	"model_not_supported":       model.Missing, // Hugging Face, with 400
	"invalid_model":             model.Missing, // Mistral, with 400
	"not_found_error":           model.Missing,
	"not_found":                 model.Missing,
	"resourcenotfoundexception": model.Missing,
	"resourcenotfound":          model.Missing,
	"unknownoperationexception": model.Missing,
	"invalidaction":             model.Missing,

	"context_length_exceeded":       model.Rejected,
	"exceed_context_size_error":     model.Rejected, // llama.cpp
	"content_filter":                model.Rejected,
	"content_policy_violation":      model.Rejected,
	"data_inspection_failed":        model.Rejected, // DashScope
	"datainspectionfailed":          model.Rejected,
	"invalid_prompt":                model.Rejected,
	"bio_policy":                    model.Rejected,
	"misalignment_policy_violation": model.Rejected,
	"request_too_large":             model.Rejected,
	"1301":                          model.Rejected, // Zhipu: unsafe content

	"rate_limit_exceeded":         model.Busy,
	"rate_limit_error":            model.Busy,
	"slow_down":                   model.Busy,
	"overloaded_error":            model.Busy,
	"resource_exhausted":          model.Busy,
	"throttlingexception":         model.Busy,
	"throttledexception":          model.Busy,
	"toomanyrequestsexception":    model.Busy,
	"modelnotreadyexception":      model.Busy,
	"unavailable":                 model.Down,
	"timeout_error":               model.Down,
	"deadline_exceeded":           model.Down,
	"cancelled":                   model.Down,
	"modeltimeoutexception":       model.Down,
	"serviceunavailable":          model.Down,
	"serviceunavailableexception": model.Down,

	"tool_use_failed":           model.Broken, // Groq: the model wrote what its parser cannot read
	"output_parse_failed":       model.Broken,
	"json_validate_failed":      model.Broken,
	"conflict_error":            model.Broken,
	"internal":                  model.Broken,
	"aborted":                   model.Broken,
	"unknown":                   model.Broken,
	"modelerrorexception":       model.Broken,
	"modelstreamerrorexception": model.Broken,
	"internalserverexception":   model.Broken,
	"internalfailure":           model.Broken,
	"requestabortedexception":   model.Broken,

	"invalid_argument": model.Refused,
	"out_of_range":     model.Refused,
	"unimplemented":    model.Refused,
}

// Texts count where codes say nothing or something else: accounts without credit, keys that
// are wrong and prompts that are filtered come with every status and code.
var (
	unpaid = regexp.MustCompile(`(?i)insufficient (account )?(balance|credit|fund)` +
		`|(balance|credits?)( is| are| has been| have been)? (too low|insufficient|exhausted|depleted|not enough|not sufficient|used up)` +
		`|(out of|not enough|run out of|ran out of|no|n't have (any|enough|sufficient)|not have (any|enough|sufficient)) (more |remaining |available |api )?(credits?|balance|funds)\b` +
		`|quota\b.{0,40}\b(is )?not enough|free quota (tier|has been exhausted)|\blimit: 0(?:[^.\d]|$)` +
		`|extra usage is required|requires a subscription` +
		`|(depleted|exhausted|used up) (all |your|the)[^.]{0,40}(credits?|balance|budget)` +
		`|used all [^.]{0,20}credits` +
		`|(valid )?(credit card|payment method) on file|\btrial( period)? (has |is )?(ended|expired|over)\b` +
		`|billing (to be|must be|is not|not|be) enabled|(enable|disabled?) billing|balance is negative` +
		`|套餐.{0,6}到期|续订|额度已` +
		`|credits? (have |has )?expired|exceeded (your|the) (monthly |daily )?(included )?credits` +
		`|余额不足|余额已|额度不足|额度已|预扣费额度失败|欠费|充值|unpaid (invoice|bill)|free tier .{0,40}exhausted` +
		`|subscription (has )?(expired|ended)|in arrears|past invoices|overdue (payment|invoice|bill|balance)` +
		`|failure to pay|payment (is )?(required|past due)|no payment method` +
		`|requires? more credits|api usage limits|spend(ing)? limit|billing (hard )?limit` +
		`|monthly (usage|spend) limit|budget has been exceeded|key limit exceeded|please (recharge|top up)`)
	denied = regexp.MustCompile(`(?i)(incorrect|invalid|expired|revoked|missing|unknown|wrong) (openai |api |access |x-|auth(entication|orization)? )*(api|access|auth\w*|subscription)?[- ]?key\b` +
		`|api[ _-]?key\b.{0,40}(not valid|is valid|invalid|incorrect|expired|revoked|not found|disabled)` +
		`|\bapi[ _-]?key\b.{0,40}(deleted|leaked|compromised|disabled)|^operation not allowed` +
		`|\b(access|bearer|security|session|api|o?auth\w*)[ -]token\b.{0,40}(invalid|expired|revoked|not valid|no longer valid)` +
		`|(invalid|expired|revoked) (access|bearer|api|o?auth\w*) token\b|^(invalid|expired) token\.?$` +
		`|\bip( address)?\b.{0,60}(not allowed|(white|allow)[ -]?list)|无效的令牌|令牌.{0,10}(过期|无效|不可用)|密钥(无效|错误)|(鉴权|认证)失败` +
		`|invalid (credentials|authentication|authorization)|(authentication|authorization|login) fail` +
		`|authentication is disabled|access denied due to` +
		`|\b(account|resource|project|organi[sz]ation|subscription|consumer|user|team|workspace)\b.{0,80}\b(is|has been|was) (temporarily |permanently )?(not active|suspended|restricted|disabled|deactivated|blocked|banned|terminated|frozen)`)
	filtered = regexp.MustCompile(`(?i)(violat|against).{0,60}(guideline|polic|terms)|content[ _-]?(filter|moderation|policy|safety|management)|inappropriate (content|text|words)` +
		`|sensitive (content|words|information)|new_sensitive|considered high risk` +
		`|safety[ _](system|check|filter|polic)|\bflagged\b|moderation|risk control|敏感|违规`)
	unknown = regexp.MustCompile(`(?i)\bmodel\b.{0,120}(not found|does(n't| not) exist|not exist|not available|no longer (available|supported)|decommissioned)` +
		`|(no such|unknown|unsupported) model\b|not a valid model|no models? (is |are )?loaded` +
		`|llm provider not provided|does not work with the specified model` +
		`|\bmodel\b.{0,80}(has been|was) (deprecated|retired|discontinued|sunset|removed|shut down)` +
		`|reached the end of its life|模型.{0,40}(不存在|已下线)` +
		`|invalid model (name|id)|model identifier is invalid|on-demand throughput isn` +
		`|\bmodel\b.{0,120}not supported by (any )?provider|\bmodel (is )?disabled`)
	// overlong prompts do not fit into the context of their model.
	overlong = regexp.MustCompile(`(?i)\bcontext[ _-]?(length|size|window|limit)\b|maximum (context|prompt|input|sequence) length|\b(prompt|input|request|message)s?\b.{0,40}\b(is|are|was) (too long|longer than)|prompt contains \d+ tokens|reduce the length of the messages|too many (input )?tokens|exceeded model token limit|prompt_?tokens\b.{0,40}must be less|max_prompt_tokens` +
		"|`inputs` must have less than" + `|token count.{0,40}exceeds|range of input length|input length.{0,40}exceeds` +
		`|string too long|max(imum)? input (characters|tokens|length)|max_tokens must be at least 1, got -` +
		`|(prompt|输入|上下文).{0,10}(超长|过长|超过|超出)`)
	// crowded services say so with statuses that do not.
	crowded = regexp.MustCompile(`(?i)rate[ _-]?limit(s|ed)?( is| was| has been| have been)? (exceeded|reached|hit)|exceed\w* .{0,40}rate[ _-]?limit|rate[- ]limited` +
		`|too many (concurrent )?(requests|calls)` +
		`|(request|qps|rpm|tpm|concurren\w+) limit (is |was )?(reached|exceeded)|overloaded|server is busy` +
		`|(at|over|out of|insufficient|no available) capacity|capacity (is )?(temporarily )?exceeded|访问量过大|请求过多` +
		`|过于频繁|并发.{0,6}(超|过)`)
	// unrouted models are served by no channel of a gateway (New API).
	unrouted = regexp.MustCompile(`(?i)no available channel for (the )?model|模型.{0,80}无可用渠道`)
	// page matches the HTML pages of gateways, whose words say nothing of the prompt.
	page = regexp.MustCompile(`(?i)^\s*<(!doctype|html|\?xml)`)
	// periods are those that a limit is of.
	periods = regexp.MustCompile(`(?i)\b(?:per|a|this|by|current)[ -]?(second|minute|min|hour|day|week|month|billing cycle)\b` +
		`|/ ?(second|minute|min|hour|day|month)\b|\b(\d+[ -]hour|hourly|daily|weekly|monthly)\b|By(Minute|Day)\b`)
	isLong  = regexp.MustCompile(`(?i)day|daily|week|month|cycle`)
	limited = regexp.MustCompile(`(?i)limit|quota|allocation|exceed|exhaust|used up|too many|\bcap\b`)
	// stuck are faults of the service that hit a prompt or a model again and again.
	stuck = regexp.MustCompile(`(?i)too large|too long|context (length|size|window)|\bmemory\b|\bcuda\b|unloaded|crashed|not (supported|implemented)|unsupported`)
)

// maxSearched bounds the bytes of a message that are searched: services say first what is wrong.
const maxSearched = 8 << 10

// FaultOf returns the fault of a failed call: what a code or text of w means, or else the status.
func FaultOf(status int, w Words) model.Fault {
	w.Message = w.Message[:min(len(w.Message), maxSearched)]
	switch {
	case w.Limit == "openrouter_in_flight_budget":
		return model.Busy // the credit is held by the calls in flight
	case strings.Contains(w.Message, "error-code#token-limit"):
		return model.Busy // DashScope calls its limit a minute a quota
	case w.Flagged:
		return model.Rejected
	case w.Daily, unpaid.MatchString(w.Message), w.isLongLimit(status):
		return model.Unpaid
	case denied.MatchString(w.Message):
		return model.Denied
	}
	fault, known := w.faultOf()
	if !known || fault == model.Denied || fault == model.Refused {
		if isRequestFault(status) && !page.MatchString(w.Message) && filtered.MatchString(w.Message) {
			return model.Rejected
		}
	}
	if !known {
		fault = statusFault(status)
	}
	if (fault == model.Refused || fault == model.Broken) && crowded.MatchString(w.Message) {
		fault = model.Busy
	}
	switch {
	case (fault == model.Refused || fault == model.Busy) && unrouted.MatchString(w.Message):
		return model.Missing
	case fault == model.Refused && unknown.MatchString(w.Message):
		return model.Missing
	case fault == model.Refused && isRequestFault(status) && overlong.MatchString(w.Message):
		return model.Rejected
	case (fault == model.Busy || fault == model.Broken) && status != http.StatusServiceUnavailable &&
		stuck.MatchString(w.Message):
		return model.Refused
	}
	return fault
}

// soonAgain is how long a limit of a day may still hold to be waited for: some are of the 24
// hours past, of which a part comes back each moment.
const soonAgain = time.Hour

// isLongLimit reports whether a limit of a day or more is used up, which is that of the period
// that a message names first: others are of what could be bought.
func (w Words) isLongLimit(status int) bool {
	if status != http.StatusTooManyRequests && status != http.StatusForbidden && status != http.StatusOK {
		return false
	}
	endsSoon := w.RetryAfter > 0 && w.RetryAfter <= soonAgain
	return !endsSoon && isLong.MatchString(periods.FindString(w.Message)) && limited.MatchString(w.Message)
}

// faultOf returns what the first code that is known means.
func (w Words) faultOf() (model.Fault, bool) {
	for _, code := range w.Codes {
		code = strings.ToLower(code)
		if fault, ok := codes[code]; ok {
			return fault, true
		}
		switch {
		case strings.HasSuffix(code, "_spend_limit_exceeded"), strings.HasSuffix(code, "spend_limit_reached"):
			return model.Unpaid, true
		case strings.HasPrefix(code, "api_key_"):
			return model.Denied, true
		}
	}
	return "", false
}

// isRequestFault reports whether a status blames the request, or nothing.
func isRequestFault(status int) bool {
	return status == http.StatusOK || status/100 == 4 && status != http.StatusUnauthorized && status != http.StatusNotFound &&
		status != http.StatusTooManyRequests
}

// statusFault uses the status alone where the service says nothing more exact.
func statusFault(status int) model.Fault {
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable,
		420, 430, 498, 509, 529: // what some services say for 429 and 503
		return model.Busy
	case http.StatusRequestTimeout, http.StatusTooEarly, ClientClosed, http.StatusBadGateway, http.StatusGatewayTimeout:
		return model.Down
	case http.StatusConflict, http.StatusFailedDependency:
		return model.Broken
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		return model.Denied
	case http.StatusPaymentRequired:
		return model.Unpaid
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return model.Missing // every call would end like this one
	case http.StatusRequestEntityTooLarge:
		return model.Rejected
	case http.StatusNotImplemented:
		return model.Refused
	}
	switch {
	case status/100 == 3:
		return model.Missing
	case status >= unknownError && status <= 530:
		return model.Down
	case status >= 500:
		return model.Broken
	}
	return model.Refused
}

// Unnamed returns a name for an error that the service did not name, made from the status.
func Unnamed(status int) string {
	if status == http.StatusOK {
		return "error_in_body"
	}
	return strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
}

// Refused returns the error for a response that holds no answer, from its status, its headers and
// w.
func (r Reporter) Refused(f *Failure, w Words) *model.Error {
	w.RetryAfter = w.retryAfter(f.Header, f.At)
	err := r.Failed(FaultOf(f.Status, w), w.Name(f.Status), w.Text())
	err.Status = f.Status
	err.Unbilled = f.IsUnbilled()
	if err.Class == model.Retry {
		err.RetryAfter = w.RetryAfter
	}
	err.Limits = Limits(f.Header, f.At)
	if f.Status/100 == 3 {
		err.Message = "the server redirects, which is not followed; set base_url to the final address"
	}
	return err
}

// InBody returns the error in the body of a response 2xx: nothing useful arrived. Routers put the
// status that they could not send any more into the code.
func (r Reporter) InBody(body []byte) *model.Error {
	w := ReadWords(body, nil)
	w.RetryAfter = w.retryAfter(nil, time.Now())
	fault := model.Useless
	if said := FaultOf(http.StatusOK, w); said != model.Refused {
		fault = said
	} else if _, known := w.faultOf(); known {
		fault = said
	}
	for _, code := range w.Codes {
		status, err := strconv.Atoi(code)
		if err != nil || status < 400 || status >= 600 {
			continue
		}
		// A prompt is to blame only if the status blames the request.
		if fault == model.Useless || fault == model.Rejected && !isRequestFault(status) {
			fault = FaultOf(status, w)
		}
	}
	err := r.Failed(fault, w.Name(http.StatusOK), w.Text())
	err.Status = http.StatusOK
	if err.Class == model.Retry {
		err.RetryAfter = w.RetryAfter
	}
	return err
}

// Unasked returns the error of a request that was not sent because of fault.
func (r Reporter) Unasked(fault error) *model.Error {
	err := r.Failed(model.Unsent, "bad_request", fault.Error())
	err.Unbilled = true
	return err
}

// Useless returns the error of a response 2xx without an answer, quoting how its body begins; it
// may have been billed. Often a second try succeeds; callers bound the tries.
func (r Reporter) Useless(code, message string, body []byte) *model.Error {
	w := ReadWords(body, nil)
	if said := w.Message; said != "" && said != string(body) { // an error in a form of its own
		err := r.InBody(body)
		err.Message = r.Text(message+": "+said, 2048)
		if len(w.Codes) == 0 {
			err.Code = code
		}
		return err
	}
	if begins := r.Line(string(body), 200); begins != "" {
		message += ": " + begins
	}
	err := r.Failed(model.Useless, code, message)
	err.Status = http.StatusOK
	return err
}
