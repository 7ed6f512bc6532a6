/** Connections of any Go program: HTTP clients, servers and sockets. */
import type { CauseRecord } from './cause-record.ts';
import { targetMetrics, TARGET_STACKS } from './commands.ts';

const SOCKETS = "ss -tanp | awk '{print $1}' | sort | uniq -c";
const FDS = targetMetrics('^process_(open|max)_fds');

export const GO_NETWORK: readonly CauseRecord[] = [
  {
    id: 'http-client-connection',
    title: 'HTTP client connections',
    kind: 'goroutine',
    signs: [
      { any: ['net/http.(*persistConn).readLoop', 'net/http.(*persistConn).writeLoop'] },
      { creators: ['net/http.(*Transport).dialConn'] },
    ],
    meaning:
      'Every open HTTP/1 client connection has a readLoop and a writeLoop. If they grow in pairs, response bodies are not read and closed, or each request makes a new Transport whose idle connections nobody reuses.',
    check: [TARGET_STACKS, FDS, SOCKETS],
    act: [
      'Read each response body to its end and close it, also on errors; share one http.Client.',
      'Set IdleConnTimeout and MaxConnsPerHost on own transports.',
    ],
    avoid: ['Do not disable keep-alive to hide it: unclosed bodies still leak.'],
    benign: true,
  },
  {
    id: 'http-client-request',
    title: 'HTTP requests that wait for an answer',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'net/http.(*Transport).RoundTrip',
          'net/http.(*Client).Get',
          'net/http.(*Client).Post',
          'net/http.(*Client).Do',
        ],
      },
      { any: ['http2.(*ClientConn).RoundTrip', 'http2.(*Transport).RoundTrip', 'http2.(*pipe).Read'] },
    ],
    meaning:
      'Requests without an answer yet. A client without a timeout waits forever if the other side accepts the connection and says nothing.',
    check: [TARGET_STACKS, SOCKETS],
    act: ['Set a Timeout on the client, or a deadline on the context of each request.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'http2-client-connection',
    title: 'HTTP/2 client connections and streams',
    kind: 'goroutine',
    signs: [
      { any: ['http2.(*ClientConn)', 'http2.(*clientConnReadLoop)', 'http2.(*clientStream)'] },
      {
        creators: [
          'http2.(*Transport).newClientConn',
          'http2.(*ClientConn).roundTrip',
          'http2.(*ClientConn).RoundTrip',
        ],
      },
    ],
    meaning:
      'One reader per HTTP/2 connection and one goroutine per open stream, so it follows open watches. Growth means streams that are not cancelled or transports that are made per request.',
    check: [TARGET_STACKS, FDS],
    act: ['Cancel the context of each watch and request; share transports.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'http-server-idle',
    title: 'Connections that clients hold open',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'net/http.(*Server).Serve',
          'net/http.(*connReader).backgroundRead',
          'net/http.(*connReader).startBackgroundRead',
        ],
      },
      { leaf: ['http2.(*serverConn)'] },
      { any: ['http2.(*serverConn).readFrames'] },
      {
        all: ['net/http.(*conn).serve'],
        leaf: ['net/http.(*conn)', 'net.(*conn)', 'bufio', 'net/textproto', 'crypto/tls', 'io'],
        none: ['net/http.HandlerFunc', 'net/http.(*ServeMux)', 'net/http.serverHandler'],
      },
      {
        creators: ['http2.(*serverConn).serve'],
        leaf: ['net.(*conn).Read', 'crypto/tls.(*Conn)', 'crypto/tls.(*atLeastReader).Read'],
      },
    ],
    meaning:
      'A server keeps one or two goroutines per client connection, idle or not. The count follows clients; without IdleTimeout dead clients stay.',
    check: [SOCKETS, FDS],
    act: ['Set IdleTimeout and ReadHeaderTimeout on the server; look at which peers hold the connections.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'http-request-goroutine',
    title: 'Requests that are being served',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'net/http.(*conn).serve',
          'net/http.HandlerFunc.ServeHTTP',

          'http2.(*serverConn).runHandler',
          'google.golang.org/grpc.(*Server).handleStream',
        ],
      },
      { creators: ['http2.(*serverConn).scheduleHandler', 'google.golang.org/grpc.(*Server).serveStreams'] },
    ],
    meaning:
      'A goroutine per request in flight. Growth means requests that do not end: the frames above ServeHTTP say what they wait for.',
    check: [TARGET_STACKS, targetMetrics('(inflight|in_flight)')],
    act: ['Read the frames above ServeHTTP; give handlers a deadline and pass the request context on.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'goroutine-left-by-request',
    title: 'Goroutines that a request left behind',
    kind: 'goroutine',
    signs: [{ creators: ['net/http.HandlerFunc.ServeHTTP', 'net/http.serverHandler.ServeHTTP'] }],
    meaning: 'A handler started these and returned. They wait for something that only the request could give.',
    check: [TARGET_STACKS],
    act: ['Let them end with the context of the request, or bound them with a worker pool.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'listener',
    title: 'Listeners',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'internal/poll.(*FD).Accept',
          'net.(*netFD).accept',
          'net.(*TCPListener).Accept',
          'net.(*UnixListener).Accept',
          'grpc.(*Server).Serve',
        ],
      },
    ],
    meaning: 'One goroutine per listening socket.',
    check: ['ss -ltnp'],
    act: ['None unless it grows.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'connection-read',
    title: 'Reads from a peer that says nothing',
    kind: 'goroutine',
    signs: [{ any: ['net.(*conn).Read', 'crypto/tls.(*Conn).Read'] }, { states: ['IO wait'] }],
    meaning:
      'These wait for bytes from a connection and have no deadline. If a peer vanishes without closing, they stay as long as keep-alive allows, or forever.',
    check: [SOCKETS, FDS, TARGET_STACKS],
    act: ['Set read deadlines and TCP keep-alive; close the connection when its other half ends.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'connection-buffers',
    title: 'Buffers of connections',
    kind: 'heap',
    signs: [
      {
        any: [
          'net/http.(*Transport).dialConn',
          'net/http.newBufioReader',
          'net/http.newBufioWriterSize',
          'net/http.(*persistConn)',
          'crypto/tls.(*Conn)',
          'http2.(*Transport).newClientConn',
          'http2.(*Framer)',
          'http2.(*serverConn)',
          'grpc/internal/transport',
          'google.golang.org/grpc.Dial',
          'google.golang.org/grpc.NewClient',
          'net.newFD',
          'net.sockaddrToTCP',
        ],
      },
    ],
    meaning:
      'Buffers and state of open connections. It follows their number: take a goroutine profile to see whether connections are left open.',
    check: [FDS, SOCKETS, TARGET_STACKS],
    act: ['Close bodies and connections; share clients.'],
    avoid: [],
    benign: true,
  },
];
