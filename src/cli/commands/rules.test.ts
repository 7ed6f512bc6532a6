import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

async function rules(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = memoryIo();
  const code = await run(['rules', ...argv], io);
  return { code, out: io.out(), err: io.err() };
}

describe('oakum rules', () => {
  it('prints rules for Prometheus by default', async () => {
    const { code, out, err } = await rules();
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    const { groups } = parse(out) as { groups: { name: string }[] };
    assert.equal(groups[0].name, 'oakum-levels');
    assert.match(out, /go_goroutines\{job=~"kubelet"\}/);
  });

  it('adds labels for the operator, and prints JSON for Grafana', async () => {
    const operator = parse((await rules('--format', 'operator', '--label', 'release=mon', '--label', 'a/b=c')).out) as {
      metadata: object;
    };
    assert.deepEqual(operator.metadata, { name: 'oakum-kubelet', labels: { release: 'mon', 'a/b': 'c' } });
    const dashboard = JSON.parse((await rules('--format', 'grafana')).out) as { schemaVersion: number };
    assert.equal(dashboard.schemaVersion, 39);
  });

  it('records hourly values for a fleet', async () => {
    const { out } = await rules('--format', 'recording', '--selector', 'job="kubelet"');
    assert.match(out, /^groups:\n {2}- name: oakum-fleet\n {4}interval: 1h\n/);
    assert.match(
      out,
      /record: oakum:hourly:go_gc_heap_live_bytes\n +expr: .*avg_over_time\(go_gc_heap_live_bytes\{job="kubelet"\}\[1h\]\)/,
    );
    assert.doesNotMatch((await rules('--format', 'recording', '--component', 'any')).out, /kubelet_running_pods/);
  });

  it('passes the selector to every expression unchanged', async () => {
    assert.match((await rules('--job', 'a|b\\d"')).out, /go_goroutines\{job=~"a\|b\\\\d\\""\}/);
    const { out } = await rules('--selector', 'job="k", cluster!="test"');
    assert.match(out, /go_goroutines\{job="k", cluster!="test"\}/);
    assert.match(out, /machine_memory_bytes\{cluster!="test"\}/, 'cAdvisor may be another job');
    assert.match((await rules('--component', 'any')).out, /go_goroutines\{job=~"\.\+"\}/);
  });

  it('uses the given durations, node label and documentation URL', async () => {
    const { out } = await rules('--for', '1d12h', '--node-label', 'host', '--docs-url', 'https://wiki.example/leaks');
    assert.match(out, /for: 1d12h/);
    assert.match(out, /by \(cluster, job, instance, host\)/);
    assert.match(out, /oakum triage node\/\{\{ \$labels\.host \}\}/);
    assert.match(out, /runbook_url: https:\/\/wiki\.example\/leaks#goroutines/);
  });

  it('explains each mistake in one line', async () => {
    const wrong: readonly [string[], RegExp][] = [
      [['--format', 'xml'], /--format takes prometheus, operator, grafana, grafana-watch or recording, not xml/],
      [['--component', 'etcd'], /--component takes kubelet or any, not etcd/],
      [['--job', '('], /the matcher job=~\(: error parsing regexp/],
      [['--job', 'a\nb'], /--job takes a regular expression/],
      [['--job', 'a', '--selector', 'job="a"'], /--job and --selector exclude each other/],
      [['--selector', 'up == 1'], /--selector takes matchers such as job="kubelet"/],
      [['--selector', 'job=~"["'], /the matcher job=~\[: error parsing regexp/],
      [['--node-label', 'a-b'], /--node-label takes the name of a label/],
      [['--for', '6 hours'], /--for takes a duration such as 30m or 6h/],
      [['--for', ''], /--for takes a duration/],
      [['--docs-url', '{{ template }}'], /--docs-url takes an address/],
      [['--watch-url', 'oakum.example.com'], /--watch-url takes an http or https address/],
      [['--watch-url', 'https://${job}'], /--watch-url takes an http or https address/],
      [['--label', 'release'], /--label takes KEY=VALUE/],
      [['more'], /rules takes no argument/],
    ];
    for (const [argv, message] of wrong) {
      const { code, out, err } = await rules(...argv);
      assert.equal(code, 2, argv.join(' '));
      assert.equal(out, '');
      assert.match(err, message);
      assert.equal(err.split('\n').length, 2, err);
    }
  });
});
