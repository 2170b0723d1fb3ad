package envs_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"testing/fstest"

	"roundtable/envs"
	"roundtable/envs/conformance"
)

// meeting is an environment of one's own: three people look for an hour at which most are free.
type meeting struct{}

func (meeting) Version() int          { return 1 }
func (meeting) Measure() envs.Measure { return envs.Share }
func (meeting) Instances() int        { return 0 }
func (meeting) Policies() []string    { return []string{"honest"} }

func (meeting) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 {
		return nil, fmt.Errorf("instance %d: expected 0 or more", index)
	}
	d := day{id: fmt.Sprintf("day-%d", index)}
	random := envs.Stream(seed, "meeting", index)
	for range d.Agents() {
		free := random.Perm(8)[:4]
		slices.Sort(free)
		d.free = append(d.free, free)
	}
	return d, nil
}

// The three texts that an agent reads; each is executed with its observation.
func (meeting) Prompts() fs.FS {
	return fstest.MapFS{
		"task.tmpl":       {Data: []byte("Three people look for one hour at which as many as possible are free.")},
		"background.tmpl": {Data: []byte("You are free at these hours: {{.Free}}.")},
		"proposal.tmpl":   {Data: []byte("A proposal is a whole hour from 0 to 7, such as 5.")},
	}
}

func (meeting) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	var parameters struct{}
	return honest{}, decode(&parameters)
}

// day is one instance: who is free when.
type day struct {
	id   string
	free [][]int
}

// calendar is all that one agent knows.
type calendar struct{ Free []int }

func (d day) ID() string            { return d.id }
func (d day) Agents() []envs.Agent  { return []envs.Agent{{Name: "Ada"}, {Name: "Ben"}, {Name: "Cleo"}} }
func (d day) Observe(agent int) any { return calendar{d.free[agent]} }

func (d day) Parse(proposal []byte) (envs.Proposal, error) {
	var hour *int
	if err := json.Unmarshal(proposal, &hour); err != nil || hour == nil || *hour < 0 || *hour > 7 {
		return "", fmt.Errorf("the proposal is not an hour; expected a whole number from 0 to 7")
	}
	return envs.Proposal(fmt.Sprint(*hour)), nil
}

func (d day) Utility(agent int, p envs.Proposal) float64 {
	return (honest{}).Value(envs.Situation{Observation: d.Observe(agent)}, p)
}

func (d day) Score(p envs.Proposal) envs.Score {
	var s envs.Score
	for agent := range d.free {
		s.Utilities = append(s.Utilities, d.Utility(agent, p))
		s.Value += s.Utilities[agent] / float64(len(d.free))
	}
	return s
}

// honest is a scripted agent that proposes an hour of its own.
type honest struct{}

func (honest) Reserve(envs.Situation) float64 { return 0.5 }

func (honest) Message(s envs.Situation) envs.Message {
	return envs.Message{From: s.Agent, Text: fmt.Sprintf("I am free at %v.", s.Observation.(calendar).Free)}
}

func (honest) Propose(s envs.Situation) (string, bool) {
	free := s.Observation.(calendar).Free
	return fmt.Sprint(free[s.Rand.IntN(len(free))]), true
}

func (honest) Value(s envs.Situation, p envs.Proposal) float64 {
	for _, hour := range s.Observation.(calendar).Free {
		if fmt.Sprint(hour) == string(p) {
			return 1
		}
	}
	return 0
}

// An environment deals instances, reads proposals and scores decisions. Package envtest checks one
// of one's own in go test; the program gets it by an entry in the catalogue (docs/guides/extending.md).
func ExampleEnvironment() {
	instance, err := meeting{}.Instance(7, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, agent := range instance.Agents() {
		fmt.Println(agent.Name, "is free at", instance.Observe(i).(calendar).Free)
	}
	_, err = instance.Parse([]byte(`"noon"`))
	fmt.Println(err)
	decision, err := instance.Parse([]byte(" 4 "))
	fmt.Printf("at %s: %.2f %v\n", decision, instance.Score(decision).Value, err)
	fmt.Println("sound:", conformance.Sample(meeting{}))
	// Output:
	// Ada is free at [0 1 4 7]
	// Ben is free at [0 2 4 5]
	// Cleo is free at [2 4 5 7]
	// the proposal is not an hour; expected a whole number from 0 to 7
	// at 4: 1.00 <nil>
	// sound: <nil>
}
