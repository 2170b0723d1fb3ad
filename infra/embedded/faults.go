package embedded

import (
	"fmt"

	"go.temporal.io/server/common/config"
)

// Faults makes the embedded server's database fail, for tests only: each method
// listed here fails at Rate, half of the failing writes after they were done.
// The zero value is off.
type Faults struct {
	Rate float64 // share of the calls of each method, 0 to 1
	Seed uint32  // which calls of a method fail, and nothing else, follows from it
}

func (f Faults) check() error {
	if !(f.Rate >= 0 && f.Rate <= 1) {
		return fmt.Errorf("infra: a fault rate of %v is none; it is a share between 0 and 1", f.Rate)
	}
	return nil
}

// faulty are the methods between a workflow and its disk: histories, and the
// tasks that workers take.
var faulty = []struct {
	store  config.DataStoreName
	method string
	writes bool
}{
	{config.ExecutionStoreName, "CreateWorkflowExecution", true},
	{config.ExecutionStoreName, "UpdateWorkflowExecution", true},
	{config.ExecutionStoreName, "AppendHistoryNodes", true},
	{config.ExecutionStoreName, "AddHistoryTasks", true},
	{config.ExecutionStoreName, "GetWorkflowExecution", false},
	{config.ExecutionStoreName, "GetCurrentExecution", false},
	{config.ExecutionStoreName, "ReadHistoryBranch", false},
	{config.ExecutionStoreName, "GetHistoryTasks", false},
	{config.TaskStoreName, "CreateTasks", true},
	{config.TaskStoreName, "UpdateTaskQueue", true},
	{config.TaskStoreName, "GetTasks", false},
}

// faultInjection returns the server's own fault injector; nil if it is off.
func (f Faults) faultInjection() *config.FaultInjection {
	if f.Rate == 0 {
		return nil
	}
	inject := &config.FaultInjection{}
	for n, m := range faulty {
		rates := map[string]float64{"Timeout": f.Rate / 2, "ResourceExhausted": f.Rate / 2}
		if m.writes {
			rates = map[string]float64{"Timeout": f.Rate / 4, "ResourceExhausted": f.Rate / 4,
				"ExecuteAndTimeout": f.Rate / 2}
		}
		for fault, rate := range rates {
			inject.WithError(m.store, m.method, fault, rate)
		}
		// The injector takes 0 for a seed from the clock.
		inject.WithMethodSeed(m.store, m.method, int64(f.Seed)*int64(len(faulty))+int64(n)+1)
	}
	return inject
}
