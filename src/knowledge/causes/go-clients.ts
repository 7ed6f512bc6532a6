/** Databases and gRPC of any Go program. */
import type { CauseRecord } from './cause-record.ts';
import { targetMetrics, TARGET_STACKS } from './commands.ts';

const SOCKETS = "ss -tanp | awk '{print $1}' | sort | uniq -c";
const FDS = targetMetrics('^process_(open|max)_fds');

export const GO_CLIENTS: readonly CauseRecord[] = [
  {
    id: 'sql-connection-wait',
    title: 'Queries that wait for a database connection',
    kind: 'goroutine',
    signs: [
      {
        leaf: ['database/sql.(*DB)', 'database/sql.(*Stmt)'],
        none: ['database/sql.(*DB).connectionOpener', 'database/sql.(*DB).connectionCleaner'],
        states: ['select'],
      },
    ],
    meaning:
      'All connections of the pool are taken and callers wait for one. Rows or transactions that are not closed keep their connection, until everything waits.',
    check: [TARGET_STACKS, targetMetrics('^go_sql_(in_use_connections|wait_count_total|open_connections)')],
    act: ['Close every Rows and end every Tx, also on errors; use contexts with a deadline.'],
    avoid: ['Do not only raise SetMaxOpenConns: the database runs out next.'],
    benign: false,
  },
  {
    id: 'sql-rows-open',
    title: 'Rows or transactions that are not closed',
    kind: 'goroutine',
    signs: [{ any: ['database/sql.(*Rows).awaitDone', 'database/sql.(*Tx).awaitDone'] }],
    meaning:
      'Each open result or transaction with a context has one goroutine that waits for its end. Growth means Close, Commit or Rollback is missed on some path.',
    check: [TARGET_STACKS, targetMetrics('^go_sql_in_use_connections')],
    act: ['Add defer rows.Close() and defer tx.Rollback() right after each is opened.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'sql-database-opened',
    title: 'Database handles',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'database/sql.(*DB).connectionOpener',
          'database/sql.(*DB).connectionResetter',
          'database/sql.(*DB).connectionCleaner',
        ],
      },
    ],
    meaning:
      'One or two goroutines per sql.DB. There should be as many as databases; growth means sql.Open per request.',
    check: [TARGET_STACKS],
    act: ['Open each database once and share the handle.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'grpc-call-waiting',
    title: 'gRPC calls that wait for an answer',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'transport.(*Stream).waitOnHeader',
          'transport.(*ClientStream).waitOnHeader',
          'google.golang.org/grpc.(*ClientConn).Invoke',
          'google.golang.org/grpc.(*clientStream).RecvMsg',
          'google.golang.org/grpc.(*pickerWrapper).pick',
        ],
      },
    ],
    meaning:
      'Calls without an answer yet. Growth means the server hangs or the calls have no deadline; long-lived streams, such as watches, also look like this.',
    check: [TARGET_STACKS, targetMetrics('^grpc_client_(started|handled)_total')],
    act: ['Give every call a deadline; look at the server that does not answer.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'grpc-connection',
    title: 'gRPC connections',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'grpcsync.(*CallbackSerializer)',
          'transport.(*http2Client)',
          'transport.(*http2Server)',
          'transport.(*loopyWriter)',
          'transport.(*controlBuffer)',
          'grpc.(*addrConn)',
          'grpc.(*ccBalancerWrapper)',
          'grpc.(*ccResolverWrapper)',
          'grpc.(*acBalancerWrapper)',
          'grpc.newClientStreamWithParams',
          'grpc.newClientStream',
          'grpc.(*Server).serveStreams',
          'grpc.(*Server).handleRawConn',
          'transport.(*recvBufferReader)',
        ],
      },
      {
        creators: [
          'google.golang.org/grpc/internal/transport',
          'google.golang.org/grpc/internal/grpcsync',
          'google.golang.org/grpc.(*Server)',
          'google.golang.org/grpc.(*addrConn)',
          'google.golang.org/grpc.(*acBalancerWrapper)',
          'google.golang.org/grpc.(*ClientConn)',
          'google.golang.org/grpc.newCCBalancerWrapper',
        ],
      },
      { any: ['ttrpc.(*Client)', 'ttrpc.(*Server)', 'ttrpc.(*serverConn)'] },
    ],
    meaning:
      'A gRPC connection costs a reader, a writer and up to three more goroutines. Equal growth of reader and writer means connections are dialled and never closed: one ClientConn per call, often.',
    check: [TARGET_STACKS, FDS, SOCKETS],
    act: ['Share one ClientConn per server and close those that are replaced.'],
    avoid: [],
    benign: true,
  },
];
