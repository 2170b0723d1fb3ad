package envs

// World is an Instance in which each agent has a state, a list of numbers. An agent proposes
// where it wants to be, and the environment moves it. All methods are pure.
type World interface {
	Instance
	// Start is an agent's state before the first round.
	Start(agent int) State
	// Move is its state one round later; target is what the agent proposed, "" if it proposed
	// nothing. It does not depend on from.Path.
	Move(agent int, from State, target Proposal) (State, error)
}

// State is an agent's state in a World.
type State struct {
	// Position is what others can see, in the form of a proposal; At is the same as numbers.
	Position Proposal
	At       []float64
	// Rest is what else the next Move needs, such as velocities.
	Rest []float64
	// Path is the positions on the way here from the state before, a JSON list, for tables and figures; "" if
	// the agent got here at once.
	Path string
}
