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
	// unrouted models have no place behind a gateway.
	unrouted = regexp.MustCompile(`(?i)no available channel for (the )?model|模型.{0,80}无可用渠道`)
	// isPage finds pages of gateways, whose words are of their own.
	isPage = regexp.MustCompile(`(?i)^\s*<(!doctype|html|\?xml)`)
	// periods are those that a limit is of.
	periods = regexp.MustCompile(`(?i)\b(?:per|a|this|by|current)[ -]?(second|minute|min|hour|day|week|month|billing cycle)\b` +
		`|/ ?(second|minute|min|hour|day|month)\b|\b(\d+[ -]hour|hourly|daily|weekly|monthly)\b|By(Minute|Day)\b`)
	isLong  = regexp.MustCompile(`(?i)day|daily|week|month|cycle`)
	limited = regexp.MustCompile(`(?i)limit|quota|allocation|exceed|exhaust|used up|too many|\bcap\b`)
	// stuck are faults of the service that hit a prompt or a model again and again.
	stuck = regexp.MustCompile(`(?i)too large|too long|context (length|size|window)|\bmemory\b|\bcuda\b|unloaded|crashed|not (supported|implemented)|unsupported`)
)

// maxSearched is how much of a message is searched: a service says first what is wrong, and may send megabytes.
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
		if isRequestFault(status) && !isPage.MatchString(w.Message) && filtered.MatchString(w.Message) {
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

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = 24 * time.Hour

// RetryAfter returns how long the server asks to wait, from the most exact header; 0 if it does not
// say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} { // the second of Azure
		if d, ok := parseNumber(h.Get(name), time.Millisecond); ok {
			return d
		}
	}
	now = serverTime(h, now)
	// LiteLLM passes on the header of the service behind it under another name.
	for _, name := range []string{"Retry-After", "X-Retry-After", "Llm_provider-Retry-After", "X-Ratelimit-Reset", "X-Rate-Limit-Reset",
		"X-Ratelimit-Reset-After"} {
		if d, ok := waitOf(h.Get(name), now); ok {
			return d
		}
	}
	wait := time.Duration(0)
	for _, pair := range [][2]string{
		{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
		{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
		{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
		{"Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
		{"Ratelimit-Remaining", "Ratelimit-Reset"},
	} {
		// not the one that is used up
		if left := h.Get(pair[0]); left == "" && !strings.HasPrefix(pair[0], "X-") || left != "" && left != "0" {
			continue
		}
		d, _ := waitOf(h.Get(pair[1]), now)
		wait = max(wait, d)
	}
	for name := range h { // X-Ratelimit-Remaining-Tokens-Minute, Ratelimitbysize-Remaining, …
		if strings.Contains(name, "Remaining") && h.Get(name) == "0" {
			d, _ := waitOf(h.Get(strings.Replace(name, "Remaining", "Reset", 1)), now)
			wait = max(wait, d)
		}
	}
	if m := policyReset.FindStringSubmatch(h.Get("Ratelimit")); m != nil && wait == 0 {
		wait, _ = waitOf(m[1], now)
	}
	return wait
}

// policyReset finds the time until a reset in the header of the IETF's draft: "default";r=0;t=4.
var policyReset = regexp.MustCompile(`;\s*r=0\b.*?;\s*t=(\d+)`)

// inWords finds a time to wait in an error's message: "try again in 4s", "retry after 2 seconds".
var inWords = regexp.MustCompile(`(?i)(?:again|retry|wait|reset|available|come back)[^.0-9]{0,30}?\b(?:in|after|for)?\s*(?:about |approximately )?((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[ ,]*(?:and )?)+|(?:\d+(?:\.\d+)?(?:ms|h|m|s))+)`)

// inChinese finds it in Chinese: "6 秒后重试".
var inChinese = regexp.MustCompile(`((?:\d+(?:\.\d+)?\s*(?:小时|分钟?|秒钟?)\s*)+)[之以]?后`)

// oneUnit splits what inWords finds.
var oneUnit = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(ms|mil|h|m|s|小时|分|秒)`)

// retryAfter returns when to come back: what the body says in a member of its own, the
// headers, or the message; 0 if none does.
func (w Words) retryAfter(h http.Header, at time.Time) time.Duration {
	if w.RetryAfter > 0 {
		return w.RetryAfter
	}
	if d := RetryAfter(h, at); d > 0 {
		return d
	}
	return waitInWords(w.Message)
}

func waitInWords(message string) (wait time.Duration) {
	units := map[string]time.Duration{"ms": time.Millisecond, "mil": time.Millisecond, "h": time.Hour, "m": time.Minute,
		"s": time.Second, "小时": time.Hour, "分": time.Minute, "秒": time.Second}
	m := inWords.FindStringSubmatch(message)
	if m == nil {
		m = inChinese.FindStringSubmatch(message)
	}
	if m == nil {
		return 0
	}
	for _, part := range oneUnit.FindAllStringSubmatch(m[1], -1) {
		d, _ := parseNumber(part[1], units[strings.ToLower(part[2])])
		wait += d
	}
	return boundWait(wait)
}

// waitOf returns how long to wait, in every spelling that services use: seconds ("4", "4.0",
// "4s", "6m0s", "4 seconds", in quotes), the first of a list, a date (HTTP or ISO 8601), or a Unix time in seconds or
// milliseconds. What is past is 0; false if it is none of these.
func waitOf(v string, now time.Time) (time.Duration, bool) {
	v = strings.Trim(strings.TrimSpace(v), `"`)
	if t, err := http.ParseTime(v); err == nil {
		return boundWait(t.Sub(now)), true
	}
	v, _, _ = strings.Cut(v, ",")
	v, _, _ = strings.Cut(strings.TrimSpace(v), ";")
	if n, err := strconv.ParseFloat(v, 64); err == nil && !now.IsZero() {
		switch {
		case n > 1e11 && n < 1e15:
			return boundWait(time.UnixMilli(int64(n)).Sub(now)), true
		case n > 1e9 && n <= 1e11:
			return boundWait(time.Unix(int64(n), 0).Sub(now)), true
		}
	}
	if d, ok := parseNumber(v, time.Second); ok {
		return d, true
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(v, " ", "")); err == nil {
		return boundWait(d), true
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(form, v); err == nil && !now.IsZero() {
			return boundWait(t.Sub(now)), true
		}
	}
	d := waitInWords("wait " + v) // "30 seconds"
	return d, d > 0
}

// serverTime returns the server's clock, so that a wrong one here does not matter.
func serverTime(h http.Header, now time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return now
}

func parseNumber(v string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) { // NaN is refused too
		return 0, false
	}
	if n > float64(maxRetryAfter/unit) {
		return maxRetryAfter, true
	}
	return time.Duration(n * float64(unit)), true
}

func boundWait(d time.Duration) time.Duration { return min(max(d, 0), maxRetryAfter) }
