package commands

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/infra/codec"
)

// codecTokenEnv is the variable with the tokens of those who may have payloads opened.
const codecTokenEnv = "ROUNDTABLE_CODEC_TOKEN"

// codecListen is where a codec server listens, and how.
type codecListen struct {
	address, cert, key string
	plaintext          bool
}

func newCodecServer(o *cli.Options) *cobra.Command {
	var at codecListen
	var serve codec.Server
	cmd := &cobra.Command{
		Use:     "codec-server",
		Short:   "Open encrypted histories for Temporal's UI and command line",
		GroupID: toSetUp,
		Long: `Open encrypted histories for Temporal's UI and command line, with the keys of
ROUNDTABLE_CODEC_KEY. It answers Temporal's remote codec protocol: POST /decode,
and POST /encode with --encode. With --namespace it serves that namespace only.

On this machine everybody may ask; pages in a browser only if --allow-origin names
their origin. Elsewhere ROUNDTABLE_CODEC_TOKEN must hold a token (several with commas
between them), sent as Authorization: Bearer TOKEN, and --cert and --key a
certificate. No payload is logged.

Temporal's UI takes the address in its settings of the codec server, Temporal's
command line with --codec-endpoint http://127.0.0.1:8233.`,
		Example: `  roundtable codec-server --allow-origin https://ui.example.org
  ROUNDTABLE_CODEC_TOKEN=$(cat token) roundtable codec-server --listen 10.0.0.5:8233 --cert cert.pem --key key.pem`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if serve.Keys, err = codec.KeysFromEnv(); err != nil {
				return cli.UsageError(err)
			}
			serve.Tokens, serve.Namespace = codecTokens(), cmp.Or(o.Namespace, os.Getenv("TEMPORAL_NAMESPACE"))
			serve.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
			if err := serve.Check(); err != nil {
				return cli.UsageError(err)
			}
			return at.serve(cmd.Context(), serve)
		},
	}
	f := cmd.Flags()
	f.StringVar(&at.address, "listen", "127.0.0.1:8233", "HOST:PORT to listen at")
	f.StringArrayVar(&serve.Origins, "allow-origin", nil,
		"origin of pages that may ask, as https://ui.example.org (may be repeated)")
	f.BoolVar(&serve.Encode, "encode", false, "also encrypt what a tool sends; workers read plain input, too")
	f.StringVar(&at.cert, "cert", "", "file with the certificate (PEM) to listen with")
	f.StringVar(&at.key, "key", "", "file with its private key (PEM)")
	f.BoolVar(&at.plaintext, "plaintext", false,
		"listen on another address than this machine's own without a certificate, behind a proxy that has one")
	return cmd
}

// codecTokens returns the tokens of the environment.
func codecTokens() (tokens []string) {
	for token := range strings.SplitSeq(os.Getenv(codecTokenEnv), ",") {
		if token = strings.TrimSpace(token); token != "" {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// check says why the server may not listen so.
func (at codecListen) check(tokens int) error {
	_, _, err := net.SplitHostPort(at.address)
	outside := !codec.IsLoopback(at.address)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %q: expected HOST:PORT, for example 127.0.0.1:8233", at.address)
	case (at.cert == "") != (at.key == ""):
		return errors.New("--cert and --key belong together")
	case outside && tokens == 0:
		return fmt.Errorf("at %s other machines can ask: set %s to a token, for example of `openssl rand -hex 16`",
			at.address, codecTokenEnv)
	case outside && at.cert == "" && !at.plaintext:
		return fmt.Errorf("at %s the token and the payloads would cross the network in plaintext: give --cert and "+
			"--key, or --plaintext behind a proxy with TLS", at.address)
	}
	return nil
}

// serve answers until ctx ends.
func (at codecListen) serve(ctx context.Context, o codec.Server) error {
	if err := at.check(len(o.Tokens)); err != nil {
		return cli.UsageError(err)
	}
	server := &http.Server{Handler: o.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn)}
	scheme := "http"
	if at.cert != "" {
		pair, err := tls.LoadX509KeyPair(at.cert, at.key)
		if err != nil {
			return cli.UsageError(fmt.Errorf("--cert and --key: %w", err))
		}
		server.TLSConfig, scheme = &tls.Config{MinVersion: tls.VersionTLS12,
			Certificates: []tls.Certificate{pair}}, "https"
	}
	l, err := net.Listen("tcp", at.address)
	if err != nil {
		return cli.UsageError(fmt.Errorf("--listen %s: %w", at.address, err))
	}
	if o.Keys.AreEmpty() {
		fmt.Fprintf(os.Stderr, "%s holds no key: encrypted payloads cannot be decoded, others are unpacked\n",
			codec.KeyEnv)
	}
	fmt.Fprintf(os.Stderr, "codec server at %s://%s; Ctrl-C ends it\n", scheme, l.Addr())
	ended := make(chan error, 1)
	go func() {
		if scheme == "https" {
			ended <- server.ServeTLS(l, "", "")
			return
		}
		ended <- server.Serve(l)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.Shutdown(late)
}
