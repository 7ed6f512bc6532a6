import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributeQueries, attributesOfSeries, describesProcess } from './attributes-of-series.ts';
import { AttributeRuns, descriptionsOf } from './attribute-runs.ts';
import { readAttributeFile } from './read-attribute-file.ts';

describe('attributes of series', () => {
  it('reads versions, Go releases and gates', () => {
    const build = { git_version: 'v1.36.0', go_version: 'go1.25.3', platform: 'linux/amd64', minor: '36' };
    assert.deepEqual(attributesOfSeries('kubernetes_build_info', build, 1), [
      ['version', 'v1.36.0'],
      ['go', 'go1.25.3'],
      ['platform', 'linux/amd64'],
    ]);
    assert.deepEqual(attributesOfSeries('kubernetes_feature_enabled', { name: 'X', stage: 'BETA' }, 0), [
      ['gate/X', 'off'],
    ]);
    assert.deepEqual(attributesOfSeries('prometheus_build_info', { version: '3.1.0', goversion: 'go1.24.1' }, 1), [
      ['version', '3.1.0'],
      ['go', 'go1.24.1'],
    ]);
    assert.deepEqual(attributesOfSeries('kubernetes_build_info', { git_version: 'v1'.padEnd(200, 'x') }, 1), []);
    assert.ok(describesProcess('kcp_build_info') && !describesProcess('go_goroutines'));
  });
});

describe('attribute queries', () => {
  it('keep the labels that group targets', () => {
    const [build] = attributeQueries('job="kubelet"', ['node', 'job'], []);
    const labels = 'node, job, cluster, shard, region, zone, pool, git_version, go_version, platform';
    assert.equal(build.query, `max by (${labels}) (kubernetes_build_info{job="kubelet"})`);
  });

  it('look back over what is asked for at once', () => {
    const queries = attributeQueries('', ['node'], ['KubeletTracing'], '1h').map(({ query }) => query);
    assert.ok(
      queries.every(query => /\(last_over_time\(\w+\{.*\}\[1h\]\)\)$/.test(query)),
      queries.join('\n'),
    );
  });
});

describe('attribute runs', () => {
  it('become descriptions in time order, whatever the order of the series', () => {
    const runs = new AttributeRuns();
    for (const at of [300, 400]) runs.add('version', 'v1.36.0', at);
    for (const at of [100, 200]) runs.add('version', 'v1.35.7', at);
    for (const at of [150, 400]) runs.add('go', 'go1.25', at);
    assert.deepEqual(descriptionsOf(runs.all()), [
      { atSeconds: 100, attributes: { version: 'v1.35.7', go: 'go1.25' } },
      { atSeconds: 300, attributes: { version: 'v1.36.0' } },
    ]);
  });

  it('tell that a value came back, where its series has a gap', () => {
    const runs = new AttributeRuns();
    for (const at of [0, 3600, 7200, 18_000, 21_600]) runs.add('version', 'v1.35.7', at);
    for (const at of [7200, 10_800, 14_400]) runs.add('version', 'v1.36.0', at);
    assert.deepEqual(
      descriptionsOf(runs.all()).map(({ atSeconds, attributes }) => [atSeconds, attributes['version']]),
      [
        [0, 'v1.35.7'],
        [7200, 'v1.36.0'],
        [18_000, 'v1.35.7'],
      ],
    );
  });

  it('take the one that goes on, if two begin together', () => {
    const runs = new AttributeRuns();
    for (const at of [0, 3600, 7200]) runs.add('version', 'v1.36.0', at);
    runs.add('version', 'v1.35.7', 0);
    assert.equal(descriptionsOf(runs.all()).at(-1)?.attributes['version'], 'v1.36.0');
  });
});

describe('attribute files', () => {
  it('are CSV or JSON, with or without times', () => {
    const csv = 'target,version,pool\r\nnode-1,v1.36.0,"a, b"\nnode-2,v1.35.7,\n';
    assert.deepEqual(
      [...readAttributeFile(csv, 'f')],
      [
        ['node-1', [{ atSeconds: -Infinity, attributes: { version: 'v1.36.0', pool: 'a, b' } }]],
        ['node-2', [{ atSeconds: -Infinity, attributes: { version: 'v1.35.7' } }]],
      ],
    );
    const timed = 'node,at,version\nn,2026-08-04T07:00:00Z,v2\nn,1785823200,v1\n';
    assert.deepEqual(readAttributeFile(timed, 'f').get('n'), [
      { atSeconds: 1785823200, attributes: { version: 'v1' } },
      { atSeconds: 1785826800, attributes: { version: 'v2' } },
    ]);
    assert.deepEqual(
      [...readAttributeFile('{"n": {"version": "v1", "slots": 3}}', 'f')],
      [['n', [{ atSeconds: -Infinity, attributes: { version: 'v1', slots: '3' } }]]],
    );
    const list = '[{"target": "n", "at": "2026-08-04T07:00:00Z", "version": "v2"}]';
    assert.equal(readAttributeFile(list, 'f').get('n')?.[0]?.atSeconds, 1785826800);
  });

  it('say in one line what is wrong with them', () => {
    const wrong = (text: string, message: RegExp): void =>
      assert.throws(() => readAttributeFile(text, 'f.csv'), message);
    wrong('', /f\.csv is empty/);
    wrong('version,pool\nv1,a\n', /first line must name the columns/);
    wrong('target,version\nn\n', /row 2 has 1 cells and the header 2/);
    wrong('target,version\nn,"v1\n', /a quote that does not end/);
    wrong('{"n": 5}', /n is not an object/);
    wrong('[1', /not valid JSON/);
    wrong('target,at,version\nn,soon,v1\n', /soon is no time/);
    wrong('target,version\n ,v1\n', /a row has no target/);
  });
});
