package embedded

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
)

// unlimited is above anything one machine reaches: the embedded server has one
// user, whom a rate limit would only slow down.
const unlimited = 1_000_000

// settings is the server's dynamic configuration. Limits of payload, blob and
// history sizes keep their defaults: a real cluster has them too.
var settings = dynamicconfig.StaticClient{
	// How often a queue looks for new tasks. The default of 20 adds 29 ms to
	// every workflow task.
	dynamicconfig.TransferProcessorMaxPollRPS.Key(): 200,
	dynamicconfig.TimerProcessorMaxPollRPS.Key():    200,

	// How often a queue notes how far it is. What came since is done once more after a
	// kill: with the default of 30 s that kept 1,000 collaborations waiting for 2 s.
	dynamicconfig.TransferProcessorUpdateAckInterval.Key():   2 * time.Second,
	dynamicconfig.VisibilityProcessorUpdateAckInterval.Key(): 2 * time.Second,

	// How much earlier than now a clock may be. There is one clock: the default of 1 s
	// is added to what is tried again at once.
	dynamicconfig.TimerProcessorMaxTimeShift.Key(): 10 * time.Millisecond,

	// Writes wait for each other. After the default of 5 s a shard is taken for lost, and
	// read again as a whole.
	dynamicconfig.ShardIOTimeout.Key(): time.Minute,

	// Who waits for a workflow's end is not told of it where another event of the workflow
	// has not been read yet, and asks again after this time; 20 s by default.
	dynamicconfig.HistoryLongPollExpirationInterval.Key(): time.Second,

	// With the default 4 partitions a rate limit of a task queue is cut in 4.
	dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
	dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
	// Campaigns that share a task queue take turns by their fairness key.
	dynamicconfig.MatchingEnableFairness.Key(): true,

	// Long requests at once; 2,000 callers waiting for results err at the default 1,200.
	dynamicconfig.FrontendMaxConcurrentLongRunningRequestsPerInstance.Key(): 20_000,

	dynamicconfig.FrontendRPS.Key():                                  unlimited,
	dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           unlimited,
	dynamicconfig.HistoryRPS.Key():                                   unlimited,
	dynamicconfig.MatchingRPS.Key():                                  unlimited,
	dynamicconfig.FrontendPersistenceMaxQPS.Key():                    unlimited,
	dynamicconfig.HistoryPersistenceMaxQPS.Key():                     unlimited,
	dynamicconfig.MatchingPersistenceMaxQPS.Key():                    unlimited,
	dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 1000,

	// Counting payloads that are kept elsewhere, of which there are none, walks
	// through every event: 3 % of the processor time of a call.
	dynamicconfig.ExternalPayloadsEnabled.Key(): false,

	// A campaign starts its collaborations in one workflow task: events that do not
	// stay in memory are read again with all others of that task, for each of them.
	dynamicconfig.EventsCacheMaxSizeBytes.Key(): 16 << 20,

	// How many workflows stay in memory. Nothing asks for those that have ended, and by
	// default they stay for an hour, at about 40 KB each.
	dynamicconfig.HistoryCacheHostLevelMaxSize.Key(): 2000,

	// History itself closes the children of a parent that ends: no system worker runs.
	dynamicconfig.EnableParentClosePolicyWorker.Key(): false,

	// The server would otherwise report its version and ask for newer ones.
	dynamicconfig.EnableServerVersionCheck.Key(): false,
}

const clusterName = "active"

// serverConfig returns the server's static configuration. What is left out is off:
// metrics, pprof, HTTP, archival, TLS (nothing leaves loopback).
func serverConfig(database string, ports services, c Config) *config.Config {
	frontend := ports[primitives.FrontendService].addressOf()
	cfg := &config.Config{
		// Synchronous 1: a killed process loses nothing, a power loss may lose the last moments. With 2 that
		// would be kept at half the rate.
		Persistence: newPersistence(sqlConfig(database, "wal", "1"), c.Inject),
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: frontend},
		Services:            map[string]config.Service{},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}
	for name, port := range ports {
		// BindOnIP, because BindOnLocalHost looks the name up.
		cfg.Services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: int(port), BindOnIP: loopback}}
	}
	return cfg
}

func newPersistence(sql *config.SQL, inject *config.FaultInjection) config.Persistence {
	return config.Persistence{
		DefaultStore:     sqlite.PluginName,
		VisibilityStore:  sqlite.PluginName,
		NumHistoryShards: 1, // one process, one disk: more shards only poll more
		DataStores:       map[string]config.DataStore{sqlite.PluginName: {SQL: sql, FaultInjection: inject}},
	}
}

// sqlConfig opens the database file. MaxConns stays unset, i.e. one connection:
// SQLite has one writer, and waiting in Go is cheaper than for its lock.
func sqlConfig(file, journal, synchronous string) *config.SQL {
	return &config.SQL{
		PluginName: sqlite.PluginName,
		// The name becomes a URI: a % or ? of the path must not be read as one.
		DatabaseName: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(),
		ConnectAttributes: map[string]string{
			"mode":         "rw", // never make a file: prepareDatabase does, with its permissions
			"journal_mode": journal,
			"synchronous":  synchronous,
			// No pragma of SQLite's, so it does nothing but set this start apart: the
			// server never closes a connection and would give the next start in this
			// process the one of a file that may have been removed.
			"roundtable_start": "s" + strconv.FormatUint(rand.Uint64(), 36),
		},
	}
}

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
func choosePorts() (services, io.Closer, error) {
	for range 1000 {
		slot := port(firstPort + slotPorts*rand.IntN((lastPort-firstPort)/slotPorts))
		kept, err := net.Listen("tcp", slot.addressOf())
		if err != nil {
			continue
		}
		free := services{primitives.FrontendService: slot + 1, primitives.HistoryService: slot + 2,
			primitives.MatchingService: slot + 3}
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
