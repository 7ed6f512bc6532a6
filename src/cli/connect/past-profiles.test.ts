/** Against a double that speaks the documented protocols of Pyroscope and Parca; the real servers were not asked. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { demoProfiles, startProfiler } from '../../../test/double/profiler.ts';
import type { Analysis } from '../../judge/analysis.ts';
import { run } from '../run.ts';

/** Four of the demo's moments, the last of them half an hour ago. */
const profiles = () => {
  const taken = demoProfiles('leak-a', Math.floor(Date.now() / 1000) - 1_800 - 1_794_774_072);
  return taken.filter((_, i) => i % 2 === 0);
};
const OTHER = { labels: { service_name: 'web', pod: 'web-0' }, profiles: profiles().slice(0, 2) };

async function analyze(...args: string[]) {
  const io = memoryIo();
  const code = await run(['analyze', ...args], io);
  return { code, out: io.out(), err: io.err() };
}

for (const server of ['pyroscope', 'parca'] as const)
  describe(`analyze --${server}`, () => {
    it('compares single profiles of the past of the process', async t => {
      const labels = { service_name: 'kcp', pod: 'kcp-0' };
      const profiler = await startProfiler(t, [{ labels, profiles: profiles() }, OTHER]);
      const { code, out, err } = await analyze(
        ...[`--${server}`, profiler.url, '--profiles', '{service_name="kcp"}', '--profiler-tenant', 'team'],
        ...['-o', 'json'],
      );
      assert.deepEqual([code, err], [0, '']);
      const { verdict, inputs, findings } = JSON.parse(out) as Analysis;
      assert.equal(verdict, 'leak');
      assert.equal(inputs.length, profiles().length);
      assert.ok(inputs.every(({ path }) => path.startsWith(`${profiler.url}/kcp-0/`)));
      // A sum of two would be no growth, but twice of everything.
      const [{ growth }] = findings;
      assert.ok(growth !== null && growth.to < 2 * 20e6, JSON.stringify(growth));
      assert.ok(profiler.headers.every(({ 'x-scope-orgid': tenant }) => tenant === 'team'));
    });

    it('finds them in two weeks, of which it asks in wide steps', async t => {
      const profiler = await startProfiler(t, [{ labels: { pod: 'kcp-0' }, profiles: profiles() }]);
      const { code, out } = await analyze(`--${server}`, profiler.url, '--since', '14d', '-o', 'json');
      assert.equal(code, 0);
      assert.ok((JSON.parse(out) as Analysis).inputs.length >= 2);
    });

    it('says what it answers instead', async t => {
      const { url } = await startProfiler(t, [OTHER]);
      const wrong = await analyze(`--${server}`, `${url}/elsewhere`);
      assert.equal(wrong.code, 3);
      assert.match(wrong.err, /^oakum: http:\/\/127\.0\.0\.1:\d+: it answered 404: \{"code":"unimplemented"\}/);
      const nothing = await analyze(`--${server}`, url, '--profiles', 'pod="kcp-0"');
      assert.equal(nothing.code, 3);
      assert.match(nothing.err, /no heap or goroutine profile of \{pod="kcp-0"\} in that time; look further back/);
    });
  });
