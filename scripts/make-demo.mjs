// node scripts/make-demo.mjs LAB: makes demo/ from recordings of a lab cluster (docs/lab.md has how to record one).
//
//     demo/recording.json            the nodes, their events, and which profiles there are
//     demo/NODE/metrics.prom.gz      the scrapes, without series that nothing reads
//     demo/NODE/KIND-UNIX.EXT        profiles, as they were taken
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ensureInstalled, listFiles, ROOT } from './setup.mjs';

ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
const { format, resolveConfig } = await import('prettier');
const { isForAnalysis, isForDetection } = await import('../src/evidence/metric-names.ts');
const { CYCLE_METRICS } = await import('../src/evidence/cycle/metrics-evidence.ts');

const MAX_BYTES = 6 * 1024 * 1024;
const LEAKY = ['heap', 'goroutine', 'goroutine-d1', 'goroutine-d2'];
const STEADY = ['heap', 'goroutine', 'goroutine-d1'];

/** `every`: keep one of this many recorded sets; enough for comparison while nothing happens. */
const NODES = [
  { name: 'leak-a', kinds: LEAKY, every: 1 },
  { name: 'leak-b', kinds: LEAKY, every: 1 },
  { name: 'leak-d', kinds: STEADY, every: 2 },
  { name: 'fix-a', kinds: STEADY, every: 3 },
  { name: 'fix-b', kinds: STEADY, every: 2 },
  { name: 'fix-d', kinds: STEADY, every: 1 },
  { name: 'fix-e', kinds: [], every: 1 },
];

const [lab] = process.argv.slice(2);
if (lab === undefined) {
  process.stderr.write('usage: node scripts/make-demo.mjs LAB\n');
  process.exit(2);
}

rmSync(join(ROOT, 'demo'), { recursive: true, force: true });
const names = new Set(NODES.map(node => node.name));
const profiles = NODES.flatMap(copyNode);
const nodes = readItems('nodes.json.gz').filter(item => names.has(item.metadata.name));
const events = readItems('events.json.gz').filter(
  ({ involvedObject: about, reason }) =>
    about.kind === 'Node' && names.has(about.name) && reason !== 'MissingClusterDNS',
);
const recording = {
  name: 'recorded cluster, Kubernetes 1.36',
  scrapeSeconds: 10,
  nodes: nodes.map(bareNode),
  events: events.map(bareEvent),
  profiles,
};
const index = join(ROOT, 'demo/recording.json');
writeFileSync(index, await format(JSON.stringify(recording), { ...(await resolveConfig(index)), filepath: index }));

const bytes = listFiles('demo', () => true).reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0);
process.stdout.write(`demo/ has ${(bytes / 1024 / 1024).toFixed(2)} MiB\n`);
if (bytes > MAX_BYTES) {
  process.stderr.write('demo/ is too large: leave out more profiles\n');
  process.exit(1);
}

function copyNode({ name, kinds, every }) {
  mkdirSync(join(ROOT, 'demo', name), { recursive: true });
  const text = gunzipSync(readFileSync(join(lab, name, 'metrics.prom.gz'))).toString('utf8');
  writeFileSync(join(ROOT, 'demo', name, 'metrics.prom.gz'), gzipSync(neededLines(text), { level: 9 }));
  const files = kinds.length === 0 ? [] : readdirSync(join(lab, name, 'profiles'));
  const found = files.flatMap(file => {
    const match = /^([a-z0-9-]+)-(\d{10})\.(?:pb|txt)\.gz$/.exec(file);
    return match !== null && kinds.includes(match[1])
      ? [{ node: name, kind: match[1], at: Number(match[2]), file }]
      : [];
  });
  return kinds.flatMap(kind => {
    const ofKind = found.filter(one => one.kind === kind).sort((a, b) => a.at - b.at);
    return ofKind.filter((one, i) => {
      const kept = i % every === 0 || i === ofKind.length - 1;
      if (kept) writeFileSync(join(ROOT, 'demo', name, one.file), readFileSync(join(lab, name, 'profiles', one.file)));
      return kept;
    });
  });
}

/** Marks of scrapes and needed series; the number of series of a scrape becomes a series of its own. */
function neededLines(text) {
  const lines = [];
  let series = 0;
  const endScrape = () => {
    if (series > 0) lines.push(`scrape_samples_scraped ${series}`);
    series = 0;
  };
  for (const line of text.split('\n')) {
    if (/^# \w+ scrape /.test(line)) {
      endScrape();
      lines.push(line.replace(/ (?:seconds|bytes)=\S*/g, ''));
    } else if (line !== '' && !line.startsWith('#')) {
      series++;
      if (isNeeded(/^\w+/.exec(line)?.[0] ?? '')) lines.push(line);
    }
  }
  endScrape();
  return `${lines.join('\n')}\n`;
}

function isNeeded(name) {
  if (name === 'kubernetes_feature_enabled') return false;
  return isForDetection(name) || isForAnalysis(name) || CYCLE_METRICS.has(name);
}

function readItems(file) {
  return JSON.parse(gunzipSync(readFileSync(join(lab, 'control-plane/end', file))).toString('utf8')).items;
}

function bareNode({ metadata, spec, status }) {
  const { name, labels, creationTimestamp } = metadata;
  const { capacity, conditions, nodeInfo } = status;
  return {
    kind: 'Node',
    metadata: { name, labels, creationTimestamp },
    spec,
    status: { capacity, conditions, nodeInfo },
  };
}

function bareEvent({ involvedObject, reason, message, source, count, firstTimestamp, lastTimestamp, type }) {
  return { kind: 'Event', involvedObject, reason, message, source, count, firstTimestamp, lastTimestamp, type };
}
