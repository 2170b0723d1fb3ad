package cluster

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// database is a PostgreSQL server.
type database struct {
	*process
	dir, port string
	as        *syscall.Credential // who it runs as; root may not
}

// newDatabase makes an empty database and starts its server.
func newDatabase(t *testing.T) *database {
	t.Helper()
	if *postgres == "" {
		t.Fatal("there is no PostgreSQL here: install Debian's package postgresql, or say -postgres FOLDER")
	}
	dir, err := os.MkdirTemp("", "cluster-postgres") // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d := &database{dir: filepath.Join(dir, "data"), port: strconv.Itoa(freePorts(t, 1)[0])}
	if os.Getuid() == 0 {
		d.as = postgresUser(t)
		if err := os.Chown(dir, int(d.as.Uid), int(d.as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	run(t, 0, d.command("initdb", "--pgdata", d.dir, "--username", "temporal", "--auth", "trust", "--encoding", "UTF8"))
	d.process = newProcess(t, t.TempDir(), "postgresql", func() *exec.Cmd {
		return d.command("postgres", "-D", d.dir, "-p", d.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200")
	})
	until(t, "PostgreSQL", time.Minute, d.ready)
	return d
}

func postgresUser(t *testing.T) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.ParseUint(u.Uid, 10, 32)
	gid, _ := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (d *database) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(*postgres, name), args...)
	cmd.Dir = "/"
	if d.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: d.as}
	}
	return cmd
}

// ready reports whether it answers: it listens before it has recovered.
func (d *database) ready() bool {
	return d.command("pg_isready", "-h", "127.0.0.1", "-p", d.port).Run() == nil
}

// makeTables makes the databases and tables of Temporal's server with its own tool.
func (d *database) makeTables(t *testing.T) {
	t.Helper()
	for name, schema := range map[string]string{"temporal": "postgresql/v12/temporal", "visibility": "postgresql/v12/visibility"} {
		for _, args := range [][]string{{"create-database"}, {"setup-schema", "-v", "0.0"}, {"update-schema", "--schema-name", schema}} {
			tool := append([]string{"--plugin", "postgres12", "--endpoint", "127.0.0.1", "--port", d.port, "--user", "temporal", "--database", name}, args...)
			run(t, 0, exec.Command(filepath.Join(*servers, "sql"), tool...))
		}
	}
}
