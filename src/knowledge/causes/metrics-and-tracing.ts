/** Metrics that are never dropped, and scrapes that never end. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, targetMetrics, TARGET_HEAP } from './commands.ts';

const SERIES = `curl -s "$TARGET/metrics" | grep -v '^#' | sed 's/[{ ].*//' | sort | uniq -c | sort -rn | head`;

export const METRICS_AND_TRACING: readonly CauseRecord[] = [
  {
    id: 'otel-meters',
    title: 'Metric instruments of OpenTelemetry that pile up',
    kind: 'heap',
    signs: [
      {
        any: [
          'otel/internal/global.(*meter)',
          'otel/internal/global.(*meterProvider)',
          'otelhttp.(*Transport).createMeasures',
          'otelhttp.newConfig',
          'otelgrpc.newConfig',
        ],
      },
    ],
    meaning:
      'Without a meter provider, the global OpenTelemetry meter remembers every instrument that is requested. Code that wraps a transport or a gRPC handler per client adds some each time and never frees them.',
    check: [kubeletMetrics('^kubernetes_build_info'), TARGET_HEAP],
    act: [
      'Upgrade: kubelet and API server are fixed in 1.29.10, 1.30.6, 1.31.2 and 1.32.',
      'In the API server APIServerTracing=false avoids it; in own code wrap transports once.',
    ],
    avoid: [],
    benign: false,
  },
  {
    id: 'metric-series',
    title: 'Metric series that are never deleted',
    kind: 'heap',
    signs: [
      {
        any: [
          'prometheus.(*metricMap)',
          'prometheus.(*MetricVec)',
          'prometheus.makeLabelPairs',
          'prometheus.MakeLabelPairs',
          'prometheus.newHistogram',
          'prometheus.(*CounterVec)',
          'prometheus.(*GaugeVec)',
          'prometheus.(*HistogramVec)',
          'prometheus.(*SummaryVec)',
          'prometheus.newSummary',
          'prometheus.(*metricMap).getOrCreateMetricWithLabelValues',
        ],
      },
      { any: ['util/reflector/prometheus'] },
    ],
    meaning:
      'Each new combination of label values makes a series that stays until it is deleted. Labels with names of pods, tenants, reflectors or URLs grow without bound, and every scrape gets slower.',
    check: [SERIES, `curl -s "$TARGET/metrics" | grep -vc '^#'`],
    act: ['Delete the series when their object is removed, or drop the label; the first command names the largest.'],
    avoid: ['Do not fix it by dropping series in Prometheus: the process still holds them.'],
    benign: true,
  },
  {
    id: 'scrape-blocked',
    title: 'Scrapes that wait for a collector',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'prometheus.(*Registry).Gather',
          'prometheus.(*registry).writePB',
          'promhttp.HandlerFor',
          'promhttp.HandlerForTransactional',
          'prometheus.processMetric',
          'metrics.(*kubeRegistry).Gather',
          'prometheus.computeApproximateRequestSize',
        ],
      },
      { creators: ['prometheus.(*Registry).Gather', 'prometheus.(*registry).writePB'] },
    ],
    meaning:
      'Requests to /metrics wait for a collector, in a kubelet mostly cadvisor or the container runtime. Each scrape adds more until the collector answers.',
    check: [
      kubeletMetrics('^kubelet_http_inflight_requests.*metrics'),
      'time crictl stats',
      targetMetrics('^promhttp_metric_handler_requests_in_flight'),
    ],
    act: ['Find the collector in the frames above Gather; stop the scrapes until it answers.'],
    avoid: ['Do not just shorten the scrape timeout: the server keeps working on the request.'],
    benign: false,
  },
  {
    id: 'scrape-buffers',
    title: 'Buffers of metrics and compression',
    kind: 'heap',
    signs: [
      {
        any: [
          'promhttp',
          'compress/flate.NewWriter',
          'compress/gzip.NewWriterLevel',
          'compress/gzip.(*Writer)',
          'compress/flate.(*compressor)',
          'compress/flate.newDeflateFast',
        ],
      },
    ],
    meaning:
      'Compressors cost about 800 KB each and are kept in pools between scrapes and responses. The size follows the highest number in use at once; it is a leak only if it grows while the number of requests does not.',
    check: [targetMetrics('^go_memstats_heap_(inuse|idle|released)_bytes'), SERIES],
    act: ['Scrape less often or from fewer places; look for stuck scrapes in the goroutine profile.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'telemetry-loops',
    title: 'Loops of logging, tracing and metrics',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'klog.(*flushDaemon)',
          'klog.(*loggingT)',
          'glog.(*loggingT)',
          'opencensus.io/stats/view.(*worker)',
          'otel/sdk/',
          'otel/exporters/',
          'zap/',
          'lumberjack.(*Logger)',
        ],
      },
      { creators: ['klog', 'otel/sdk/', 'opencensus.io/stats/view'] },
    ],
    meaning: 'Flushers and exporters that live as long as the process; there is one of each.',
    check: [targetMetrics('^go_goroutines')],
    act: ['None unless it grows; then loggers or providers are made per request.'],
    avoid: [],
    benign: true,
  },
];
