// Leaks that come from the use of real libraries, and how they are used right.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/patrickmn/go-cache"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/redis/go-redis/v9"
	"github.com/robfig/cron/v3"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
)

func init() {
	modes["transport"] = transport
	modes["redis"] = redisClients
	modes["otel"] = otel
	modes["zapbuffer"] = zapBuffer
	modes["cron"] = cronEntries
	modes["waituntil"] = waitUntil
	modes["broadcaster"] = broadcaster
	modes["grpcstream"] = grpcStream
	modes["series"] = series
	modes["sockets"] = sockets
	modes["openfiles"] = openFiles
	modes["janitor"] = janitor
}

// A new transport per call keeps its idle connection and two goroutines for ever.
func transport(h *host) func(*http.Request) {
	shared := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	return func(*http.Request) {
		client := shared
		if !h.ok && oneIn(12, h) {
			client = &http.Client{Transport: &http.Transport{}}
			h.leaked.Add(1)
		}
		response, err := client.Get(h.httpURL + "/fast")
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}

// A client per tenant request that is never closed.
func redisClients(h *host) func(*http.Request) {
	options := func() *redis.Options { return &redis.Options{Addr: h.redis, PoolSize: 4, DisableIdentity: true} }
	shared := redis.NewClient(options())
	return func(r *http.Request) {
		client := shared
		if !h.ok && oneIn(15, h) {
			client = redis.NewClient(options())
			kept.Store(client, true)
			h.leaked.Add(1)
		}
		_ = client.Set(context.Background(), fmt.Sprint("key", h.ops.Load()%100), "value", time.Minute).Err()
	}
}

var kept sync.Map

// A tracer provider with a batch processor per job, without Shutdown.
func otel(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(25, h) {
			return
		}
		exporter := tracetest.NewNoopExporter()
		provider := trace.NewTracerProvider(trace.WithBatcher(exporter, trace.WithMaxQueueSize(64)))
		_, span := provider.Tracer("job").Start(context.Background(), "run")
		span.End()
		if h.ok {
			_ = provider.Shutdown(context.Background())
		} else {
			h.leaked.Add(1)
		}
	}
}

// A logger per job with a buffer whose flush loop is never stopped.
func zapBuffer(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(15, h) {
			return
		}
		buffer := &zapcore.BufferedWriteSyncer{WS: zapcore.AddSync(io.Discard), Size: 2048}
		_, _ = buffer.Write([]byte("started\n"))
		if h.ok {
			_ = buffer.Stop()
		} else {
			h.leaked.Add(1)
		}
	}
}

// Every request schedules a job, and nobody removes it.
func cronEntries(h *host) func(*http.Request) {
	table := cron.New()
	table.Start()
	return func(*http.Request) {
		payload := make([]byte, 8000)
		id := must(table.AddFunc("0 3 * * *", func() { _ = len(payload) }))
		if h.ok {
			time.AfterFunc(10*time.Second, func() { table.Remove(id) })
		} else {
			h.leaked.Add(1)
		}
	}
}

// A loop per watched object with a stop channel that nobody closes.
func waitUntil(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(20, h) {
			return
		}
		stop := make(chan struct{})
		go wait.Until(func() {}, 20*time.Second, stop)
		if h.ok {
			time.AfterFunc(15*time.Second, func() { close(stop) })
		} else {
			h.leaked.Add(1)
		}
	}
}

// Watchers of a broadcaster that are read by a goroutine and never stopped.
func broadcaster(h *host) func(*http.Request) {
	events := watch.NewBroadcaster(10, watch.DropIfChannelFull)
	return func(*http.Request) {
		if !oneIn(20, h) {
			return
		}
		watcher := must(events.Watch())
		go func() {
			for range watcher.ResultChan() {
			}
		}()
		if h.ok {
			time.AfterFunc(10*time.Second, watcher.Stop)
		} else {
			h.leaked.Add(1)
		}
	}
}

// A stream is opened on one shared connection, read once, and neither drained nor cancelled.
func grpcStream(h *host) func(*http.Request) {
	connection := must(grpc.NewClient(h.grpc, grpc.WithTransportCredentials(insecure.NewCredentials())))
	client := grpc_health_v1.NewHealthClient(connection)
	return func(*http.Request) {
		if !oneIn(20, h) {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		stream, err := client.Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
		if err != nil {
			cancel()
			return
		}
		_, _ = stream.Recv()
		if h.ok {
			cancel()
		} else {
			kept.Store(&stream, cancel)
			h.leaked.Add(1)
		}
	}
}

// A counter labelled with what the client sent; the twin knows 1,500 routes, which are seen one after the other.
func series(h *host) func(*http.Request) {
	requests := promauto.NewCounterVec(prometheus.CounterOpts{Name: "zoo_requests_total"}, []string{"path"})
	return func(*http.Request) {
		n := h.ops.Load()
		if h.ok {
			n %= 1500
		} else {
			h.leaked.Add(1)
		}
		requests.WithLabelValues(fmt.Sprintf("/users/%d/orders", n)).Inc()
	}
}

// Connections are dialled, kept in a table and forgotten; no goroutine reads them.
func sockets(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(12, h) {
			return
		}
		connection, err := net.Dial("tcp", h.tcp)
		if err != nil {
			return
		}
		if h.ok {
			_ = connection.Close()
		} else {
			kept.Store(connection, true)
			h.leaked.Add(1)
		}
	}
}

// A file per tenant is opened for append and stays in a table.
func openFiles(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(12, h) {
			return
		}
		file, err := os.CreateTemp("", "zoo-")
		if err != nil {
			return
		}
		_ = os.Remove(file.Name())
		_, _ = file.WriteString("opened\n")
		if h.ok {
			_ = file.Close()
		} else {
			kept.Store(file, true)
			h.leaked.Add(1)
		}
	}
}

// A cache per request: the finalizer ends its janitor at the next collection. With -ok they are one.
func janitor(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(4, h) {
			return
		}
		items := cache.New(time.Minute, time.Minute)
		items.SetDefault("key", make([]byte, 64<<10))
	}
}
