/**
 * Finds the process of a target in a continuous profiler. What scrapes profiles labels them as it likes, so it asks:
 *
 *     node/worker-17    node="worker-17", or its name or address as instance or hostname; only a kubelet is taken
 *     pod/ns/kcp-0      namespace="ns",pod="kcp-0"
 *     http://host:6060  instance="host:6060"
 */
import { hostAndPort, quotedText, regexpText } from '../base/matcher-text.ts';
import { parseTargetRef, type TargetRef } from '../evidence/target.ts';
import type { PastLabels, PastProfiles, PastQuery, ProfileHistory } from './ports.ts';

export interface PastTarget {
  /** `node/worker-17`, or a name from labels. */
  readonly name: string;
  /** Those of the node, as the API server knows them. */
  readonly addresses: readonly string[];
  /** Where pods are whose target names none. */
  readonly namespace: string;
  /** Label matchers that the user gave for this target, instead of those from its name; '' for none. */
  readonly match: string;
  /** Label matchers that the user gave for all targets, beside those from its name; '' for none. */
  readonly also: string;
}

export interface FoundProcess {
  readonly selector: string;
  /** One or two: heap and goroutines. */
  readonly profiles: readonly PastProfiles[];
}

/** The process, or why it is not known. */
export async function findProcess(
  history: ProfileHistory,
  target: PastTarget,
  query: Omit<PastQuery, 'selector' | 'accepts'>,
): Promise<FoundProcess | string> {
  const asked: string[] = [];
  for (const { selector, accepts } of choicesFor(target)) {
    asked.push(`{${selector}}`);
    const found = await history.find({ ...query, selector, accepts });
    const [first, ...others] = bySelector(found);
    if (first === undefined) continue;
    if (others.length === 0) return first;
    const shown = [first, ...others].slice(0, 3).map(one => `{${one.selector}}`);
    return `${others.length + 1} of its processes may be ${target.name}: ${shown.join(' or ')}; name one with --profiles`;
  }
  if (asked.length === 0) return `nothing in its labels tells ${target.name}; name it with --profiles`;
  return `it has no heap or goroutine profile of ${target.name} (${asked.join(', ')}) in that time; look further back with --since, or name it with --profiles`;
}

interface Choice {
  readonly selector: string;
  readonly accepts?: ((labels: PastLabels) => boolean) | undefined;
}

function choicesFor({ name, addresses, namespace, match, also }: PastTarget): Choice[] {
  if (match !== '') return [{ selector: match }];
  const ref = parseTargetRef(name, namespace === '' ? undefined : namespace);
  const choices = typeof ref === 'string' ? choicesForName(name) : choicesForRef(ref, addresses);
  return choices.map(one => ({ ...one, selector: [one.selector, also].filter(part => part !== '').join(',') }));
}

function choicesForRef(ref: TargetRef, addresses: readonly string[]): Choice[] {
  switch (ref.kind) {
    case 'node':
      return ofNode(ref.name, addresses);
    case 'pod': {
      const namespace = ref.namespace === undefined ? '' : `namespace=${quotedText(ref.namespace)},`;
      return [{ selector: `${namespace}pod=${quotedText(ref.name)}` }];
    }
    case 'url':
      return [{ selector: `instance=${quotedText(hostAndPort(ref.url))}` }];
    case 'apiserver':
      return [
        { selector: `service_name=~"(.*/)?kube-apiserver"` },
        { selector: `job=~"kube-apiserver|apiserver|kubernetes-apiservers"` },
      ];
    // Only what runs beside it can scrape a socket, and nothing tells under which name.
    case 'unix':
      return [];
  }
}

function ofNode(name: string, addresses: readonly string[]): Choice[] {
  const names = [name, ...addresses].map(regexpText);
  return [
    `node=${quotedText(name)}`,
    `instance=~${quotedText(`(${names.join('|')})(:[0-9]+)?`)}`,
    `hostname=${quotedText(name)}`,
  ].map(selector => ({ selector, accepts: isKubelet }));
}

/** A target that a Prometheus knows, by its node or instance. */
function choicesForName(name: string): Choice[] {
  return [
    { selector: `instance=${quotedText(name)}` },
    { selector: `node=${quotedText(name)}`, accepts: isKubelet },
    { selector: `pod=${quotedText(name)}` },
  ];
}

const KIND_LABELS = ['service_name', 'job', 'container', 'comm', 'app'];

/** The pods on a node have its label, too. */
function isKubelet(labels: PastLabels): boolean {
  return KIND_LABELS.some(label => /(?:^|[/_-])kubelet$/.test(labels[label] ?? ''));
}

function bySelector(found: readonly PastProfiles[]): FoundProcess[] {
  const processes = new Map<string, PastProfiles[]>();
  for (const one of found) processes.set(one.selector, [...(processes.get(one.selector) ?? []), one]);
  return [...processes].map(([selector, profiles]) => ({ selector, profiles }));
}
