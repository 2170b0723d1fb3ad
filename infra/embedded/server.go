package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"

	"roundtable/infra"
)

// Config says how to run the embedded server. Its zero value is good.
type Config struct {
	// Dir holds all state; made if missing. Default [infra.DefaultDir].
	Dir string
	// Fresh removes the workflows that an earlier server left in Dir.
	Fresh bool
	// Port of the frontend on 127.0.0.1; 0 takes a free one.
	Port int
	// SearchAttributes that workflows may have; they are those of the first start on Dir.
	SearchAttributes []temporal.SearchAttributeKey
	// FullSync makes every commit reach the disk (SQLite synchronous=2): it
	// survives a power loss at half the rate. Without it (synchronous=1) a killed
	// process loses nothing, a power loss may lose the last moments.
	FullSync bool
	// Logger gets the server's errors. Default: the file server.log in Dir.
	Logger *slog.Logger
	// Notices gets the messages for the operator. Default os.Stderr.
	Notices io.Writer
	// Open admits everybody who reaches a port, as a cluster without TLS does; for tests.
	Open bool
	// Faults of the database, for tests.
	Faults Faults
}

// Server is a running embedded server.
type Server struct {
	address   string
	admits    admits
	announced string // the file that tells others of it
	server    assembly
	closers   []io.Closer // the log, then the lock: in the order they are let go
	stop      sync.Once
	stopErr   error
}

// Start starts the server on cfg.Dir and returns when its frontend answers.
// It fails when another process uses the folder, when its disk has less than
// [MinFreeBytes] left, or when ctx ends.
func Start(ctx context.Context, cfg Config) (_ *Server, err error) {
	if cfg.Dir == "" {
		cfg.Dir = infra.DefaultDir
	}
	if cfg.Notices == nil {
		cfg.Notices = os.Stderr
	}
	if err := cfg.Faults.check(); err != nil {
		return nil, err
	}
	// Absolute, so that a later change of the working directory is harmless.
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("infra: state folder %q: %w", cfg.Dir, err)
	}
	if err := prepareDir(dir); err != nil {
		return nil, err
	}
	s := &Server{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	lock, err := acquireLock(dir)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, lock)
	if cfg.Logger == nil {
		file, err := openLog(dir)
		if err != nil {
			return nil, err
		}
		s.closers = append([]io.Closer{file}, s.closers...)
		cfg.Logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelError}))
	}
	if cfg.Fresh {
		if err := removeDatabase(dir); err != nil {
			return nil, err
		}
	}
	if err := prepareDatabase(dir, cfg.SearchAttributes, cfg.Notices); err != nil {
		return nil, err
	}
	ports, kept, err := choosePorts(cfg.Port)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.address = ports[primitives.FrontendService].addressOf()
	if !cfg.Open {
		if s.admits.admission, err = newAdmission(); err != nil {
			return nil, fmt.Errorf("infra: certificate of the embedded server: %w", err)
		}
	}
	if err := s.serveUntil(ctx, databasePath(dir), ports, cfg); err != nil || cfg.Open {
		return s, err
	}
	s.announced = filepath.Join(dir, infra.ClientFile)
	if err := s.admits.writeClientFile(dir, s.address); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) serveUntil(ctx context.Context, database string, ports services, cfg Config) error {
	late := time.AfterFunc(startsLate, func() {
		fmt.Fprintf(cfg.Notices, "the embedded Temporal server has been starting for %s; the machine may be far behind. Waiting on\n", startsLate)
	})
	defer late.Stop()
	server, err := assembleServer(ctx, serverConfig(database, ports, cfg), ports, s.admits, newServerLog(cfg.Logger))
	if err != nil {
		return fmt.Errorf("infra: embedded Temporal server: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("infra: embedded Temporal server: %w", errors.Join(err, server.Stop()))
	}
	s.server = server
	c, err := infra.Dial(ctx, s.Target())
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	c.Close()
	return nil
}

// HostPort returns the frontend's address, 127.0.0.1:PORT.
func (s *Server) HostPort() string { return s.address }

// Target returns what [infra.Dial] needs to reach this server.
func (s *Server) Target() infra.Target {
	t := infra.Target{HostPort: s.address, Namespace: infra.Namespace, Patience: startTimeout, InProcess: true}
	if s.admits.admission != nil {
		t.TLS = s.admits.clientSettings()
	}
	return t
}

// Stop ends the server and lets go of its folder; stop workers and close clients
// before. Running workflows go on at the next Start. Only the first call acts.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		if s.announced != "" {
			s.stopErr = os.Remove(s.announced)
		}
		if s.server != nil {
			s.stopErr = errors.Join(s.stopErr, s.server.Stop())
		}
		s.stopErr = errors.Join(s.stopErr, s.release())
	})
	return s.stopErr
}

func (s *Server) release() (err error) {
	for _, c := range s.closers {
		err = errors.Join(err, c.Close())
	}
	s.closers = nil
	return err
}

// services are the ports of the server's three services on loopback.
type services map[primitives.ServiceName]port

func (s services) hostsByService() map[primitives.ServiceName]static.Hosts {
	hosts := make(map[primitives.ServiceName]static.Hosts, len(s))
	for name, port := range s {
		hosts[name] = static.SingleLocalHost(port.addressOf())
	}
	return hosts
}

// acquireLock takes the state folder for this process.
func acquireLock(dir string) (io.Closer, error) {
	held, err := infra.LockFile(filepath.Join(dir, "lock"), 0)
	if errors.Is(err, infra.ErrInUse) {
		err = fmt.Errorf("%w; wait for it, stop it, or choose another folder", err)
	}
	return held, err
}
