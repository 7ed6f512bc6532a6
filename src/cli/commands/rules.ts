/** `oakum rules`: alert and recording rules for Prometheus, or a Grafana dashboard over them. */
import { compileGoRegexp } from '../../profile/pprof/go-regexp.ts';
import { dashboardOf } from '../../report/rules/dashboard.ts';
import { ruleGroups } from '../../report/rules/rule-set.ts';
import { operatorRules, prometheusRules, fleetRecords } from '../../report/rules/rules-yaml.ts';
import { watchDashboardOf } from '../../report/rules/watch-dashboard.ts';
import type { Io } from '../io.ts';
import { EXIT, expected, Failure } from '../../base/errors.ts';
import { shown, type Option, noneOf } from '../options/option.ts';
import { renderJson } from '../../report/json.ts';
import { type RuleOptions, parseMatchers } from '../../report/rules/rule.ts';
import { hasHidden } from '../../base/visible-text.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { choice, custom } from '../options/kinds.ts';

const line = commandLine({
  name: 'rules',
  usage: ['[--format prometheus|operator|grafana|grafana-watch] [options]'],
  examples: [
    ['oakum rules > oakum-rules.yaml && promtool check rules oakum-rules.yaml'],
    ['oakum rules --format operator --label release=monitoring | kubectl apply -n monitoring -f -'],
    ['oakum rules --format grafana > oakum-dashboard.json'],
    ['oakum rules --format grafana-watch --watch-url https://oakum.example.com > oakum-watch-dashboard.json'],
    ["oakum rules --component any --job 'kube-apiserver|etcd'", 'any Go process'],
  ],
  about:
    'Prints rules that alert when goroutines, live heap, file descriptors, threads or metric series grow more than pods explain, when a limit is near, and on what follows. Severity warning means watch, critical means leak. The dashboard shows the recorded series; give both the same options. docs/rules.md says what such rules cannot do and oakum detect can.',
  operands: {},
  options: {
    format: choice(['prometheus', 'operator', 'grafana', 'grafana-watch', 'recording'])({
      placeholder: 'FORMAT',
      default: 'prometheus',
      help: 'a file of rules, a PrometheusRule, a dashboard over them, a dashboard of what oakum watch exports, or hourly values for oakum detect --prometheus',
    }),
    component: choice(['kubelet', 'any'])({
      default: 'kubelet',
      help: 'any leaves out pods, PLEG and container runtime',
    }),
    job: custom('REGEX', 'a regular expression', text => (text === '' || hasHidden(text) ? undefined : text))({
      excludes: ['selector'],
      help: 'the job of the processes',
      defaultNote: 'kubelet; for any component, all jobs',
    }),
    selector: custom(
      'MATCHERS',
      'matchers such as job="kubelet"',
      parseMatchers,
    )({
      help: `select by any labels instead: 'job="kubelet", cluster=~"prod-.*"'`,
    }),
    nodeLabel: custom(
      'LABEL',
      'the name of a label',
      labelName,
    )({
      default: 'node',
      help: "the label with the node's name",
    }),
    for: custom('DURATION', 'a duration such as 30m or 6h', text => (isDuration(text) ? text : undefined))({
      default: '6h',
      help: 'how long a trend must hold before it alerts; below 2h, a single step may look like a trend',
    }),
    docsUrl: custom('URL', 'an address', text => (hasHidden(text) || text.includes('{{') ? undefined : text))({
      default: 'docs/rules.md',
      help: 'where your people read docs/rules.md, for runbook_url',
    }),
    watchUrl: custom(
      'URL',
      'an http or https address',
      webAddress,
    )({
      default: 'http://localhost:7777',
      help: 'where your people reach oakum watch, for the links of grafana-watch',
    }),
    label: objectLabels(),
  },
  request: ({ format, component, job, selector, nodeLabel, for: holdFor, docsUrl, watchUrl, label }, operands) => {
    noneOf(operands, 'rules');
    const value = job ?? (component === 'kubelet' ? 'kubelet' : '.+');
    const selected = selector ?? [{ label: 'job', operator: '=~', value } as const];
    return { format, labels: label, watchUrl, rules: { component, matchers: selected, nodeLabel, holdFor, docsUrl } };
  },
});

export const command: Command = defineCommand(line, printRules);

type Request = RequestOf<typeof line>;

async function printRules(request: Request, io: Io): Promise<number> {
  checkMatchers(request.rules);
  io.stdout.write(render(request));
  return EXIT.done;
}

function render({ format, rules, watchUrl, labels }: Request): string {
  if (format === 'grafana-watch') return renderJson(watchDashboardOf(watchUrl));
  if (format === 'grafana') return renderJson(dashboardOf(rules));
  if (format === 'recording') return prometheusRules(fleetRecords(rules));
  const groups = ruleGroups(rules);
  if (format === 'prometheus') return prometheusRules(groups);
  return operatorRules(groups, { name: `oakum-${rules.component}`, labels });
}

/** Checks expressions now: Prometheus would reject them only when it loads the rule. */
function checkMatchers({ matchers }: RuleOptions): void {
  for (const { label, operator, value } of matchers) {
    if (!operator.endsWith('~')) continue;
    try {
      compileGoRegexp(value);
    } catch (error) {
      throw new Failure('usage', `the matcher ${label}${operator}${shown(value)}: ${expected(error).message}`);
    }
  }
}

/** Without the slash that a path begins with. */
function webAddress(text: string): string | undefined {
  if (!URL.canParse(text) || hasHidden(text) || text.includes('$')) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text.replace(/\/+$/, '') : undefined;
}

function labelName(text: string): string | undefined {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(text) ? text : undefined;
}

/** A label of a Kubernetes object. */
const OBJECT_LABEL =
  /^((?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)=([A-Za-z0-9._-]{0,63})$/;

function objectLabels(): Option<Readonly<Record<string, string>>> {
  return {
    placeholder: 'KEY=VALUE',
    help: 'a label of the PrometheusRule, for Prometheus servers that select by labels',
    repeats: true,
    read: (texts, flag) =>
      Object.fromEntries(
        texts.map(text => {
          const [, key, value] = OBJECT_LABEL.exec(text) ?? [];
          if (key === undefined || value === undefined)
            throw new Failure('usage', `${flag} takes KEY=VALUE, not ${shown(text)}`);
          return [key, value];
        }),
      ),
  };
}

/** As Prometheus writes it: each unit once, the largest first. */
function isDuration(text: string): boolean {
  return text !== '' && /^(?:\d{1,9}w)?(?:\d{1,9}d)?(?:\d{1,9}h)?(?:\d{1,9}m)?(?:\d{1,9}s)?$/.test(text);
}
