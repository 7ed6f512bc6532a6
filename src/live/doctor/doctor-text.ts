/** The result of `oakum doctor` as text. */
import { table, wrap } from '../../base/text-layout.ts';
import type { DoctorReport, EndpointCheck, NodeCensus, PrometheusCheck, ProcessFacts } from './doctor.ts';
import { type Explanation, GO_WITHOUT_IT } from './explanation.ts';
import { targetKind } from '../../evidence/target.ts';
import { formatAge, formatBytes, formatCount } from '../../base/say.ts';
import { visible } from '../../base/visible-text.ts';
import type { Style } from '../../report/layout.ts';

export function renderDoctor(report: DoctorReport, style: Style, width: number): string {
  const title = (text: string): string => style.strong(text);
  const item = (text: string): string[] =>
    wrap(visible(text), width - 4).map((line, i) => `${i === 0 ? '  - ' : '    '}${line}`);
  const lines: string[] = [title(`${visible(report.target)}${processText(report.process)}`)];
  lines.push(...wrap(`asked ${wayText(report)}`, width - 2).map(line => `  ${line}`));
  if (report.process !== undefined && targetKind(report.target) === 'node')
    lines.push(...featureLines(report.process, width));
  if (report.nodes !== undefined) lines.push('', ...nodeLines(report.nodes, item));
  if (report.rights.length > 0) lines.push('', ...rightLines(report));
  lines.push('', ...endpointLines(report.endpoints, item));
  if (report.prometheus !== undefined) lines.push('', ...prometheusLines(report.prometheus, item));
  if (report.canProve.length > 0) lines.push('', title('CAN BE PROVED'), ...report.canProve.flatMap(item));
  if (report.cannotProve.length > 0)
    lines.push('', title('CANNOT'), ...report.cannotProve.flatMap(({ what, because }) => item(`${what}: ${because}`)));
  if (report.dangers.length > 0)
    lines.push('', title('DANGERS'), ...report.dangers.flatMap(({ what, advice }) => item(`${what}; ${advice}`)));
  return `${lines.join('\n')}\n`;
}

function processText(process: ProcessFacts | undefined): string {
  if (process === undefined) return '';
  const parts = [
    [process.version, process.goVersion].filter(part => part !== '').join(' '),
    process.upSeconds === undefined ? '' : `up ${formatAge(process.upSeconds)}`,
    process.goroutines === undefined ? '' : `${formatCount(process.goroutines)} goroutines`,
    process.residentBytes === undefined ? '' : `RSS ${formatBytes(process.residentBytes)}`,
    `${formatCount(process.seriesCount)} series`,
    process.cgroupVersion === undefined ? '' : `cgroup v${process.cgroupVersion}`,
  ];
  return `  ${visible(parts.filter(part => part !== '').join(', '))}`;
}

/** Feature gates that change what may leak in a kubelet; the rest is in -o json. */
const TELLING_GATES = ['EventedPLEG', 'PodCertificateRequest', 'GracefulNodeShutdown', 'KubeletFineGrainedAuthz'];

function featureLines({ featuresOn }: ProcessFacts, width: number): string[] {
  const on = TELLING_GATES.filter(gate => featuresOn.includes(gate));
  if (featuresOn.length === 0) return [];
  const text = `feature gates on: ${on.length === 0 ? 'none that matter here' : on.join(', ')} (${featuresOn.length} in all)`;
  return wrap(text, width - 2).map(line => `  ${line}`);
}

const WAYS: Readonly<Record<string, string>> = {
  'api-server-proxy': 'through the API server',
  'api-server': 'at the API server',
  kubelet: 'directly at the kubelet',
  http: 'at',
  unix: 'over the socket',
};

function wayText({ via, address, context, user }: DoctorReport): string {
  const who = user === undefined ? '' : ` as ${visible(user)}`;
  return `${WAYS[via] ?? 'at'} ${visible(address)}${context === undefined ? '' : ` (context ${visible(context)})`}${who}`;
}

function nodeLines(
  { total, notReady, versions, sample, problem }: NodeCensus,
  item: (text: string) => string[],
): string[] {
  if (problem !== undefined) return ['NODES', ...item(explained(problem))];
  const rows = versions.map(({ version, nodes }) => [visible(version), formatCount(nodes)]);
  const lines = table(['KUBELET', 'NODES'], rows);
  const names = notReady.slice(0, 5).map(visible).join(', ');
  if (notReady.length > 0)
    lines.push(`${notReady.length} of ${total} not ready: ${names}${notReady.length > 5 ? ', ...' : ''}`);
  if (sample !== undefined) lines.push(`the rest was checked on ${visible(sample)} only`);
  return lines;
}

function rightLines({ rights }: DoctorReport): string[] {
  const word = (allowed: boolean | undefined): string => (allowed === undefined ? 'unknown' : allowed ? 'yes' : 'no');
  return table(
    ['YOU MAY', '', 'WHICH OPENS'],
    rights.map(({ right, allowed, opens }) => [right, word(allowed), opens]),
  );
}

/** One row per path; a problem is explained once, however many paths have it. */
function endpointLines(endpoints: readonly EndpointCheck[], item: (text: string) => string[]): string[] {
  const word = ({ answers, problem, status }: EndpointCheck): string => {
    if (answers === 'no') return `no: ${problem?.kind ?? 'other'}${status === 0 ? '' : ` (${status})`}`;
    return answers === 'yes' ? 'yes' : 'not asked';
  };
  const rows = endpoints.map(endpoint => [endpoint.path, word(endpoint)]);
  const reasons = new Map<string, Explanation>();
  for (const { problem } of endpoints) {
    // Problems that differ in their path only are shown once, with the first path.
    if (problem !== undefined && !reasons.has(keyOf(problem))) reasons.set(keyOf(problem), problem);
  }
  const lines = table(['PATH', 'ANSWERS'], rows);
  return [...lines, ...[...reasons.values()].flatMap(problem => item(explained(problem)))];
}

function keyOf({ kind, sentence, nextStep }: Explanation): string {
  return `${kind}\0${sentence.replace(/\/[\w/.-]+/g, '')}\0${nextStep.replace(/\/[\w/.-]+/g, '')}`;
}

function explained({ sentence, nextStep }: Explanation): string {
  return nextStep === GO_WITHOUT_IT ? sentence : `${sentence}; next: ${nextStep}`;
}

function prometheusLines(check: PrometheusCheck, item: (text: string) => string[]): string[] {
  const lines = [`PROMETHEUS ${visible(check.address)}`];
  if (check.problem !== undefined) return [...lines, ...item(explained(check.problem))];
  const absent = check.series.filter(({ present }) => !present).map(({ name }) => name);
  const present = check.series.length - absent.length;
  lines.push(
    ...item(`${present} of ${check.series.length} series are there; jobs: ${check.jobs.join(', ') || 'none'}`),
  );
  if (absent.length > 0) lines.push(...item(`missing: ${absent.join(', ')}`));
  if (check.knowsTarget === false) lines.push(...item('it does not scrape this node under its name'));
  return lines;
}
