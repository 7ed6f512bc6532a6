/**
 * The members of the zoo: where each comes from, how it runs, who calls it, and what is true of it. Commands and loads
 * have these marks:
 *
 *     {port} {port2} {port3}   free ports of loopback; triage asks at http://127.0.0.1:{port}
 *     {dir}                    a folder of its own, empty at the start; its `files` are written there
 *     {peer} {peer1}...        HTTP, Redis, TCP and gRPC addresses of the peer that all members share
 */
export type Truth = 'leak' | 'healthy' | 'stopped' | 'grows with its input';

/** A Debian package, unpacked and not installed; a command of a Go module; or one of our own in lab/zoo/go. */
export type Source =
  | { readonly deb: string; readonly path: string }
  | { readonly module: string; readonly version: string; readonly binary: string } // module: the path of the command
  | { readonly own: 'member' | 'load' };

export interface Member {
  readonly name: string;
  readonly truth: Truth;
  readonly kind: 'daemon' | 'program';
  readonly what: string;
  readonly source: Source;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Arguments of `load`, without how long it runs. */
  readonly loads: readonly (readonly string[])[];
  /** Where profiles and metrics have an address each, they are joined at {port}. */
  readonly join?: { readonly pprof: string; readonly metrics?: string };
}

const OP = 'http://127.0.0.1:{port}/op';

interface Ways {
  readonly ok?: boolean;
  readonly rate?: number;
  readonly loads?: Member['loads'];
}

function program(name: string, truth: Truth, what: string, { ok = name.endsWith('-ok'), rate = 5, loads }: Ways = {}) {
  const mode = name.replace(/-ok$/, '');
  return {
    name,
    truth,
    kind: 'program',
    what,
    source: { own: 'member' },
    args: [
      `-mode=${mode}`,
      ...(ok ? ['-ok'] : []),
      '-listen=127.0.0.1:{port}',
      '-http=http://{peer}',
      '-redis={peer1}',
      '-tcp={peer2}',
      '-grpc={peer3}',
    ],
    loads: loads ?? [['http', '-url', OP, '-rate', String(rate)]],
  } as const satisfies Member;
}

/** A leak and its twin, which does the same work and cleans up. */
function twins(name: string, what: string, twin: string, ways: Ways = {}): Member[] {
  return [program(name, 'leak', what, ways), program(`${name}-ok`, 'healthy', twin, ways)];
}

const CADDYFILE = `{
  admin 127.0.0.1:{port}
  auto_https off
}
http://127.0.0.1:{port2} {
  templates
  respond "hello {{now}}"
}
`;

const PROMETHEUS = `global: { scrape_interval: 5s }
scrape_configs:
  - job_name: self
    static_configs: [{ targets: ['127.0.0.1:{port}'] }]
  - job_name: peer
    static_configs: [{ targets: ['{peer}'] }]
`;

const MTAIL = `counter lines_total by path
/^(?P<path>\\S+)/ { lines_total[$path]++ }
`;

const REGISTRY = `version: 0.1
storage: { filesystem: { rootdirectory: '{dir}/images' } }
http:
  addr: 127.0.0.1:{port2}
  debug: { addr: '127.0.0.1:{port}', prometheus: { enabled: true, path: /metrics } }
`;

const COREFILE = `.:{port2} {
  bind 127.0.0.1
  pprof 127.0.0.1:{port3}
  prometheus 127.0.0.1:{port4}
  cache 3600
  template IN A example.org {
    answer "{{ .Name }} 600 IN A 192.0.2.1"
  }
}
`;

const DAEMONS: readonly Member[] = [
  {
    name: 'caddy-short',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian caddy 2.6, a new connection for each of 8 requests/s',
    source: { deb: 'caddy', path: 'usr/bin/caddy' },
    args: ['run', '--config', '{dir}/Caddyfile', '--adapter', 'caddyfile'],
    env: { HOME: '{dir}', XDG_DATA_HOME: '{dir}', XDG_CONFIG_HOME: '{dir}' },
    files: { Caddyfile: CADDYFILE },
    loads: [['http', '-url', 'http://127.0.0.1:{port2}/', '-rate', '8', '-fresh']],
  },
  {
    name: 'etcd-34',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian etcd 3.4, 4 puts/s over 20,000 keys, compacted every 5 minutes; its raft log is bounded by --snapshot-count 5000',
    source: { deb: 'etcd-server', path: 'usr/bin/etcd' },
    args: etcdArgs(),
    loads: etcdLoads(),
  },
  {
    name: 'etcd-36',
    truth: 'healthy',
    kind: 'daemon',
    what: 'etcd 3.6.8, the same as etcd-34',
    source: { module: 'go.etcd.io/etcd/server/v3', version: 'v3.6.8', binary: 'etcd' },
    args: etcdArgs(),
    loads: etcdLoads(),
  },
  {
    name: 'prometheus-self',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian prometheus 2.42, two targets every 5 s, a query/s',
    source: { deb: 'prometheus', path: 'usr/bin/prometheus' },
    args: ['--config.file={dir}/p.yml', '--storage.tsdb.path={dir}/data', '--web.listen-address=127.0.0.1:{port}'],
    files: { 'p.yml': PROMETHEUS },
    loads: [
      ['http', '-url', 'http://127.0.0.1:{port}/api/v1/query?query=sum(rate(peer_value[5m]))%2B{m}', '-rate', '1'],
    ],
  },
  {
    name: 'influxdb-points',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian influxdb 1.6, 10 points/s in 200 series; its cache is bounded and snapshotted',
    source: { deb: 'influxdb', path: 'usr/bin/influxd' },
    args: ['run'],
    env: {
      INFLUXDB_META_DIR: '{dir}/meta',
      INFLUXDB_DATA_DIR: '{dir}/data',
      INFLUXDB_DATA_WAL_DIR: '{dir}/wal',
      INFLUXDB_HTTP_BIND_ADDRESS: '127.0.0.1:{port}',
      INFLUXDB_BIND_ADDRESS: '127.0.0.1:{port2}',
      INFLUXDB_REPORTING_DISABLED: 'true',
      INFLUXDB_HTTP_LOG_ENABLED: 'false',
    },
    loads: [
      ['http', '-method', 'POST', '-url', 'http://127.0.0.1:{port}/query?q=CREATE%20DATABASE%20zoo', '-rate', '0.1'],
      [
        'http',
        '-method',
        'POST',
        '-url',
        'http://127.0.0.1:{port}/write?db=zoo',
        '-body',
        'temperature,room=r{m} value={n}',
        '-rate',
        '10',
      ],
    ],
  },
  {
    name: 'victoria-churn',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian victoria-metrics 1.79, 6 new series/s: caches fill to bounds',
    source: { deb: 'victoria-metrics', path: 'usr/bin/victoria-metrics' },
    args: ['-storageDataPath={dir}', '-httpListenAddr=127.0.0.1:{port}', '-memory.allowedBytes=256MB'],
    loads: [
      [
        'http',
        '-method',
        'POST',
        '-url',
        'http://127.0.0.1:{port}/api/v1/import/prometheus',
        '-body',
        'jobs_total{run="{n}"} 1',
        '-rate',
        '6',
      ],
    ],
  },
  {
    name: 'rclone-jobs',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian rclone 1.60 rcd, 4 asynchronous jobs/s, each kept for a minute',
    source: { deb: 'rclone', path: 'usr/bin/rclone' },
    args: ['rcd', '--rc-no-auth', '--rc-addr=127.0.0.1:{port}', '--rc-enable-metrics', '--config={dir}/none'],
    loads: [['http', '-method', 'POST', '-url', 'http://127.0.0.1:{port}/rc/noop?_async=true', '-rate', '4']],
  },
  nats('nats-29', { deb: 'nats-server', path: 'usr/sbin/nats-server' }),
  nats('nats-215', { module: 'github.com/nats-io/nats-server/v2', version: 'v2.15.2', binary: 'nats-server' }),
  {
    name: 'mtail-lines',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian mtail 3.0, 10 lines/s of 200 labels',
    source: { deb: 'mtail', path: 'usr/bin/mtail' },
    args: ['--progs={dir}/progs', '--logs={dir}/log', '--address=127.0.0.1', '--port={port}'],
    files: { 'progs/lines.mtail': MTAIL, log: '' },
    loads: [['lines', '-path', '{dir}/log', '-body', '/item/{m} done', '-rate', '10']],
  },
  {
    name: 'pushgateway-groups',
    truth: 'grows with its input',
    kind: 'daemon',
    what: 'Debian pushgateway 1.5, which keeps every group that was ever pushed; a new group every 2 s',
    source: { deb: 'prometheus-pushgateway', path: 'usr/bin/prometheus-pushgateway' },
    args: ['--web.listen-address=127.0.0.1:{port}'],
    loads: [
      [
        'http',
        '-method',
        'PUT',
        '-url',
        'http://127.0.0.1:{port}/metrics/job/batch/instance/{n}',
        '-body',
        'job_seconds {n}\n',
        '-rate',
        '0.5',
      ],
    ],
  },
  {
    name: 'process-exporter',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian process-exporter 0.7, scraped every 15 s',
    source: { deb: 'prometheus-process-exporter', path: 'usr/bin/prometheus-process-exporter' },
    args: [
      '-web.listen-address=127.0.0.1:{port}',
      '-config.path={dir}/names.yml',
      '-gather-smaps=false',
      '-threads=false',
    ],
    files: { 'names.yml': "process_names: [{ name: '{{.Comm}}', cmdline: ['.+'] }]\n" },
    loads: [['http', '-url', 'http://127.0.0.1:{port}/metrics', '-rate', '0.07']],
  },
  {
    name: 'blackbox-probes',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian blackbox-exporter 0.23, 3 probes/s',
    source: { deb: 'prometheus-blackbox-exporter', path: 'usr/bin/prometheus-blackbox-exporter' },
    args: ['--web.listen-address=127.0.0.1:{port}', '--config.file={dir}/b.yml'],
    files: { 'b.yml': 'modules: { http_2xx: { prober: http, timeout: 5s } }\n' },
    loads: [['http', '-url', 'http://127.0.0.1:{port}/probe?module=http_2xx&target=http://{peer}/fast', '-rate', '3']],
  },
  {
    name: 'syncthing-idle',
    truth: 'healthy',
    kind: 'daemon',
    what: 'Debian syncthing 1.19 on its own, its page asked for twice a second',
    source: { deb: 'syncthing', path: 'usr/bin/syncthing' },
    args: ['serve', '--home={dir}', '--no-browser', '--no-default-folder', '--no-upgrade', '--logfile=-'],
    env: { STPROFILER: '127.0.0.1:{port}', STNODEFAULTFOLDER: '1', STNOUPGRADE: '1', HOME: '{dir}' },
    files: {
      'config.xml': `<configuration version="36">
  <gui enabled="true" tls="false"><address>127.0.0.1:{port2}</address></gui>
  <options>
    <listenAddress>tcp://127.0.0.1:{port3}</listenAddress>
    <globalAnnounceEnabled>false</globalAnnounceEnabled>
    <localAnnounceEnabled>false</localAnnounceEnabled>
    <relaysEnabled>false</relaysEnabled>
    <natEnabled>false</natEnabled>
    <crashReportingEnabled>false</crashReportingEnabled>
    <urAccepted>-1</urAccepted>
    <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
  </options>
</configuration>
`,
    },
    loads: [['http', '-url', 'http://127.0.0.1:{port2}/', '-rate', '2']],
  },
  {
    name: 'statsd-exporter',
    truth: 'grows with its input',
    kind: 'daemon',
    what: 'statsd_exporter 0.31, a series for each name it is sent, a new one every 2 s: it does what it is told',
    source: { module: 'github.com/prometheus/statsd_exporter', version: 'v0.31.0', binary: 'statsd_exporter' },
    args: ['--web.listen-address=127.0.0.1:{port}', '--statsd.listen-udp=127.0.0.1:{port2}', '--statsd.listen-tcp='],
    loads: [['lines', '-url', '127.0.0.1:{port2}', '-body', 'job.{n}.seconds:{m}|c', '-rate', '0.5']],
  },
  {
    name: 'registry',
    truth: 'healthy',
    kind: 'daemon',
    what: 'distribution registry 3.1, uploads begun and never ended 1/s, kept on disk, and the catalogue asked for',
    source: { module: 'github.com/distribution/distribution/v3/cmd/registry', version: 'v3.1.2', binary: 'registry' },
    args: ['serve', '{dir}/config.yml'],
    env: { OTEL_TRACES_EXPORTER: 'none' },
    files: { 'config.yml': REGISTRY },
    loads: [
      ['http', '-method', 'POST', '-url', 'http://127.0.0.1:{port2}/v2/app{m}/blobs/uploads/', '-rate', '1'],
      ['http', '-url', 'http://127.0.0.1:{port2}/v2/', '-rate', '4'],
    ],
  },
  {
    name: 'coredns-cache',
    truth: 'healthy',
    kind: 'daemon',
    what: 'CoreDNS 1.15, 4 queries/s of 5,000 names: its cache fills to a bound',
    source: { module: 'github.com/coredns/coredns', version: 'v1.15.0', binary: 'coredns' },
    args: ['-conf', '{dir}/Corefile'],
    files: { Corefile: COREFILE },
    join: { pprof: 'http://127.0.0.1:{port3}', metrics: 'http://127.0.0.1:{port4}' },
    loads: [['dns', '-url', '127.0.0.1:{port2}', '-rate', '4']],
  },
];

function etcdArgs(): string[] {
  return [
    '--data-dir={dir}/data',
    '--listen-client-urls=http://127.0.0.1:{port}',
    '--advertise-client-urls=http://127.0.0.1:{port}',
    '--listen-peer-urls=http://127.0.0.1:{port2}',
    '--initial-advertise-peer-urls=http://127.0.0.1:{port2}',
    '--initial-cluster=default=http://127.0.0.1:{port2}',
    '--enable-pprof',
    '--snapshot-count=5000',
    '--auto-compaction-mode=periodic',
    '--auto-compaction-retention=5m',
  ];
}

function etcdLoads(): Member['loads'] {
  const body = `{"key":"a2V5{b}","value":"${'dmFsdWUg'.repeat(60)}"}`;
  return [['http', '-method', 'POST', '-url', 'http://127.0.0.1:{port}/v3/kv/put', '-body', body, '-rate', '4']];
}

function nats(name: string, source: Source): Member {
  return {
    name,
    truth: 'healthy',
    kind: 'daemon',
    what: 'nats-server, 8 messages/s on 50 subjects, clients that stay 40 s; it has profiles and no metrics',
    source,
    args: ['-a', '127.0.0.1', '-p', '{port2}', '--profile', '{port3}', '-c', '{dir}/n.conf'],
    files: { 'n.conf': 'max_connections: 1000\n' },
    join: { pprof: 'http://127.0.0.1:{port3}' },
    loads: [['nats', '-url', '127.0.0.1:{port2}', '-rate', '8']],
  };
}

const PROGRAMS: readonly Member[] = [
  ...twins('receiver', 'a consumer waits for a producer that returned early', 'the producer closes the channel'),
  ...twins('ticker', 'sessions that refresh themselves and are never ended', 'sessions end after 20 s'),
  ...twins('errgroup', 'one member fails, the others send for ever', 'they select on the context'),
  ...twins('waitgroup', 'a panic skips Done', 'Done is deferred'),
  ...twins('cond', 'waiters of a queue that is dropped without a broadcast', 'it broadcasts'),
  ...twins('semaphore', 'x/sync semaphore: a holder never releases, callers queue up', 'every holder releases'),
  ...twins('singleflight', 'x/sync singleflight: a call hangs and all callers join it', 'the call has a deadline'),
  ...twins('noisy', '90 goroutines/h stay among 200 that come and go', 'only those that come and go', { rate: 8 }),
  ...twins('stairs', '60 goroutines stay after a batch every ten minutes', 'each batch ends after 45 s'),
  program('halted', 'stopped', 'leaked 300 goroutines in its first three minutes, none since'),
  ...twins('transport', 'an http.Transport per call keeps its idle connection', 'one transport'),
  ...twins('redis', 'go-redis clients that are never closed', 'one client'),
  ...twins('otel', 'an OpenTelemetry batch processor per job, without Shutdown', 'with Shutdown'),
  ...twins('zapbuffer', 'a zap BufferedWriteSyncer per job, without Stop', 'with Stop'),
  ...twins('cron', 'robfig/cron entries that nobody removes', 'entries are removed after 10 s', { rate: 2 }),
  ...twins('waituntil', 'wait.Until with a stop channel that nobody closes', 'closed after 15 s'),
  ...twins('broadcaster', 'watchers of an apimachinery Broadcaster that are not stopped', 'stopped after 10 s'),
  ...twins('grpcstream', 'gRPC streams that are neither drained nor cancelled', 'cancelled'),
  program('series', 'leak', 'a Prometheus counter labelled with the path that a client sent', { rate: 1.5 }),
  program('series-ok', 'healthy', '1,500 known routes, seen one after the other in half an hour', { rate: 0.8 }),
  ...twins('sockets', 'connections that are dialled and forgotten', 'closed'),
  ...twins('openfiles', 'files that stay open in a table', 'closed'),
  program('janitor', 'healthy', 'a go-cache per request: a finalizer ends its goroutine at the next collection'),
  ...twins('sessions', 'a map of sessions that nobody prunes', 'pruned after a minute'),
  ...twins('backlog', 'the queue of a subscriber that never reads', 'bounded to 500'),
  ...twins('ctxchain', 'a loop that wraps its own context', 'it starts from the root'),
  ...twins('vanished', 'a hub that keeps subscribers whose clients went away', 'removed at the end of the request'),
  ...twins('slowheap', '12 MiB/h stay under a working set of 15 to 90 MiB', 'only the working set'),
  ...twins('cstrings', 'C strings that nobody frees, 165 MiB/h outside the Go heap', 'freed', { rate: 2 }),
  ...twins('anonmap', 'anonymous maps that are not unmapped, 450 MiB/h', 'unmapped'),
  program('filemap', 'healthy', 'a mapped file of 600 MiB that is read bit by bit'),
  ...twins('cgoblock', 'calls into C that never return, each with a thread', 'they return'),
  program('threadburst', 'healthy', 'bursts of up to 80 calls into C at once: their threads stay for the next burst'),
  program('ttlcache', 'healthy', 'go-cache with entries of 30 minutes: grows for 30 minutes'),
  program('ristretto', 'healthy', 'ristretto fills to 24 MiB within half an hour'),
  program('bigcache', 'healthy', 'bigcache fills to 48 MiB within an hour'),
  program('bolt', 'grows with its input', 'bbolt: a mapped file grows with its rows, 100 MiB/h'),
  program('badger', 'healthy', 'badger: memtables and block caches, 40,000 rows overwritten in turn'),
  program('lazypool', 'healthy', 'a pool of ants that fills to 450 workers within 35 minutes'),
  program('longpoll', 'healthy', 'requests that wait up to 20 minutes arrive every 4 s'),
  program('tides', 'healthy', '20 to 280 workers, with a tide of 50 minutes'),
  program('gcoff', 'healthy', 'GOGC=off and a limit of 256 MiB: garbage piles up to it'),
  program('ringlog', 'healthy', 'the last 40,000 lines, full after an hour'),
  program('idle', 'healthy', 'nothing but scrapes', { rate: 0.02 }),
  sessionsLive('clients-steady', 'healthy', '60 clients that each stay 30 s', ['-from=60', '-to=60', '-stay=30s']),
  sessionsLive('clients-ramp', 'grows with its input', 'from 5 to 240 clients within an hour', [
    '-from=5',
    '-to=240',
    '-over=1h',
  ]),
  sessionsLive('clients-burst', 'healthy', '20 clients, and 250 more who come within a minute and stay', [
    '-from=20',
    '-to=270',
    '-after=5m',
    '-over=1m',
  ]),
];

function sessionsLive(name: string, truth: Truth, what: string, load: readonly string[]): Member {
  const { args, ...rest } = program('sessions-live', truth, what, { loads: [['hold', '-url', OP, ...load]] });
  return { ...rest, args, name };
}

export const MEMBERS: readonly Member[] = [...DAEMONS, ...PROGRAMS];
