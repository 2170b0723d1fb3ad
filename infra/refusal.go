package infra

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// probeTimeout bounds a look at how a server speaks, and alertTimeout the wait for its
// word on a certificate, which comes after the handshake.
const (
	probeTimeout = 2 * time.Second
	alertTimeout = 500 * time.Millisecond
)

// refusalOf returns why a server will not have this client however long it waits; nil if
// waiting may help.
func (t Target) refusalOf(ctx context.Context, err error) error {
	switch {
	case err == nil || t.InProcess:
		return nil
	case isUnauthorized(err) && t.Credentials == nil:
		return fmt.Errorf("infra: Temporal at %s, namespace %q: %w The server asks for an API key: set TEMPORAL_API_KEY", t.HostPort, t.Namespace, err)
	case isUnauthorized(err):
		return fmt.Errorf("infra: Temporal at %s, namespace %q: %w The key in TEMPORAL_API_KEY is not valid, or may not do this in that namespace", t.HostPort, t.Namespace, err)
	case isHopeless(err):
		return fmt.Errorf("infra: Temporal at %s, namespace %q: %w", t.HostPort, t.Namespace, err)
	}
	if reason := t.probeServer(ctx); reason != nil {
		return fmt.Errorf("infra: Temporal at %s: %w", t.HostPort, reason)
	}
	return nil
}

func isUnauthorized(err error) bool {
	var denied *serviceerror.PermissionDenied
	code := status.Code(err)
	return errors.As(err, &denied) || code == codes.PermissionDenied || code == codes.Unauthenticated
}

// probeServer connects as the client does and returns what is wrong with how they speak. gRPC
// tries again and reports what broke last, often only that a pipe did.
func (t Target) probeServer(ctx context.Context) error {
	options, err := t.connectionOptions()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	settings := options.TLS
	if settings == nil {
		return t.probePlaintext(ctx)
	}
	conn, err := t.dialTLS(ctx, settings)
	if err != nil {
		return explainHandshake(err, settings)
	}
	defer conn.Close()
	return explainHandshake(awaitWord(conn), settings)
}

// probePlaintext finds out whether a server that was spoken to in plaintext speaks TLS.
func (t Target) probePlaintext(ctx context.Context) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", t.HostPort)
	if err != nil {
		return nil // nobody is there
	}
	spoken := awaitWord(conn)
	conn.Close()
	if spoken == nil {
		return nil
	}
	secure, err := t.dialTLS(ctx, &tls.Config{MinVersion: tls.VersionTLS12})
	if secure != nil {
		secure.Close()
	}
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if err != nil && !distrusted && !isAlert(err) {
		return nil
	}
	return errors.New("the server speaks TLS, and this program expected plaintext: set TEMPORAL_TLS=true, or TEMPORAL_TLS_SERVER_CA_CERT_PATH where the server's certificate is of your own authority")
}

func (t Target) dialTLS(ctx context.Context, settings *tls.Config) (net.Conn, error) {
	settings = settings.Clone()
	settings.NextProtos = []string{"h2"}
	return (&tls.Dialer{Config: settings}).DialContext(ctx, "tcp", t.HostPort)
}

// awaitWord returns nil once a server speaks HTTP/2, and otherwise how the connection
// ended. What is sent to a connection that was closed would lose the reason, so it
// listens before it speaks.
func awaitWord(conn net.Conn) error {
	word := make([]byte, 9) // the head of its settings
	for _, say := range []string{"", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"} {
		if _, err := io.WriteString(conn, say); err != nil {
			return err
		}
		if err := conn.SetReadDeadline(time.Now().Add(alertTimeout)); err != nil {
			return err
		}
		_, err := io.ReadFull(conn, word)
		late, ok := errors.AsType[net.Error](err)
		if err == nil && word[3] == 4 { // settings
			return nil
		}
		if !ok || !late.Timeout() {
			return err
		}
	}
	return nil // it is slow
}

// isAlert reports whether the other side has said why it ends a TLS connection.
func isAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error"
}

// explainHandshake returns what is wrong with certificates, with what to set; nil where
// the error says nothing of them.
func explainHandshake(err error, settings *tls.Config) error {
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case distrusted:
		return fmt.Errorf("%w: TEMPORAL_TLS_SERVER_CA_CERT_PATH names the file of the authority that signed the server's certificate, TEMPORAL_TLS_SERVER_NAME the name in it", err)
	case plain:
		return errors.New("the server speaks plaintext, and this program expected TLS: unset TEMPORAL_TLS and TEMPORAL_TLS_…, or give --insecure for a server on another machine")
	case isAlert(err) && len(settings.Certificates) == 0 && settings.GetClientCertificate == nil:
		return fmt.Errorf("%w: the server asks for a client's certificate; set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH", err)
	case isAlert(err):
		return fmt.Errorf("%w: the server does not accept the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH", err)
	}
	return nil
}
