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

import "go.temporal.io/server/common/headers"

// Version is that of the embedded Temporal server.
const Version = headers.ServerVersion
