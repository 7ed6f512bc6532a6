/** What grew between two profiles, in one sentence. */
import { formatAge, formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { Growth } from '../../src/judge/growth/growth.ts';
import { isToBlame } from '../../src/knowledge/signature.ts';
import type { FamilyCount } from '../../src/profile/families/family.ts';
import { isStd } from '../../src/profile/families/shared-packages.ts';
import type { GrowthView } from '../reader/messages.ts';
import { type OpenedProfile, unitOf } from '../reader/open-profile.ts';
import { parseFrame, shortSymbol } from '../widgets/short-names.ts';
import { type CallTree, frameName } from './call-tree.ts';
import { functionTotals } from './function-totals.ts';
import { changeText, shareText, valueText } from '../widgets/value-text.ts';
import { normaliseFrame, packageOf, shortName } from '../../src/profile/families/normalise.ts';

/** What is in a profile, in one sentence. `tree` has the current sample type and filters. */
export function profileAnswer(opened: OpenedProfile, tree: CallTree, sampleType: string): string {
  const { families } = opened;
  const [largest] = families?.counts ?? [];
  if (families === undefined || largest === undefined) return topFunction(opened, tree, sampleType);
  const count = families.counts.length;
  const inFamilies = `in ${formatCount(count)} ${count === 1 ? 'family' : 'families'}`;
  const knownLeak = knownLeakOf(opened, largest);
  if (families.kind === 'goroutine') {
    const all = `${formatCount(families.total)} ${families.total === 1 ? 'goroutine' : 'goroutines'}`;
    return `${all} ${inFamilies}; ${whereGoroutines(largest)}.${knownLeak}`;
  }
  const size = `${valueText(largest.bytes, 'bytes')} (${shareText(largest.bytes, families.total)})`;
  const objects = largest.count === 0 ? '' : `, ${formatCount(largest.count)} objects`;
  return `${valueText(families.total, 'bytes')} live ${inFamilies}; ${size} in ${visible(largest.family.title)}${objects}.${knownLeak}`;
}

/** `50 blocked in chan send at main.go:88, longest 12m` */
function whereGoroutines(largest: FamilyCount): string {
  const count = formatCount(largest.count);
  const [state] = [...largest.states].toSorted((a, b) => b[1] - a[1])[0] ?? [''];
  const place = ownFrameLocation(largest.example);
  const where = place === '' ? `in ${visible(largest.family.title)}` : `at ${visible(place)}`;
  const longest = largest.waitMinutes === undefined ? '' : `, longest ${formatAge(largest.waitMinutes.max * 60)}`;
  if (state === '') return `${count} ${where}${longest}`;
  return `${count} ${stateText(state)} ${where}${longest}`;
}

function stateText(state: string): string {
  if (/^(?:running|runnable|idle|dead|copystack)/.test(state)) return visible(state);
  return `${state.startsWith('syscall') ? 'in' : 'blocked in'} ${visible(state)}`;
}

/** The file and line of the first frame outside Go's standard library. */
function ownFrameLocation(example: readonly string[]): string {
  const frames = example.map(parseFrame).filter(({ place }) => place !== '');
  const own = frames.find(({ name }) => !isStd(packageOf(normaliseFrame(name)))) ?? frames[0];
  return own === undefined ? '' : own.place.slice(own.place.lastIndexOf('/') + 1);
}

/** Only for the largest family: in a healthy process many smaller ones look like a known leak. */
function knownLeakOf({ matches }: OpenedProfile, { family }: FamilyCount): string {
  const match = matches.get(family.id)?.[0];
  if (match === undefined) return '';
  const made = isToBlame(match, family.frames) ? '' : `, made by ${visible(shortName(match.culprit))}`;
  return ` It may be ${visible(match.ref)}${made}.`;
}

/** For profiles without families, by function: `12.4 s of cpu in 30 s; 38 % in runtime.mallocgc itself.` */
function topFunction(opened: OpenedProfile, tree: CallTree, sampleType: string): string {
  const unit = unitOf(opened.sampleTypes, sampleType);
  const [total = 0] = tree.total;
  const within = opened.durationSeconds > 0 ? ` in ${valueText(opened.durationSeconds, 'seconds')}` : '';
  const all = `${valueText(total, unit)} of ${visible(sampleType)}${within}`;
  const [top] = functionTotals(tree);
  if (top === undefined || top.flat === 0) return `${all}; no stack has a value.`;
  const share = shareText(top.flat, total);
  return `${all}; ${share} in ${shortSymbol(frameName(tree, top.frame))} itself.`;
}

/** `+50 goroutines (91 % of the growth of 55) in cache.(*processorListener).run; 485 → 535 goroutines in total.` */
export function familiesAnswer(view: GrowthView): string {
  const { growths, matches } = view;
  const [first] = growths;
  if (first === undefined) return 'Both profiles are empty.';
  const isHeap = first.family.kind === 'heap';
  const text = (amount: number): string => valueText(amount, isHeap ? 'bytes' : 'count');
  const sum = (of: (growth: Growth) => number): number => growths.reduce((total, growth) => total + of(growth), 0);
  const all = `${text(sum(({ from }) => from))} → ${text(sum(({ to }) => to))}${isHeap ? ' live' : ' goroutines'} in total`;
  const grown = sum(({ delta }) => Math.max(delta, 0));
  const worst = growths.find(({ significant }) => significant);
  if (worst === undefined) {
    const most = growths.reduce((a, b) => (b.delta > a.delta ? b : a));
    if (most.delta <= 0) return `Nothing grew: ${all}.`;
    const largest = `the largest change is ${change(most, text, isHeap)} in ${visible(most.family.title)}`;
    return `Not proved by these two alone: ${largest}; ${all}.${knownLeak(view, most)}`;
  }
  const [match] = matches.get(worst.family.id) ?? [];
  if (match !== undefined && !isToBlame(match, worst.family.frames)) {
    const ofLeak = growths.filter(({ delta, family }) => delta > 0 && matches.get(family.id)?.[0]?.id === match.id);
    const delta = ofLeak.reduce((total, growth) => total + growth.delta, 0);
    const families = ofLeak.length === 1 ? 'a family that looks' : `${ofLeak.length} families that look`;
    const made = `made by ${visible(shortName(match.culprit))}, in ${families} like ${visible(match.ref)}`;
    return `+${text(delta)} (${ofGrowth(delta, grown, text)}) ${made}; ${all}.`;
  }
  return `${change(worst, text, isHeap)} (${ofGrowth(worst.delta, grown, text)}) in ${visible(worst.family.title)}; ${all}.`;
}

/** Where the change is too small to prove it, what it looks like still helps. */
function knownLeak({ matches }: GrowthView, { family }: Growth): string {
  const [match] = matches.get(family.id) ?? [];
  if (match === undefined) return '';
  const made = isToBlame(match, family.frames) ? '' : `, made by ${visible(shortName(match.culprit))}`;
  return ` It may be ${visible(match.ref)}${made}.`;
}

/** What shrank is not in it, so it may be more than the difference of the totals. */
function ofGrowth(delta: number, grown: number, text: (amount: number) => string): string {
  return `${shareText(delta, grown)} of the growth${delta < grown ? ` of ${text(grown)}` : ''}`;
}

/**
 * The same where other evidence proves the growth: two profiles alone may not, because heap profiles are samples.
 *
 *     +8.5 MiB in 64,223 more objects in kubelet.(*podWorkers).startPodSync, of 11.7 MiB
 */
export function largestChange(view: GrowthView): string {
  const { growths } = view;
  if (growths.some(({ significant }) => significant)) return familiesAnswer(view);
  const most = growths.reduce<Growth | undefined>((a, b) => (a === undefined || b.delta > a.delta ? b : a), undefined);
  if (most === undefined || most.delta <= 0) return familiesAnswer(view);
  const isHeap = most.family.kind === 'heap';
  const text = (amount: number): string => valueText(amount, isHeap ? 'bytes' : 'count');
  const all = growths.reduce((total, { delta }) => total + delta, 0);
  return `${change(most, text, isHeap)} in ${visible(most.family.title)}, of ${text(all)} in all.`;
}

/** `+50 goroutines`, `+20.1 MiB in 44,310 more objects`. */
function change({ delta, points }: Growth, text: (amount: number) => string, isHeap: boolean): string {
  if (!isHeap) return `${delta > 0 ? '+' : ''}${text(delta)} ${Math.abs(delta) === 1 ? 'goroutine' : 'goroutines'}`;
  const objects = (points.at(-1)?.count ?? 0) - (points[0]?.count ?? 0);
  const more = objects > 0 ? ` in ${formatCount(objects)} more objects` : '';
  return `${delta > 0 ? '+' : ''}${text(delta)}${more}`;
}

/** For profiles without families: the function whose flat value grew the most. */
export function functionsAnswer(tree: CallTree, unit: string): string {
  const [before = 0] = tree.before?.total ?? [];
  const [after = 0] = tree.total;
  const all = `${valueText(before, unit)} → ${valueText(after, unit)} in total`;
  const changes = functionTotals(tree).map(({ frame, flat, flatBefore }) => ({ frame, grown: flat - flatBefore }));
  const grown = changes.reduce((sum, entry) => sum + Math.max(entry.grown, 0), 0);
  const most = changes.reduce((a, b) => (b.grown > a.grown ? b : a), { frame: -1, grown: 0 });
  if (most.frame < 0) return `Nothing grew: ${all}.`;
  const share = shareText(most.grown, grown);
  return `${changeText(most.grown, unit)} (${share} of the growth) in ${shortSymbol(frameName(tree, most.frame))} itself; ${all}.`;
}
