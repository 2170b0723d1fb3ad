package model

// Fault is what kept a call from being answered. What is done about it follows from the
// fault alone, in one table (see Treatment and docs/guides/providers.md).
type Fault string

// The faults, by what they say something about.
const (
	Unsent   Fault = "unsent"   // this request: it was not sent, for what is wrong with it
	Rejected Fault = "rejected" // this prompt: too long, filtered, or its answer is too long to be read
	Refused  Fault = "refused"  // this prompt, this model or this account: the service does not say which
	Broken   Fault = "broken"   // the same, in words that promise another end: status 500, a parser's chance
	Useless  Fault = "useless"  // a status 2xx without an answer; it may have been billed
	Silent   Fault = "silent"   // nothing until the deadline; it may have been billed
	Busy     Fault = "busy"     // the account or the service: too many calls
	Down     Fault = "down"     // the service: no connection, or a gateway in front of it says so
	Missing  Fault = "missing"  // this model or address
	Denied   Fault = "denied"   // this account: key, permission, suspension
	Unpaid   Fault = "unpaid"   // this account: credit, spend limit, quota of a day
)

// Treatment is a row of the table: what is done about a fault.
type Treatment struct {
	First Class // what is done at the first failure of a model that has answered before
	// Tries is how many equal failures of one prompt in a row there are until it is found out
	// whether other prompts are answered; 0 if the first failure decides.
	Tries int
	// Prompt and Model are what is done after that: if other prompts are answered, so that it is
	// this one's fault, and if none is.
	Prompt, Model Class
	// Unanswered is how many equal failures pause the campaign of a model that has never
	// answered in it; 0 if they do not.
	Unanswered int
}

// Treatments returns the table, in the order in which it is documented.
func Treatments() []struct {
	Fault
	Treatment
} {
	return []struct {
		Fault
		Treatment
	}{
		{Unsent, Treatment{First: Fail}},
		{Rejected, Treatment{First: Fail, Prompt: Fail, Model: Pause}},
		{Refused, Treatment{First: Retry, Tries: 3, Prompt: Fail, Model: Pause, Unanswered: 3}},
		{Broken, Treatment{First: Retry, Tries: 6, Prompt: Fail, Model: Retry, Unanswered: 8}},
		{Useless, Treatment{First: Retry, Tries: 4, Prompt: Fail, Model: Pause, Unanswered: 3}},
		{Silent, Treatment{First: Retry, Tries: 8, Prompt: Fail, Model: Pause}},
		{Busy, Treatment{First: Retry, Tries: 12, Prompt: Retry, Model: Retry}},
		{Down, Treatment{First: Retry, Tries: 12, Prompt: Retry, Model: Retry}},
		{Missing, Treatment{First: Pause}},
		{Denied, Treatment{First: Pause}},
		{Unpaid, Treatment{First: Pause}},
	}
}

// Treatment returns the row of a fault; that of Broken for one that is not in the table.
func (f Fault) Treatment() Treatment {
	var other Treatment
	for _, row := range Treatments() {
		if row.Fault == f {
			return row.Treatment
		}
		if row.Fault == Broken {
			other = row.Treatment
		}
	}
	return other
}

// Class returns what an error of that fault is before it is known what became of other
// calls: Refused is then as final as Rejected.
func (f Fault) Class() Class {
	if f == Refused {
		return Fail
	}
	return f.Treatment().First
}
