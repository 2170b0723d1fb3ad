package allocation

import (
	"encoding/json"
	"maps"
	"slices"

	"roundtable/envs/joint"
)

// knowing is the work as one agent knows it: a joint.Mind.
type knowing struct {
	*work
	seen Observation
}

func newMind(o Observation) joint.Mind {
	return knowing{&work{private: o.Private, public: o.Public, tasks: o.Tasks}, o}
}

// Facts returns private/agent/resource, public/resource and value/agent/task.
func (o Observation) Facts() joint.Facts {
	facts := joint.Facts{}
	put := func(prefix string, values map[string]float64) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			facts.Put(prefix+name, values[name])
		}
	}
	put("private/"+agentName(o.Agent)+"/", o.Own)
	put("public/", o.Fragment)
	put("value/"+agentName(o.Agent)+"/", o.Values)
	return facts
}

func (k knowing) Facts() joint.Facts { return k.seen.Facts() }

// Know returns an estimate without doubt.
func (k knowing) Know(all joint.Facts) string {
	return k.addFacts([]joint.Facts{all}, joint.Doubt{}, -1)
}

// Assume adds what others told to what the agent knows itself.
func (k knowing) Assume(told []joint.Facts, d joint.Doubt) string {
	return k.addFacts(append([]joint.Facts{k.Facts()}, told...), d, 0)
}

// addFacts sums facts up, those of the source with index own without doubt.
func (k knowing) addFacts(sources []joint.Facts, d joint.Doubt, own int) string {
	e := Estimate{Private: map[string]joint.State{}, Public: joint.State{}, Values: map[string]joint.State{}}
	sum := func(fact string) (sum float64) {
		for i, facts := range sources {
			var v float64
			if data, ok := facts[fact]; !ok || json.Unmarshal(data, &v) != nil {
				continue
			}
			if i != own {
				v = d.Heard(v)
			}
			sum += v
		}
		return min(joint.Most, max(0, joint.Tidy(sum)))
	}
	for i := range agents {
		e.Private[agentName(i)], e.Values[agentName(i)] = joint.State{}, joint.State{}
		for _, r := range k.private {
			e.Private[agentName(i)][r] = min(joint.Most, sum("private/"+agentName(i)+"/"+r)+d.Excess)
		}
		for _, t := range k.tasks {
			e.Values[agentName(i)][t.Name] = sum("value/" + agentName(i) + "/" + t.Name)
		}
	}
	for _, r := range k.public {
		e.Public[r] = min(joint.Most, sum("public/"+r)+d.Excess)
	}
	return e.String()
}

// Merged returns all that the agents observe, fragments added up.
func (s *session) Merged() string {
	all := joint.Facts{}
	for agent := range agents {
		o := s.Observe(agent).(Observation)
		o.Fragment = s.truth.Public
		maps.Copy(all, o.Facts())
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic("allocation: " + err.Error())
	}
	return "All observations together (public resources are already added up): " + string(data)
}
