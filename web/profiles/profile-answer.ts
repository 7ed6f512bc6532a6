/** What is in a profile, in one sentence. */
import { formatAge, formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import { isStd } from '../../src/profile/families/shared-packages.ts';
import { normaliseFrame, packageOf, shortName } from '../../src/profile/go-name/normalise.ts';
import type { FamilyCount } from '../../src/profile/families/family.ts';
import { isToBlame } from '../../src/knowledge/signature.ts';
import { frameName, type CallTree } from '../call-tree/call-tree.ts';
import { functionTotals } from '../call-tree/function-totals.ts';
import { shortSymbol } from '../text/short-names.ts';
import { parseFrame } from '../text/stack-text.ts';
import { unitOf, type OpenedProfile } from '../reader/open-profile.ts';
import { shareText, valueText } from '../text/value-text.ts';

/** `tree` has the current sample type and filters. */
export function profileAnswer(opened: OpenedProfile, tree: CallTree, sampleType: string): string {
  const { families } = opened;
  const [largest] = families?.counts ?? [];
  if (families === undefined || largest === undefined) return functionsAnswer(opened, tree, sampleType);
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
function functionsAnswer(opened: OpenedProfile, tree: CallTree, sampleType: string): string {
  const unit = unitOf(opened.sampleTypes, sampleType);
  const [total = 0] = tree.total;
  const within = opened.durationSeconds > 0 ? ` in ${valueText(opened.durationSeconds, 'seconds')}` : '';
  const all = `${valueText(total, unit)} of ${visible(sampleType)}${within}`;
  const [top] = functionTotals(tree);
  if (top === undefined || top.flat === 0) return `${all}; no stack has a value.`;
  const share = shareText(top.flat, total);
  return `${all}; ${share} in ${shortSymbol(frameName(tree, top.frame))} itself.`;
}
