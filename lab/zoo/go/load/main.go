// The loads of the zoo. Each ends by itself after -for, and calls no faster than -rate:
//
//	load http -url URL -rate 5 [-body TEXT] [-method PUT]   {n} in the URL and the body is the number of the
//	                                                        request, {m} and {b} repeat
//	load hold -url URL -from 5 -to 150 -over 1h             requests that stay open until their client leaves
//	load dns | nats | lines                                 one small client per protocol
//	load peer -listen HOST:PORT                             what members call: HTTP, and Redis, TCP, gRPC on the next ports
//	load join -listen A -pprof URL -metrics URL             one address for a daemon that has profiles and metrics on two
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

var (
	flags   = flag.NewFlagSet("load", flag.ExitOnError)
	target  = flags.String("url", "", "URL or address")
	rate    = flags.Float64("rate", 5, "per second")
	span    = flags.Duration("for", time.Hour, "when to end")
	method  = flags.String("method", "GET", "of HTTP")
	body    = flags.String("body", "", "of HTTP; {n} is the number of the request")
	kind    = flags.String("type", "text/plain", "content type")
	from    = flags.Int("from", 5, "clients at the start")
	to      = flags.Int("to", 5, "clients at the end")
	over    = flags.Duration("over", time.Hour, "how long the change takes")
	after   = flags.Duration("after", 0, "when the change begins")
	stay    = flags.Duration("stay", 24*time.Hour, "how long a client stays")
	listen  = flags.String("listen", "", "address")
	pprof   = flags.String("pprof", "", "URL with /debug/pprof")
	metrics = flags.String("metrics", "", "URL of metrics")
	path    = flags.String("path", "", "file")
	fresh   = flags.Bool("fresh", false, "a new connection for every request")
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("which load?")
	}
	_ = flags.Parse(os.Args[2:])
	time.AfterFunc(*span, func() { os.Exit(0) })
	switch os.Args[1] {
	case "http":
		loadHTTP()
	case "hold":
		hold()
	case "dns":
		dns()
	case "nats":
		nats()
	case "lines":
		lines()
	case "peer":
		peer()
	case "join":
		join()
	default:
		log.Fatalf("no load %q", os.Args[1])
	}
}

// Calls work at the rate, with what is late left out, at most 32 at once.
func paced(work func(n int)) {
	slots := make(chan struct{}, 32)
	tick := time.NewTicker(time.Duration(float64(time.Second) / *rate))
	for n := 1; ; n++ {
		<-tick.C
		select {
		case slots <- struct{}{}:
			go func() {
				defer func() { <-slots }()
				work(n)
			}()
		default:
		}
	}
}

func numbered(text string, n int) string {
	text = strings.ReplaceAll(text, "{n}", strconv.Itoa(n))
	text = strings.ReplaceAll(text, "{b}", fmt.Sprintf("%08d", n%20000))
	return strings.ReplaceAll(text, "{m}", strconv.Itoa(n%200))
}

func loadHTTP() {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8, DisableKeepAlives: *fresh}}
	failed := 0
	paced(func(n int) {
		request, err := http.NewRequest(*method, numbered(*target, n), strings.NewReader(numbered(*body, n)))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Content-Type", *kind)
		response, err := client.Do(request)
		if err != nil {
			if failed++; failed < 5 {
				log.Print(err)
			}
			return
		}
		if response.StatusCode >= 400 {
			if failed++; failed < 5 {
				text, _ := io.ReadAll(response.Body)
				log.Print(response.Status, " ", string(text[:min(len(text), 300)]))
			}
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	})
}

// As many open requests as the plan says; each client stays for -stay and then another comes.
func hold() {
	started := time.Now()
	client := &http.Client{Transport: &http.Transport{}}
	open := make(chan int, 1)
	open <- 0
	for range time.Tick(500 * time.Millisecond) {
		part := float64(time.Since(started)-*after) / float64(*over)
		wanted := *from + int(float64(*to-*from)*min(1, max(0, part)))
		count := <-open
		for ; count < wanted; count++ {
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), *stay)
				defer cancel()
				request, _ := http.NewRequestWithContext(ctx, "GET", *target, nil)
				if response, err := client.Do(request); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
				time.Sleep(time.Second)
				open <- <-open - 1
			}()
		}
		open <- count
	}
}

// A query for the address of hostN.example.org.
func dns() {
	connection, err := net.Dial("udp", *target)
	if err != nil {
		log.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, connection) }()
	paced(func(n int) {
		query := []byte{byte(n >> 8), byte(n), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}
		for _, label := range []string{fmt.Sprintf("host%d", n%5000), "example", "org"} {
			query = append(append(query, byte(len(label))), label...)
		}
		_, _ = connection.Write(append(query, 0, 0, 1, 0, 1))
	})
}

// Publishes on 50 subjects to one subscriber, and lets clients come and go.
func nats() {
	dial := func() net.Conn {
		connection, err := net.Dial("tcp", *target)
		if err != nil {
			log.Fatal(err)
		}
		_, _ = io.WriteString(connection, "CONNECT {\"verbose\":false}\r\n")
		go func() {
			reader := bufio.NewReader(connection)
			for {
				line, err := reader.ReadString('\n')
				if err != nil {
					return
				}
				if strings.HasPrefix(line, "PING") {
					_, _ = io.WriteString(connection, "PONG\r\n")
				}
			}
		}()
		return connection
	}
	subscriber, publisher := dial(), dial()
	_, _ = io.WriteString(subscriber, "SUB orders.* 1\r\n")
	paced(func(n int) {
		_, _ = fmt.Fprintf(publisher, "PUB orders.%d 11\r\nhello world\r\n", n%50)
		if n%20 == 0 {
			visitor := dial()
			time.AfterFunc(40*time.Second, func() { _ = visitor.Close() })
		}
	})
}

// Appends lines to a file, or sends them as UDP packets.
func lines() {
	var out io.Writer
	var err error
	if *path != "" {
		out, err = os.OpenFile(*path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	} else {
		out, err = net.Dial("udp", *target)
	}
	if err != nil {
		log.Fatal(err)
	}
	paced(func(n int) { _, _ = io.WriteString(out, numbered(*body, n)+"\n") })
}

func peer() {
	address, portText, err := net.SplitHostPort(*listen)
	if err != nil {
		log.Fatal(err)
	}
	port, _ := strconv.Atoi(portText)
	at := func(offset int) string { return net.JoinHostPort(address, strconv.Itoa(port+offset)) }
	if err := miniredis.NewMiniRedis().StartAddr(at(1)); err != nil {
		log.Fatal(err)
	}
	tcp, err := net.Listen("tcp", at(2))
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			connection, err := tcp.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go func() { _, _ = io.Copy(io.Discard, connection); _ = connection.Close() }()
		}
	}()
	streams, err := net.Listen("tcp", at(3))
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	go func() { log.Fatal(server.Serve(streams)) }()
	http.HandleFunc("/fast", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "fast\n") })
	http.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		for i := range 300 {
			_, _ = fmt.Fprintf(w, "peer_value{item=\"%d\"} %d\n", i, time.Now().Unix()%int64(1000+i))
		}
	})
	log.Fatal((&http.Server{Addr: at(0), IdleTimeout: 0}).ListenAndServe())
}

func join() {
	proxy := func(text string) http.Handler {
		base, err := url.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		return httputil.NewSingleHostReverseProxy(base)
	}
	http.Handle("/debug/pprof/", proxy(*pprof))
	if *metrics != "" {
		http.Handle("/metrics", proxy(*metrics))
	}
	log.Fatal(http.ListenAndServe(*listen, nil))
}
