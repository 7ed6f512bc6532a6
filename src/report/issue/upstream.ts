/** A report to the maintainers, in the order of Kubernetes' bug template, ready to paste. */
import type { IssueFacts } from './issue-facts.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { resourceOf } from '../../evidence/resource.ts';
import {
  document,
  evidenceLines,
  growthTable,
  knownLines,
  livesPhrase,
  measuredTables,
  reported,
  signature,
  stacks,
  targetPhrase,
  unknownLines,
  whyLines,
  type Unknown,
} from './parts.ts';
import { code, fenced, prose } from '../markdown.ts';

export function renderUpstream(facts: IssueFacts): string {
  const { analysis, targets, environment } = facts;
  const findings = reported(facts);
  return document([
    ...alreadyKnown(facts),
    '### What happened?',
    '',
    prose(analysis.sentence),
    '',
    ...targets.map(
      target => `- ${targetPhrase(target)}${livesPhrase(target) === '' ? '' : `; ${prose(livesPhrase(target))}`}`,
    ),
    '',
    ...growthTable(findings),
    ...stacks(findings),
    '### What did you expect to happen?',
    '',
    expectation(facts),
    '',
    '### How can we reproduce it (as minimally and precisely as possible)?',
    '',
    ...reproduction(facts),
    '',
    '### Anything else we need to know?',
    '',
    mayLeak(analysis.verdict) ? 'Why this looks like a leak:' : 'What was seen:',
    '',
    ...whyLines(facts),
    '',
    'Known leaks:',
    '',
    ...knownLines(facts),
    '',
    ...measuredTables(facts),
    'Evidence, which can be attached (`oakum bundle`):',
    '',
    ...evidenceLines(facts),
    '',
    'Not known yet:',
    '',
    ...unknownLines(unknownsOf(facts)),
    '',
    '### Kubernetes version',
    '',
    ...fenced(versionLines(facts)),
    '',
    '### Cloud provider',
    '',
    environment.providers.length === 0
      ? todo('kubectl get nodes -o jsonpath="{.items[*].spec.providerID}"')
      : list(environment.providers),
    '',
    '### OS version',
    '',
    ...(environment.osImages.length + environment.kernels.length === 0
      ? [todo('cat /etc/os-release; uname -a')]
      : fenced([
          ...environment.osImages,
          ...environment.kernels.map(kernel => `kernel ${kernel}`),
          ...environment.architectures,
        ])),
    '',
    '### Install tools',
    '',
    todo(''),
    '',
    '### Container runtime (CRI) and version (if applicable)',
    '',
    environment.runtimes.length === 0 ? todo('crictl version') : list(environment.runtimes),
    '',
    '### Related plugins (CNI, CSI, ...) and versions (if applicable)',
    '',
    todo('kubectl get daemonsets -A -o wide'),
    '',
    '---',
    signature(facts),
  ]);
}

/** A maintainer's first question. */
function alreadyKnown(facts: IssueFacts): string[] {
  const fixed = reported(facts)
    .flatMap(({ matches }) => matches)
    .find(match => match.affected === 'affected' && match.fixedIn.length > 0 && match.grade !== 'possible');
  if (fixed === undefined) return [];
  return [
    `> **Before you file this**: it looks like ${code(fixed.ref)} (${fixed.grade}), fixed in ${prose(fixed.fixedIn.join(', '))}. Upgrade first; add this evidence to that issue if it stays.`,
    '',
  ];
}

function expectation({ analysis, targets }: IssueFacts): string {
  const resources = [...new Set(analysis.findings.map(({ resource }) => resourceOf(resource)))].join(' and ');
  const pods = targets
    .flatMap(({ lives }) => lives.flatMap(({ measured }) => measured.filter(({ what }) => what === 'running pods')))
    .find(({ from, to }) => Math.abs(to - from) <= Math.max(2, from * 0.1));
  const load =
    pods === undefined
      ? 'once the load is steady'
      : `while ${pods.from === pods.to ? pods.to : `${pods.from} to ${pods.to}`} pods run`;
  return resources === '' ? 'Nothing that grows.' : `No growth of ${prose(resources)} ${load}.`;
}

function reproduction(facts: IssueFacts): string[] {
  const perOperation = reported(facts).find(({ growth }) => growth?.perOperation != null)?.growth?.perOperation;
  const rate = perOperation == null ? [] : [`Measured: ${perOperation.toPrecision(3)} per operation.`, ''];
  return [...rate, '_to be filled in: the counts before, after N operations, and after cleaning up_'];
}

function versionLines({ targets }: IssueFacts): string[] {
  const lines = targets.flatMap(({ component, version, goVersion, buildId, platform, cgroupVersion, unusualGates }) => {
    const parts = [
      `${component ?? 'process'} ${version ?? 'of an unknown version'}`,
      goVersion ?? '',
      platform ?? '',
      buildId === undefined ? '' : `build id ${buildId}`,
      cgroupVersion !== 1 && cgroupVersion !== 2 ? '' : `cgroup v${cgroupVersion}`,
    ];
    const gates = unusualGates.length === 0 ? [] : [`feature gates: ${unusualGates.join(' ')}`];
    return [parts.filter(part => part !== '').join(', '), ...gates];
  });
  return [...new Set(lines)];
}

function list(values: readonly string[]): string {
  return values.map(code).join(', ');
}

function todo(command: string): string {
  return command === '' ? '_to be filled in_' : `_to be filled in:_ ${code(command)}`;
}

/** What a maintainer will ask and the evidence does not answer, with the command that does. */
function unknownsOf(facts: IssueFacts): Unknown[] {
  const { environment, targets, analysis } = facts;
  const unknowns: Unknown[] = analysis.missing.map(({ what, why, command }) => ({ what, why, command }));
  const add = (what: string, why: string, command: string): void => void unknowns.push({ what, why, command });
  const measured = (what: string): boolean =>
    targets.some(({ lives }) => lives.some(life => life.measured.some(one => one.what === what)));
  if (!measured('resident memory')) {
    add(
      'resident memory over time, with one restart in it',
      'separates a leak from memory that is not returned',
      'oakum capture TARGET -o DIR',
    );
  }
  if (targets.some(({ component }) => component === 'kubelet')) {
    if (!measured('running pods')) {
      add(
        'the number of pods on the node, and whether it changed',
        'growth that follows the pods is not a leak',
        'kubectl get pods -A --field-selector spec.nodeName=$NODE -o name | wc -l',
      );
    }
    add(
      'how often pods come and go, and how many have probes',
      'most leaks are per operation',
      'kubectl get events -A --field-selector involvedObject.kind=Pod',
    );
    add(
      'what the container runtime says at the same time',
      'a hung runtime looks like a leaking kubelet',
      'crictl stats; crictl ps -a | wc -l',
    );
  }
  if (environment.capacities.length === 0)
    add('the size of the node', '', "kubectl get node $NODE -o jsonpath='{.status.capacity}'");
  add('the last version that did not leak', 'a good and a bad version lead to the commit', '');
  add('the smallest way to reproduce it, with counts', 'before, after N operations, after cleaning up', '');
  return unknowns;
}
