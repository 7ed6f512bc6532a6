/** What a restart is expected to do, when the leak is back, and when it will be known. */
import { formatAge, formatBytes, formatCount } from '../../base/say.ts';
import { compareVersions, parseVersion } from '../../knowledge/version.ts';
import type { KubeletFacts, NodeFacts, NodeFinding, PodFacts } from './cluster-facts.ts';
import type { ExpectedEffect, PlanAction } from './plan.ts';
import type { ResourceUnit } from '../../evidence/resource.ts';
import { alsoRestarts } from './distribution.ts';

/** From this version on a restart leaves the status of running containers as it is (kubernetes#134746). */
const KEEPS_STATUS = '1.35.0';

function keepsPodStatus(kubeletVersion: string): boolean {
  const [version, since] = [parseVersion(kubeletVersion), parseVersion(KEEPS_STATUS)];
  return version !== undefined && since !== undefined && compareVersions(version, since) >= 0;
}

export interface EffectFacts {
  readonly action: PlanAction;
  readonly node: NodeFacts;
  readonly pods: readonly PodFacts[];
  readonly finding: NodeFinding | undefined;
  readonly kubelet: KubeletFacts | undefined;
  readonly atSeconds: number;
  /** The pods are gone by then. */
  readonly isDrained: boolean;
}

export function expectedEffect(facts: EffectFacts): ExpectedEffect {
  const { action, node, finding, isDrained } = facts;
  const isRestart = action === 'restart';
  const level = isRestart ? levelOfYouth(facts) : null;
  const returnsInHours = isRestart ? returnTime(facts, level) : null;
  const blinkingPods = isRestart && !isDrained && !keepsPodStatus(node.kubeletVersion) ? blinking(facts.pods) : [];
  return {
    sentence: sentenceOf(action, finding?.unit ?? null, level, returnsInHours),
    level,
    returnsInHours,
    blinks: isRestart ? blinksOf(facts, blinkingPods.length) : [],
    blinkingPods,
  };
}

const MIN_SHARE_OF_YOUTH = 0.05;

/** Back to where it began: the level less what it grew by since the process started. */
function levelOfYouth({ finding, kubelet, atSeconds }: EffectFacts): number | null {
  if (finding === undefined || finding.level === null || finding.slopePerHour === null) return null;
  const start = kubelet?.processStartSeconds ?? null;
  if (start === null || finding.slopePerHour <= 0) return null;
  const grown = (finding.slopePerHour * Math.max(0, atSeconds - start)) / 3600;
  const youth = Math.round(finding.level - grown);
  // A leak that began late, or slower, grew by less: then nobody knows where it began.
  return youth < finding.level * MIN_SHARE_OF_YOUTH ? null : youth;
}

/** From youth to the limit, at the slope of before. */
function returnTime({ finding }: EffectFacts, level: number | null): ExpectedEffect['returnsInHours'] {
  if (finding === undefined || finding.timeToLimitHours === null) return null;
  const { level: now, slopePerHour, timeToLimitHours } = finding;
  const regained = level === null || now === null || !slopePerHour ? 0 : Math.max(0, now - level) / slopePerHour;
  const [low, high] = timeToLimitHours;
  return [rounded(low + regained), high === null ? null : rounded(high + regained)];
}

/** The time from a restart to the limit, which is also how long an intrinsic leak may not be restarted again. */
export function returnHours(effect: Pick<ExpectedEffect, 'returnsInHours'>): number | null {
  return effect.returnsInHours?.[0] ?? null;
}

function blinking(pods: readonly PodFacts[]): string[] {
  return pods
    .filter(({ isRunning, isReady, isTerminating, hasProbe }) => isRunning && isReady && !isTerminating && hasProbe)
    .map(({ namespace, name }) => `${namespace}/${name}`)
    .sort();
}

function blinksOf({ node, pods, isDrained }: EffectFacts, blinkingCount: number): string[] {
  const lines = ['exec, attach, port-forward and logs -f through this kubelet end; image pulls start over'];
  if (!isDrained && keepsPodStatus(node.kubeletVersion))
    lines.push(`no pod blinks: from 1.35 on a restart keeps the status of running containers`);
  else if (!isDrained)
    lines.push(
      `${formatCount(blinkingCount)} Ready pods with a readiness or startup probe leave their EndpointSlices until their first probe succeeds`,
    );
  const statics = pods.filter(({ isMirror }) => isMirror).length;
  if (statics > 0) lines.push(`${formatCount(statics)} static ${statics === 1 ? 'pod goes' : 'pods go'} on running`);
  const more = alsoRestarts(node);
  if (more !== '') lines.push(more);
  return lines;
}

function sentenceOf(
  action: PlanAction,
  unit: ResourceUnit | null,
  level: number | null,
  returns: ExpectedEffect['returnsInHours'],
): string {
  switch (action) {
    case 'cordon':
      return 'no new pods are scheduled to the node; the kubelet goes on as before';
    case 'drain':
      return 'the pods move elsewhere and the node stays cordoned; the kubelet goes on as before, and keeps what it leaked';
    case 'replace':
      return 'the node is emptied and replaced; the leak comes back unless the new node has a fixed version';
    case 'restart': {
      const what = unit === 'count' ? 'the count is' : 'memory is';
      const back = level === null ? `${what} back to where it began` : `${what} back to about ${amount(level, unit)}`;
      if (returns === null) return `${back}; if the leak is intrinsic it comes back at the same rate`;
      return `${back}; if the leak is intrinsic it is at the limit again in ${hoursText(returns)}`;
    }
  }
}

function amount(value: number, unit: ResourceUnit | null): string {
  return unit === 'count' ? formatCount(value) : formatBytes(value);
}

function hoursText([low, high]: readonly [number, number | null]): string {
  const [from, to] = [formatAge(low * 3600), high === null ? undefined : formatAge(high * 3600)];
  return to === undefined ? `${from} or more` : from === to ? from : `${from} to ${to}`;
}

function rounded(hours: number): number {
  return Math.round(hours * 10) / 10;
}

/** z(1 - 1e-4) + z(0.95): what proves a slope. */
const PROOF = 5.36;
/** The noise of a quiet kubelet's live heap and goroutines, correlated over an hour. */
const NOISE: Readonly<Record<ResourceUnit, number>> = { bytes: 1.1e6, count: 5 };
const MIN_HOURS = 1;

/** Hours until one node proves that its slope is back: T^3 = k^2 * 24 s^2 c / slope^2, with c = 1 h. */
export function hoursToDecide(slopePerHour: number | null, unit: ResourceUnit | null): number | null {
  if (slopePerHour === null || slopePerHour <= 0) return null;
  const noise = NOISE[unit ?? 'bytes'];
  return rounded(Math.max(MIN_HOURS, Math.cbrt((PROOF ** 2 * 24 * noise ** 2) / slopePerHour ** 2)));
}
