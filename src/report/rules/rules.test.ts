import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RECORDINGS } from '../../../test/places.ts';
import fc from 'fast-check';
import { parse } from 'yaml';
import { dashboardOf } from './dashboard.ts';
import {
  type AlertRule,
  isAlert,
  type RuleGroup,
  type Matcher,
  parseMatchers,
  writeMatchers,
  type Component,
  type RuleOptions,
} from './rule.ts';
import { ruleGroups } from './rule-set.ts';
import { operatorRules, prometheusRules } from './rules-yaml.ts';

/** Metrics that exist, by their source. */
const KUBELET = `go_memory_classes_heap_released_bytes go_memory_classes_total_bytes
  go_memstats_heap_released_bytes go_memstats_sys_bytes go_gc_gomemlimit_bytes go_gc_heap_live_bytes go_goroutines go_memstats_heap_inuse_bytes
  go_memstats_stack_inuse_bytes go_threads kubelet_pleg_last_seen_seconds kubelet_running_pods
  kubelet_runtime_operations_total process_max_fds process_open_fds
  process_resident_memory_bytes process_start_time_seconds`.split(/\s+/);
/** These appear only after an error, before Kubernetes 1.19, or not on a hollow node. */
const KUBELET_AT_TIMES = [
  'kubelet_runtime_operations_errors_total',
  'kubelet_running_pod_count',
  'kubernetes_feature_enabled',
];
const CADVISOR = ['container_memory_working_set_bytes', 'container_spec_memory_limit_bytes', 'machine_memory_bytes'];
const PROMETHEUS = ['scrape_samples_scraped', 'ALERTS'];
const KNOWN = new Set([...KUBELET, ...KUBELET_AT_TIMES, ...CADVISOR, ...PROMETHEUS]);

const LAB = join(RECORDINGS, 'lab/leak-a/metrics.prom.gz');
const DOCS = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8');

const COMPONENTS: readonly Component[] = ['kubelet', 'any'];

function optionsFor(component: Component): RuleOptions {
  const matchers: Matcher[] = [{ label: 'job', operator: '=~', value: 'kubelet' }];
  return { component, matchers, nodeLabel: 'node', holdFor: '6h', docsUrl: 'docs/rules.md' };
}

function rulesOf(groups: readonly RuleGroup[]): RuleGroup['rules'][number][] {
  return groups.flatMap(({ rules }) => rules);
}

function alertsOf(component: Component): AlertRule[] {
  return rulesOf(ruleGroups(optionsFor(component))).filter(isAlert);
}

/** Names of series in an expression: what is left without strings, label lists, durations, functions and keywords. */
function namesIn(expr: string): string[] {
  const bare = expr
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|on|group_left)\s*\([^)]*\)/g, '')
    .replace(/\boffset\s+\w+/g, '');
  const names = bare.match(/(?<![\w.])[a-zA-Z_:][a-zA-Z0-9_:]*(?!\s*\(|[a-zA-Z0-9_:])/g) ?? [];
  return names.filter(name => !['and', 'or', 'unless', 'by', 'on'].includes(name));
}

describe('rules', () => {
  it('the names in an expression', () => {
    const expr =
      'max by (a, b) (rate(x_total{j="k(l)"}[5m:1m])) / on (c) group_left () y:z:w offset 2d > 1e3 and 3 * v';
    assert.deepEqual(namesIn(expr), ['x_total', 'y:z:w', 'v']);
  });

  for (const component of COMPONENTS) {
    const groups = ruleGroups(optionsFor(component));
    const rules = rulesOf(groups);
    const recorded = new Set(rules.flatMap(rule => (isAlert(rule) ? [] : [rule.record])));

    it(`${component}: every metric exists or is recorded, and every recorded series is used`, () => {
      const { panels } = dashboardOf(optionsFor(component));
      const expressions = [...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
      const used = new Set(expressions.flatMap(namesIn));
      const unknown = [...used].filter(name => !recorded.has(name) && !KNOWN.has(name));
      assert.deepEqual(unknown, []);
      assert.deepEqual(
        [...recorded].filter(name => !used.has(name)),
        [],
      );
    });

    it(`${component}: rules of a group come after the rules that they use`, () => {
      for (const group of groups) {
        const later = new Set(group.rules.flatMap(rule => (isAlert(rule) ? [] : [rule.record])));
        for (const rule of group.rules) {
          const early = namesIn(rule.expr).filter(name => later.has(name));
          assert.deepEqual(early, [], `${group.name}: ${isAlert(rule) ? rule.alert : rule.record}`);
          if (!isAlert(rule)) later.delete(rule.record);
        }
      }
    });

    it(`${component}: every alert has a tier, texts and a heading in the documentation`, () => {
      const anchors = new Set([...DOCS.matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchorOf(title)));
      const tiers = new Set<string>();
      for (const { alert, labels, annotations } of alertsOf(component)) {
        assert.match(alert, /^Oakum[A-Z]\w+$/);
        assert.ok(['warning', 'critical'].includes(labels['severity']), alert);
        for (const [name, text] of Object.entries(annotations)) assert.notEqual(text, '', `${alert}: ${name}`);
        assert.match(annotations.runbook, /^(oakum|kubectl) [a-z]/, alert);
        const [file, anchor] = annotations.runbook_url.split('#');
        assert.equal(file, 'docs/rules.md');
        assert.ok(anchors.has(anchor), `docs/rules.md has no heading for #${anchor} (${alert})`);
        assert.ok(DOCS.includes(`\`${alert}\``), `docs/rules.md does not name ${alert}`);
        const tier = `${alert} ${labels['severity']}`;
        assert.ok(!tiers.has(tier), `${tier} twice`);
        tiers.add(tier);
      }
    });

    it(`${component}: the YAML reads back as the rules; the operator's object has the same`, () => {
      assert.deepEqual(parse(prometheusRules(groups)), { groups });
      const object = parse(operatorRules(groups, { name: 'oakum', labels: { release: 'x' } })) as Record<
        string,
        unknown
      >;
      assert.deepEqual(object, {
        apiVersion: 'monitoring.coreos.com/v1',
        kind: 'PrometheusRule',
        metadata: { name: 'oakum', labels: { release: 'x' } },
        spec: { groups },
      });
    });
  }

  it('both components can be loaded together: no series is recorded twice', () => {
    const names = COMPONENTS.flatMap(component =>
      rulesOf(ruleGroups(optionsFor(component))).flatMap(rule => (isAlert(rule) ? [] : [rule.record])),
    );
    assert.equal(new Set(names).size, names.length);
  });

  it('a kubelet has the metrics', () => {
    const scrape = gunzipSync(readFileSync(LAB)).subarray(0, 1_000_000).toString();
    const exposed = new Set([...scrape.matchAll(/^([a-z_:0-9]+)[ {]/gim)].map(([, name]) => name));
    assert.deepEqual(
      KUBELET.filter(name => !exposed.has(name)),
      [],
    );
  });
});

/** Anchors as GitHub makes them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

describe('matchers', () => {
  it('are read with and without braces', () => {
    const expected = [
      { label: 'job', operator: '=', value: 'a, b' },
      { label: 'cluster', operator: '!~', value: 'test-.*' },
    ];
    assert.deepEqual(parseMatchers('job="a, b", cluster!~"test-.*"'), expected);
    assert.deepEqual(parseMatchers(' {job="a, b",cluster!~"test-.*"} '), expected);
  });

  it('anything else is refused', () => {
    for (const text of [
      '',
      '{}',
      'job',
      'job=kubelet',
      'job="a',
      'job="a"}, x{a="b"',
      'job="a",',
      '1a="b"',
      'job="a\\n"',
    ])
      assert.equal(parseMatchers(text), undefined, text);
  });

  it('are read as they were written', () => {
    const matcher = fc.record(
      {
        label: fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/),
        operator: fc.constantFrom('=', '!=', '=~', '!~'),
        value: fc.string().filter(text => !text.includes('\n')),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(matcher as fc.Arbitrary<Matcher>, { minLength: 1, maxLength: 4 }), matchers => {
        assert.deepEqual(parseMatchers(writeMatchers(matchers)), matchers);
      }),
    );
  });
});
