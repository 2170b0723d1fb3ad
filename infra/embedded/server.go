// Package embedded runs a Temporal server inside this process (SQLite in one folder,
// loopback only).
//
// It promises:
//   - [Start] serves within half a second; killed at any moment and started
//     again on the same folder, it goes on with every workflow in about one.
//   - Nothing listens anywhere but on 127.0.0.1, and nobody is admitted there without the
//     certificate of this run; the folder is 0700, each of its files 0600; nothing is
//     reported to anyone.
//   - One folder has one server: a second process gets an error naming the first.
//   - The database is disposable. Answers and rows live in the lake; a server of
//     another minor version sets the old database aside and begins a new one.
//
// The folder holds temporal.db (with its -wal and -shm), VERSION, lock, [infra.ClientFile]
// while the server runs and, when no logger was given, server.log.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"

	"roundtable/infra"
	"roundtable/infra/lock"
)

// Config says how to run the embedded server. Its zero value is good.
type Config struct {
	// Dir holds all state; made if missing.
	Dir string
	// Fresh removes the workflows that an earlier server left in Dir.
	Fresh bool
	// SearchAttributes are those that workflows may have; they take effect only at the first start on
	// Dir.
	SearchAttributes []temporal.SearchAttributeKey
	// Logger gets the server's errors. Default: the file server.log in Dir.
	Logger *slog.Logger
	// Notices gets the messages for the operator. Default os.Stderr.
	Notices io.Writer
	// Open admits everybody who reaches a port, as a cluster without TLS does; for tests.
	Open bool
	// Inject makes the database fail; for tests.
	Inject *config.FaultInjection
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

// Start starts the server on cfg.Dir and returns when its frontend answers. It returns an error
// if another process uses the folder, if its disk has less than [MinFreeBytes] left, or if ctx
// ends.
func Start(ctx context.Context, cfg Config) (_ *Server, err error) {
	if cfg.Notices == nil {
		cfg.Notices = os.Stderr
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
	ports, kept, err := choosePorts()
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
		fmt.Fprintf(cfg.Notices, "the embedded Temporal server has been starting for %s; the machine may be far "+
			"behind. Waiting on\n", startsLate)
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

// Target returns what [infra.Dial] needs to reach this server.
func (s *Server) Target() infra.Target {
	t := infra.Target{HostPort: s.address, Namespace: infra.Namespace, Patience: startTimeout, InProcess: true}
	if s.admits.admission != nil {
		t.TLS = s.admits.clientSettings()
	}
	return t
}

// Stop stops the server and releases its folder; stop workers and close clients before. Running
// workflows continue at the next Start. Further calls do nothing.
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
	held, err := lock.File(filepath.Join(dir, "lock"), 0)
	if errors.Is(err, lock.ErrInUse) {
		err = fmt.Errorf("%w; wait for it, stop it, or choose another folder", err)
	}
	return held, err
}

// Version is the version of the embedded Temporal server.
const Version = headers.ServerVersion

// restrictFile sets the mode of a file or folder. A file system without modes, such as
// exFAT, refuses that for this user's own files, which then are as open as the mount says.
func restrictFile(path string, mode fs.FileMode) error {
	err := os.Chmod(path, mode)
	if err == nil || !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOTSUP) &&
		!errors.Is(err, syscall.ENOSYS) {
		return err
	}
	if info, statErr := os.Stat(path); statErr == nil {
		if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) == os.Geteuid() {
			return nil
		}
	}
	return err
}

// MinFreeBytes is the free disk space below which a server does not start: on a full disk
// Temporal hangs silently.
const MinFreeBytes = 200 << 20

// FreeBytes returns how many bytes this user can still write to the disk of dir.
func FreeBytes(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, fmt.Errorf("infra: free space of %s: %w", dir, err)
	}
	return uint64(stat.Bavail) * uint64(stat.Bsize), nil //nolint:unconvert // of other types on other systems
}

func checkFree(dir string, free uint64) error {
	if free < MinFreeBytes {
		return fmt.Errorf("infra: the disk of %s has %d MB left; at least %d MB are needed", dir, free>>20,
			uint64(MinFreeBytes)>>20)
	}
	return nil
}
