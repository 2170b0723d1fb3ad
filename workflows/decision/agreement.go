package decision

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

// AgreementParams say how many agents must agree with a draft, its author included.
type AgreementParams struct {
	Share Share `json:"share"`
	// Inclusive says that exactly the share is enough; otherwise it must be exceeded.
	Inclusive bool `json:"inclusive"`
	// All must agree before round Round, and in groups of at most Agents agents; 0 means never.
	Round  int `json:"round"`
	Agents int `json:"agents"`
}

// Share is a share of all agents as an exact fraction: "2/3" in JSON.
type Share struct{ *big.Rat }

// MarshalJSON writes the fraction as a text.
func (s Share) MarshalJSON() ([]byte, error) { return json.Marshal(s.RatString()) }

// UnmarshalJSON reads "2/3", "0.66" or a number.
func (s *Share) UnmarshalJSON(data []byte) error {
	text := string(data)
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Num().BitLen() > mostBits || r.Denom().BitLen() > mostBits {
		return fmt.Errorf("share is %s; expected a fraction, as 2/3", data)
	}
	s.Rat = r
	return nil
}

// mostBits of a share's numerator and denominator: exponents such as 1e-999999
// would have every count and every message carry a million digits.
const mostBits = 128

func share(a, b int64) Share { return Share{big.NewRat(a, b)} }

// MajorityConsensus returns the rule that more than half must agree (paper 2 §3.2).
func MajorityConsensus() AgreementParams { return AgreementParams{Share: share(1, 2)} }

// SupermajorityConsensus returns the rule that two thirds or more must agree: two of three
// agents, for whom more than two thirds would be unanimity. Paper 2 says "more than 66 %" (§3.2),
// and its Table 2 has supermajority near majority, far from unanimity.
func SupermajorityConsensus() AgreementParams {
	return AgreementParams{Share: share(2, 3), Inclusive: true}
}

// UnanimityConsensus returns the rule that all agents must agree.
func UnanimityConsensus() AgreementParams {
	return AgreementParams{Share: share(1, 1), Inclusive: true}
}

// HybridConsensus returns the rule that all must agree in the first four rounds and in groups of
// up to three agents, and three quarters after that (Yin et al. 2023 as the code of paper 2's
// authors has it).
func HybridConsensus() AgreementParams {
	return AgreementParams{Share: share(3, 4), Inclusive: true, Round: 5, Agents: 3}
}

type agreement struct {
	choice
	params AgreementParams
}

// NewAgreement selects a draft that enough of the electorate agrees with, by
// exact fractions (paper 2 §3.2, appendix C.1).
func NewAgreement(p AgreementParams) (Rule, error) {
	switch one := newInteger(1); {
	case p.Share.Rat == nil:
		return nil, errors.New("share is missing; expected a fraction above 0 and at most 1")
	case p.Share.Sign() <= 0 || p.Share.Cmp(one) > 0:
		return nil, fmt.Errorf("share is %v; expected a fraction above 0 and at most 1", p.Share)
	case p.Share.Cmp(one) == 0 && !p.Inclusive:
		return nil, fmt.Errorf("share is 1, and more than all cannot agree; expected inclusive: true with it")
	case p.Round < 0 || p.Agents < 0:
		return nil, fmt.Errorf("round is %d and agents %d; expected 0 and more", p.Round, p.Agents)
	}
	return agreement{params: p}, nil
}

// Means of consensus is agreement while agents talk.
func (agreement) Means() Means { return ByAgreement }

func (a agreement) Tally(p Profile) Result {
	scores := totalScores(p, a.Value)
	least, enough := newInteger(p.Electorate), 0
	if p.Round >= a.params.Round && p.Electorate > a.params.Agents {
		least.Mul(least, a.params.Share.Rat)
		if !a.params.Inclusive {
			enough = 1
		}
	}
	r := Result{Scores: scores}
	for _, c := range scoredAtLeast(scores, least) {
		if scores[c].Cmp(least) >= enough {
			r.Winners = append(r.Winners, c)
		}
	}
	return r
}

func (a agreement) Words() Words {
	much := "more than " + a.params.Share.RatString() + " of all agents agree"
	switch {
	case a.params.Share.Cmp(newInteger(1)) == 0:
		much = "all agents agree"
	case a.params.Inclusive:
		much = "at least " + a.params.Share.RatString() + " of all agents agree"
	}
	if a.params.Round > 1 {
		much += fmt.Sprintf("; before round %d all must", a.params.Round)
	}
	if a.params.Agents > 0 {
		much += fmt.Sprintf("; in groups of up to %d all must", a.params.Agents)
	}
	return Words{
		Name:        "consensus",
		Explanation: "A solution is selected as soon as " + much + " with it; its author counts as agreeing.",
		Ballot:      choiceWords,
	}
}
