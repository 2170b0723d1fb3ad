package embedded

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"go.temporal.io/server/common/primitives"
)

const loopback = "127.0.0.1"

type port int

func (p port) address() string { return net.JoinHostPort(loopback, strconv.Itoa(int(p))) }

// checkFree reports whether p can be listened on now.
func (p port) checkFree() error {
	l, err := net.Listen("tcp", p.address())
	if err != nil {
		return err
	}
	return l.Close()
}

// The server takes port numbers, not listeners. Numbers below the ranges that
// operating systems use for outgoing connections (Linux 32768+, macOS 49152+)
// are not taken by such a connection between the look and the use.
const firstPort, lastPort = 20000, 32000

func choosePorts(frontend int) (services, error) {
	chosen := services{}
	taken := map[port]bool{}
	if frontend != 0 {
		p := port(frontend)
		if err := p.checkFree(); err != nil {
			return nil, fmt.Errorf("infra: port %d for the embedded server: %w; choose another, or 0 for any", frontend, err)
		}
		chosen[primitives.FrontendService], taken[p] = p, true
	}
	for _, name := range []primitives.ServiceName{
		primitives.FrontendService, primitives.HistoryService, primitives.MatchingService,
	} {
		for tries := 0; chosen[name] == 0; tries++ {
			if tries == 1000 {
				return nil, fmt.Errorf("infra: found no free port for the embedded server between %d and %d on %s", firstPort, lastPort, loopback)
			}
			p := port(firstPort + rand.IntN(lastPort-firstPort))
			if !taken[p] && p.checkFree() == nil {
				chosen[name], taken[p] = p, true
			}
		}
	}
	return chosen, nil
}
