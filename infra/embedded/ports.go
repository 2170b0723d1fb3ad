package embedded

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"strconv"

	"go.temporal.io/server/common/primitives"
)

const loopback = "127.0.0.1"

type port int

func (p port) addressOf() string { return net.JoinHostPort(loopback, strconv.Itoa(int(p))) }

// checkFree reports whether p can be listened on now.
func (p port) checkFree() error {
	l, err := net.Listen("tcp", p.addressOf())
	if err != nil {
		return err
	}
	return l.Close()
}

// The server takes port numbers, not listeners. Numbers below the ranges that
// operating systems use for outgoing connections (Linux 32768+, macOS 49152+)
// are not taken by such a connection between the look and the use. Another server that
// starts at the same moment keeps off: each takes a slot of ports, and listens at the first
// until it listens at the others.
const firstPort, lastPort, slotPorts = 20000, 32000, 4

// choosePorts returns free ports, and what keeps other servers off them until it is closed.
func choosePorts(frontend int) (services, io.Closer, error) {
	chosen := services{}
	if frontend != 0 {
		p := port(frontend)
		if err := p.checkFree(); err != nil {
			return nil, nil, fmt.Errorf("infra: port %d for the embedded server: %w; choose another, or 0 for any",
				frontend, err)
		}
		chosen[primitives.FrontendService] = p
	}
	for range 1000 {
		slot := port(firstPort + slotPorts*rand.IntN((lastPort-firstPort)/slotPorts))
		kept, err := net.Listen("tcp", slot.addressOf())
		if err != nil {
			continue
		}
		free := services{primitives.FrontendService: slot + 1, primitives.HistoryService: slot + 2,
			primitives.MatchingService: slot + 3}
		maps.Copy(free, chosen)
		if free.areFree() {
			return free, kept, nil
		}
		kept.Close()
	}
	return nil, nil, fmt.Errorf("infra: found no free ports for the embedded server between %d and %d on %s", firstPort,
		lastPort, loopback)
}

func (s services) areFree() bool {
	taken := map[port]bool{}
	for _, p := range s {
		if taken[p] || p.checkFree() != nil {
			return false
		}
		taken[p] = true
	}
	return true
}
