import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startExample } from '../../../test/double/example-server.ts';

describe('/metrics', () => {
  it('is OpenMetrics: each family once, typed, samples together, one end', async t => {
    const { ask } = await startExample(t);
    for (const path of ['/', '/api/v1/fleet', '/api/v1/fleet', '/api/v1/targets/x', '/api/v1/zzz', '/x"y\\z'])
      await ask(path);
    const { text, headers } = await ask('/metrics');
    assert.equal(headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    const lines = text.split('\n');
    assert.deepEqual(lines.slice(-2), ['# EOF', '']);
    const types = new Map<string, string>();
    let family = '';
    for (const line of lines.slice(0, -2)) {
      const declared = /^# TYPE (\S+) (counter|gauge|summary)$/.exec(line);
      if (declared !== null) {
        assert.ok(!types.has(declared[1]), line);
        types.set((family = declared[1]), declared[2]);
      } else if (!/^# (?:HELP|UNIT) /.test(line)) {
        const suffix = { counter: '_total', gauge: '', summary: '_(?:sum|count)' }[types.get(family) ?? ''];
        assert.match(line, new RegExp(`^${family}${suffix}(?:\\{[a-z]+="\\w+"(?:,[a-z]+="\\w+")*\\})? [\\d.e+-]+$`));
      }
    }
    assert.match(text, /^oakum_http_requests_total\{area="fleet",status="200"\} 2$/m);
    assert.match(text, /^oakum_http_requests_total\{area="targets",status="404"\} 1$/m);
    assert.match(text, /^oakum_http_requests_total\{area="other",status="404"\} 1$/m);
    assert.match(text, /^oakum_targets 3$/m, 'what the watch counts');
  });
});
