//go:build !unix

package programs

import "os/exec"

// ownGroup leaves a command as it is: here only the process itself can be killed.
func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}
