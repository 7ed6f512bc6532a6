// A plain Go daemon with /debug/pprof that leaks goroutines and the memory they hold: one "session" after the other
// waits for an answer that never comes. It listens on a TCP address, or on a unix socket as kcp and kube-apiserver do
// with their debug socket. /metrics has what a Go client library would show of it.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"
)

const (
	sessionBytes = 4096
	// Rubbish of each session's start, so that the collector has reason to run and live-heap figures move.
	handshakeBytes = 1 << 20
)

var lastHandshake []byte

type session struct {
	buffer [sessionBytes]byte
	answer chan struct{}
}

func main() {
	listen := flag.String("listen", "127.0.0.1:6060", "HOST:PORT, or the path of a unix socket")
	leaks := flag.Float64("leaks-per-second", 2, "sessions left behind each second; 0 is a healthy daemon")
	flag.Parse()

	if *leaks > 0 {
		go openSessions(time.Duration(float64(time.Second) / *leaks))
	}
	listener, err := bind(*listen)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(listener, routes(time.Now())))
}

func bind(address string) (net.Listener, error) {
	if !strings.Contains(address, "/") {
		return net.Listen("tcp", address)
	}
	// The file of a killed daemon is in the way of the next one.
	if err := os.RemoveAll(address); err != nil {
		return nil, err
	}
	return net.Listen("unix", address)
}

func routes(started time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) { writeMetrics(w, started) })
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return mux
}

func openSessions(interval time.Duration) {
	for range time.Tick(interval) {
		lastHandshake = make([]byte, handshakeBytes)
		s := &session{answer: make(chan struct{})}
		go s.awaitAnswer()
	}
}

//go:noinline
func (s *session) awaitAnswer() {
	<-s.answer
	s.buffer[0]++
}

func writeMetrics(w http.ResponseWriter, started time.Time) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	gauge := func(name, help string, value any) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n%s %v\n", name, help, name, name, value)
	}
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	gauge("go_goroutines", "Number of goroutines that currently exist.", runtime.NumGoroutine())
	gauge("go_gc_heap_live_bytes", "Heap memory occupied by live objects that were marked by the previous GC.", samples[0].Value.Uint64())
	gauge("go_memory_classes_heap_stacks_bytes", "Memory allocated from the heap that is reserved for stack space.", samples[1].Value.Uint64())
	gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", float64(started.UnixMilli())/1000)
	fmt.Fprintf(w, "# HELP go_info Information about the Go environment.\n# TYPE go_info gauge\ngo_info{version=%q} 1\n", runtime.Version())
}
