// Package infra connects to the durable engine: clients of a Temporal server in this
// process (package embedded), in another process of this machine, or on a cluster; the
// settings of their workers; and locks on files, which keep two programs apart.
//
// It promises:
//   - [Dial] never sends plaintext past this machine unless told to.
//   - What a client sends is compressed and, with a key, encrypted before it leaves this
//     process; see package codec.
//   - A server that will never admit this client is not waited for, and the error says
//     what to set.
package infra

// DefaultDir is where an embedded server keeps its state.
const DefaultDir = ".roundtable"

// Namespace is the one namespace of an embedded server; histories are kept 24 h.
const Namespace = "default"

// ClientFile is written into the folder of a server while it runs: where it listens, and
// the certificate that it admits. Our own commands, Temporal's command line and its SDKs
// read it as TOML, and tools that take PEM files find the certificate and its key in it.
const ClientFile = "temporal.toml"
