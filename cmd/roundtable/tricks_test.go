package main

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

// trick is what a vendor does instead of answering.
type trick struct {
	name   string
	billed bool // though no answer arrives
	play   func(*vendor, *asked, http.ResponseWriter, *http.Request)
}

// every plays the tricks in turn, one for each n-th request.
func every(n int, tricks ...trick) func(*asked) *trick {
	return func(a *asked) *trick {
		if a.n%n != n-1 {
			return nil
		}
		return &tricks[a.n/n%len(tricks)]
	}
}

// after the first n requests from now one trick is played always.
func (v *vendor) after(n int, t trick) {
	from := len(v.arrivals()) + n
	v.set(func(a *asked) *trick {
		if a.n < from {
			return nil
		}
		return &t
	})
}

// says is a trick that answers with a status and a body.
func says(name string, billed bool, status int, body string, headers ...string) trick {
	return trick{name, billed, func(_ *vendor, _ *asked, w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	}}
}

// breaks is a trick on the bare connection; it may have sold the answer.
func breaks(name string, do func(net.Conn, []byte)) trick {
	return trick{name, true, func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
		body, _ := v.answer(a, reply(a.prompt(), a.again()), "stop")
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		do(conn, body)
	}}
}

// sells is a whole answer of a text that is not the usual one.
func sells(name, finish string, text func(*asked) string) trick {
	return trick{name, false, func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
		body, b := v.answer(a, text(a), finish)
		v.book(&v.sold, b)
		w.Write(body)
	}}
}

// late answers after a deadline has passed, unless the client has gone.
func late(d time.Duration) trick {
	return trick{"late", true, func(_ *vendor, _ *asked, _ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(d):
		}
	}}
}

func openaiError(kind, code string) string {
	return fmt.Sprintf(`{"error":{"type":%q,"code":%q,"message":"of the vendor","param":null}}`, kind, code)
}

// passing are the faults that pass by themselves. Those of a connection, of a
// gateway, and of a 200 without an answer may have been billed.
func passing() []trick {
	limited, sorry := openaiError("requests", "rate_limit_exceeded"), openaiError("server_error", "")
	const page = "<html><body><h1>502 Bad Gateway</h1></body></html>"
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	return []trick{
		says("429 Retry-After", false, 429, limited, "Retry-After", "1"),
		says("429 retry-after-ms", false, 429, limited, "Retry-After-Ms", "50"),
		says("429 bare", false, 429, limited),
		says("503 slow_down", false, 503, openaiError("slow_down", "slow_down")),
		says("408", true, 408, sorry),
		says("409", false, 409, openaiError("conflict", "conflict")),
		says("500", false, 500, sorry),
		says("502 HTML", true, 502, page, "Content-Type", "text/html"),
		says("503", false, 503, ""),
		says("529", false, 529, openaiError("overloaded_error", "")),
		breaks("closed", func(net.Conn, []byte) {}),
		breaks("reset", func(c net.Conn, _ []byte) { _ = c.(*net.TCPConn).SetLinger(0) }),
		breaks("cut body", func(c net.Conn, body []byte) {
			fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body[:len(body)/2])
		}),
		breaks("cut chunks", func(c net.Conn, body []byte) {
			fmt.Fprintf(c, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", head, len(body), body)
		}),
		says("200 empty object", true, 200, "{}"),
		says("200 without choices", true, 200, `{"id":"r","object":"chat.completion","choices":[]}`),
		says("200 with an error", true, 200, sorry),
		says("200 HTML", true, 200, page, "Content-Type", "text/html"),
		late(3 * time.Second),
	}
}
