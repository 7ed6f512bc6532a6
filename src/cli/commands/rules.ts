/** `oakum rules`: alert and recording rules for Prometheus, or a Grafana dashboard over them. */
import { compileGoRegexp } from '../../pprof/units/go-regexp.ts';
import { dashboardOf } from '../../report/rules/dashboard.ts';
import { type Matcher, parseMatchers } from '../../report/rules/matchers.ts';
import { ruleGroups } from '../../report/rules/rule-set.ts';
import { operatorRules, prometheusRules } from '../../report/rules/rules-yaml.ts';
import type { RuleOptions } from '../../report/rules/scope.ts';
import { hasHidden } from '../../base/visible-text.ts';
import { EXIT } from '../../base/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum rules --format prometheus|operator|grafana [options]

  oakum rules > oakum-rules.yaml && promtool check rules oakum-rules.yaml
  oakum rules --format operator --label release=monitoring | kubectl apply -n monitoring -f -
  oakum rules --format grafana > oakum-dashboard.json
  oakum rules --component any --job 'kube-apiserver|etcd'      any Go process

Prints rules that alert on growth of goroutines, live heap, file descriptors, threads and metric series that pods do
not explain, on time to a limit, and on what follows; severity warning is watch, critical is leak. The dashboard shows
what they record. Give both the same options. What such rules cannot do, and oakum detect can: docs/rules.md.

      --format FORMAT      prometheus (a file of rules), operator (a PrometheusRule) or grafana (a dashboard)
      --component NAME     kubelet, or any: without pods, PLEG and container runtime
      --job REGEX          the processes' job; kubelet, or for any component all jobs
      --selector MATCHERS  the same by any labels: 'job="kubelet", cluster=~"prod-.*"'
      --node-label LABEL   the label with the node's name (node)
      --for DURATION       how long a trend must hold before it alerts (6h); a step may pass for watch below 2h
      --docs-url URL       where your people read docs/rules.md, for runbook_url
      --label KEY=VALUE    a label of the PrometheusRule, which its Prometheus may select by (may be repeated)
`;

const FORMATS = ['prometheus', 'operator', 'grafana'] as const;

interface Request {
  readonly format: (typeof FORMATS)[number];
  readonly rules: RuleOptions;
  readonly labels: Readonly<Record<string, string>>;
}

const OPTIONS = {
  format: { type: 'string', default: 'prometheus' },
  component: { type: 'string', default: 'kubelet' },
  job: { type: 'string' },
  selector: { type: 'string' },
  'node-label': { type: 'string', default: 'node' },
  for: { type: 'string', default: '6h' },
  'docs-url': { type: 'string', default: 'docs/rules.md' },
  label: { type: 'string', multiple: true },
} as const;

export async function runRules(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'rules', help: USAGE, options: OPTIONS, parse };
  return runRequest(
    usage,
    argv,
    io,
    async request => {
      io.stdout.write(render(request));
      return EXIT.done;
    },
    programName,
  );
}

function render({ format, rules, labels }: Request): string {
  if (format === 'grafana') return `${JSON.stringify(dashboardOf(rules), null, 2)}\n`;
  const groups = ruleGroups(rules);
  if (format === 'prometheus') return prometheusRules(groups);
  return operatorRules(groups, { name: `oakum-${rules.component}`, labels });
}

/** The request, or what is wrong with the arguments. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  if (positionals.length > 0) return `rules takes no argument, got ${JSON.stringify(positionals[0])}`;
  const format = FORMATS.find(known => known === values.format);
  if (format === undefined) return `--format is prometheus, operator or grafana, not ${JSON.stringify(values.format)}`;
  const { component } = values;
  if (component !== 'kubelet' && component !== 'any')
    return `--component is kubelet or any, not ${JSON.stringify(component)}`;
  const matchers = selection(values.job, values.selector, component);
  if (typeof matchers === 'string') return matchers;
  const nodeLabel = values['node-label'];
  if (!LABEL_NAME.test(nodeLabel)) return `--node-label takes the name of a label, not ${JSON.stringify(nodeLabel)}`;
  if (!isDuration(values.for)) return `--for takes a duration such as 30m or 6h, not ${JSON.stringify(values.for)}`;
  const docsUrl = values['docs-url'];
  if (hasHidden(docsUrl) || docsUrl.includes('{{'))
    return `--docs-url takes an address, not ${JSON.stringify(docsUrl)}`;
  const labels: Record<string, string> = {};
  for (const label of values.label ?? []) {
    const [, key, value] = OBJECT_LABEL.exec(label) ?? [];
    if (key === undefined) return `--label takes KEY=VALUE, not ${JSON.stringify(label)}`;
    labels[key] = value;
  }
  return { format, labels, rules: { component, matchers, nodeLabel, holdFor: values.for, docsUrl } };
}

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** A label of a Kubernetes object. */
const OBJECT_LABEL =
  /^((?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)=([A-Za-z0-9._-]{0,63})$/;

/** As Prometheus writes it: each unit once, the largest first. */
function isDuration(text: string): boolean {
  return text !== '' && /^(?:\d{1,9}w)?(?:\d{1,9}d)?(?:\d{1,9}h)?(?:\d{1,9}m)?(?:\d{1,9}s)?$/.test(text);
}

function selection(job: string | undefined, selector: string | undefined, component: string): Matcher[] | string {
  if (selector === undefined) {
    const value = job ?? (component === 'kubelet' ? 'kubelet' : '.+');
    return regexpProblem('--job', value) ?? [{ label: 'job', operator: '=~', value }];
  }
  if (job !== undefined) return 'give --job or --selector, not both';
  const matchers = parseMatchers(selector);
  if (matchers === undefined) return `--selector takes matchers such as job="kubelet", not ${JSON.stringify(selector)}`;
  const problem = matchers
    .filter(({ operator }) => operator.endsWith('~'))
    .map(({ label, value }) => regexpProblem(`--selector: ${label}`, value))
    .find(text => text !== undefined);
  return problem ?? matchers;
}

function regexpProblem(where: string, source: string): string | undefined {
  if (source === '' || hasHidden(source)) return `${where} takes a regular expression, not ${JSON.stringify(source)}`;
  try {
    compileGoRegexp(source);
    return undefined;
  } catch (error) {
    return `${where}: ${(error as Error).message}`;
  }
}
