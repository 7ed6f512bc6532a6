/**
 * A recording of some kubelets, made from functions of time, and promtool's unit tests for it.
 *
 *     { 'prod/worker-1': { go_goroutines: hours => 300 + hours } }   ->   input_series of `promtool test rules`
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isAlert, type RuleGroup } from '../../src/report/rules/rule.ts';
import { prometheusRules } from '../../src/report/rules/rules-yaml.ts';

/** NaN if there is no sample. */
export type OverTime = (hours: number) => number;

/** Metric, with labels of its own in braces if it has any -> value. */
export type Process = Readonly<Record<string, OverTime>>;

export interface Recording {
  /** By cluster and node: prod/worker-1. */
  readonly processes: Readonly<Record<string, Process>>;
  readonly hours: number;
  readonly stepMinutes: number;
}

export interface ExpectedAlert {
  readonly exp_labels: Readonly<Record<string, string>>;
  readonly exp_annotations?: object;
}

export interface AlertCheck {
  readonly alertname: string;
  readonly atHours: number;
  readonly alerts: readonly ExpectedAlert[];
}

export const withPromtool: { readonly skip: string | false } = {
  skip: spawnSync('promtool', ['--version']).status === 0 ? false : 'no promtool here',
};

export function labelsOf(name: string): Record<string, string> {
  const [cluster, node] = name.split('/');
  return { cluster, job: 'kubelet', instance: `${node}:10250`, node };
}

/** The problem that promtool reports; '' if there is none. Rules that none of the checked alerts needs are left out. */
export function testRules(
  allGroups: readonly RuleGroup[],
  recording: Recording,
  checks: readonly AlertCheck[],
): string {
  const groups = neededFor(new Set(checks.map(({ alertname }) => alertname)), allGroups);
  const interval = `${recording.stepMinutes}m`;
  const test = {
    interval,
    input_series: inputSeries(recording),
    alert_rule_test: checks.map(({ alertname, atHours, alerts }) => ({
      eval_time: `${Math.round(atHours * 60)}m`,
      alertname,
      exp_alerts: alerts,
    })),
  };
  // Steps are wider than the five minutes in which Prometheus finds a sample: each group needs what earlier groups
  // recorded in the same step.
  const order = groups.map(({ name }) => name);
  const file = { rule_files: ['rules.yaml'], evaluation_interval: interval, group_eval_order: order, tests: [test] };
  const yaml = stringify(file, { lineWidth: 0 });
  return inFolder({ 'rules.yaml': prometheusRules(groups), 'test.yaml': yaml }, folder =>
    promtool(['test', 'rules', 'test.yaml'], folder),
  );
}

/** The rules of these alerts, and what they read, directly or through others. */
export function neededFor(alerts: ReadonlySet<string>, groups: readonly RuleGroup[]): RuleGroup[] {
  const rules = groups.flatMap(group => group.rules);
  const needed = new Set(rules.filter(rule => isAlert(rule) && alerts.has(rule.alert)));
  // A set visits what is added meanwhile.
  for (const { expr } of needed) {
    for (const rule of rules) if (!isAlert(rule) && expr.includes(rule.record)) needed.add(rule);
  }
  return groups
    .map(group => ({ ...group, rules: group.rules.filter(rule => needed.has(rule)) }))
    .filter(group => group.rules.length > 0);
}

export function checkRules(yaml: string): string {
  return inFolder({ 'rules.yaml': yaml }, folder => promtool(['check', 'rules', 'rules.yaml'], folder));
}

/** promtool compares annotations literally; they are left out if the numbers are not the point. */
export function withoutAnnotations(groups: readonly RuleGroup[]): RuleGroup[] {
  return groups.map(group => ({
    ...group,
    rules: group.rules.map(rule => {
      if (!isAlert(rule)) return rule;
      const { annotations: _, ...rest } = rule;
      return rest as typeof rule;
    }),
  }));
}

function inputSeries({ processes, hours, stepMinutes }: Recording): object[] {
  const samples = Math.floor((hours * 60) / stepMinutes) + 1;
  return Object.entries(processes).flatMap(([process, metrics]) =>
    Object.entries(metrics).map(([metric, value]) => {
      const own = Object.entries(labelsOf(process)).map(([key, text]) => `${key}="${text}"`);
      const [name, more = ''] = metric.split(/[{}]/);
      const labels = [...own, more].filter(text => text !== '').join(', ');
      const values = Array.from({ length: samples }, (_, i) => value((i * stepMinutes) / 60));
      return {
        series: `${name}{${labels}}`,
        values: values.map(at => (Number.isNaN(at) ? '_' : String(at))).join(' '),
      };
    }),
  );
}

function inFolder(files: Readonly<Record<string, string>>, work: (folder: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-promtool-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A small process: collecting its garbage less often saves a fifth of its CPU. */
const SELDOM_COLLECTED = { ...process.env, GOGC: '800' };

function promtool(args: readonly string[], cwd: string): string {
  try {
    execFileSync('promtool', args, { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26, env: SELDOM_COLLECTED });
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`;
  }
}
