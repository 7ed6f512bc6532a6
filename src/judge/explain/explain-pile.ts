/**
 * Pastes explained: what each piece is and of which process, what it shows and what it does not, and the one command that
 * would decide.
 */
import { formatAge, formatBytes, formatCount, formatShare } from '../../base/say.ts';
import type { Level } from '../../evidence/formats/paste/level.ts';
import type { FunctionTable } from '../../evidence/formats/paste/function-table.ts';
import type { Paste } from '../../evidence/formats/paste/paste.ts';
import { OUTLIVED_TEST } from '../../evidence/formats/paste/stack-text.ts';
import type { FiledPaste, Pile } from '../../evidence/snapshots/read-pile.ts';
import type { Snapshot } from '../../evidence/snapshots/snapshot.ts';
import { causeOf, lifetimeOf } from '../../knowledge/cause-of.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import {
  fetchCommand,
  productIn,
  productOfFrames,
  productOfPod,
  productOfProcess,
  versionIn,
} from '../../knowledge/product.ts';
import type { FamilyCount } from '../../profile/families/family.ts';
import { isSharedFrame } from '../../profile/families/shared-packages.ts';
import { normaliseFrame } from '../../profile/families/normalise.ts';
import type { ShownEvidence } from '../analysis.ts';
import { groupBy } from '../../base/group-by.ts';
import { explainFunctions } from './explain-functions.ts';
import { explainLevels, type Weighed } from './explain-levels.ts';

/** What a paste says about the program that it is of. */
interface Told {
  readonly component: string | undefined;
  readonly version: string | undefined;
}

/** `docker info` names its daemon nowhere, but nothing else has a storage driver. */
const DOCKER_INFO = /^[ \t]*Storage Driver: \w/m;

/** By its stacks, then by the process or pod that its numbers name, then by what its text names most often. */
export function toldBy({ pieces, prose }: Paste): Told {
  const stacks = pieces.filter(piece => piece.kind === 'stacks');
  const frames = stacks.flatMap(({ text }) =>
    Array.from(text.matchAll(/^(?:#\t0x\S+\t(\S+)\+0x|(?:created by )?(\S+?)\(\)$)/gm), ([, a, b]) =>
      normaliseFrame(a ?? b ?? ''),
    ),
  );
  const tables = pieces.filter(piece => piece.kind === 'functions');
  const names = tables.flatMap(({ rows }) => rows.map(({ name }) => normaliseFrame(name)));
  const levels = pieces.filter(piece => piece.kind === 'level');
  const [binary] = tables.map(table => productOfProcess(table.binary)).filter(product => product !== undefined);
  const product =
    binary ??
    productOfFrames(frames) ??
    productOfMain(stacks) ??
    productOfFrames(names) ??
    productOfLevels(levels) ??
    (DOCKER_INFO.test(prose) ? productOfProcess('dockerd') : undefined) ??
    productIn(prose);
  const version = versionIn(prose, product?.name ?? 'version');
  return { component: product?.name, version: version === '' ? undefined : version };
}

/** By the folders of the main package's files: `main.run` at /src/consul-esm/agent.go. */
function productOfMain(stacks: readonly { readonly text: string }[]): ReturnType<typeof productIn> {
  const places = stacks.flatMap(({ text }) =>
    Array.from(
      text.matchAll(/^(?:created by )?main\.[^\n]*\n\t([^\n:]+):|\tmain\.\S+\t([^\n:]+):/gm),
      ([, a, b]) => a ?? b ?? '',
    ),
  );
  const folders = places.flatMap(place => place.split('/').slice(0, -1).reverse());
  return folders.map(productOfProcess).find(product => product !== undefined);
}

function productOfLevels(levels: readonly Level[]): ReturnType<typeof productIn> {
  const found = levels.flatMap(level => {
    const product = level.isPod ? productOfPod(level.subject.split('/')[0] ?? '') : productOfProcess(level.subject);
    return product === undefined ? [] : [{ product, value: level.value }];
  });
  return found.sort((a, b) => b.value - a.value)[0]?.product;
}

/** The name of the target of a paste: `etcd 3.5.9, from the paste`. */
export function subjectOf(paste: Paste): string {
  const { component, version } = toldBy(paste);
  const binary = paste.pieces.flatMap(piece =>
    piece.kind === 'functions' && piece.binary !== '' ? [piece.binary] : [],
  )[0];
  const name = component ?? binary;
  if (name === undefined) return 'the paste';
  return `${name}${version === undefined ? '' : ` ${version}`}, from the paste`;
}

/** More than these are counted: an archive of a cluster has thousands of texts. */
const MAX_SHOWN = 10;

/** What says most comes first, and in how many more texts there was something to read. */
export function explainPile(
  { pastes = [], snapshots }: Pile,
  factsOf: (target: string) => TargetFacts,
  catalogue: readonly KnownLeak[],
): { readonly shown: readonly ShownEvidence[]; readonly more: number } {
  const all = pastes.flatMap(filed => {
    const told = toldBy(filed.paste);
    const known = factsOf(filed.target);
    const facts = { ...known, component: known.component ?? told.component, version: known.version ?? told.version };
    const own = snapshots.filter(({ path }) => path === filed.path || path.startsWith(`${filed.path}, line `));
    return explainPaste(filed, own, facts, catalogue);
  });
  const ranked = [...all].sort((a, b) => b.weight - a.weight);
  return { shown: ranked.slice(0, MAX_SHOWN).map(({ shown }) => shown), more: Math.max(0, ranked.length - MAX_SHOWN) };
}

function explainPaste(
  { path, paste }: FiledPaste,
  snapshots: readonly Snapshot[],
  facts: TargetFacts,
  catalogue: readonly KnownLeak[],
): Weighed[] {
  const tables = paste.pieces.filter(piece => piece.kind === 'functions');
  const levels = paste.pieces.filter(piece => piece.kind === 'level');
  const stacks = snapshots.filter(({ families }) => families !== undefined);
  const heap = snapshots.findLast(({ kind }) => kind === 'heap');
  const heapBytes = heap?.memStats?.heapAllocBytes ?? inUse(tables);
  const levelsExplained = levels.length === 0 ? [] : explainLevels(path, levels, heapBytes, facts);
  const weighed: Weighed[] = [
    ...stacks.map(snapshot =>
      explainStacks(snapshot, facts, stacks.filter(({ kind }) => kind === snapshot.kind).length > 1),
    ),
    ...[...groupBy(tables, ({ sampleType, unit, binary }) => `${sampleType}\0${unit}\0${binary}`).values()].map(
      own => ({ shown: explainFunctions(path, own, facts, catalogue), weight: 2 }) as const,
    ),
    ...levelsExplained,
  ];
  weighed.sort((a, b) => b.weight - a.weight);
  const [first, ...others] = weighed;
  if (first === undefined) return [{ shown: explainProse(path, paste, facts), weight: 1 }];
  // Why it ended says more than a limit.
  const killed = first.weight === 1 ? paste.notes.find(note => note.includes('OOM-killed')) : undefined;
  const headline = killed === undefined ? first.shown.headline : `${killed}; ${first.shown.headline}`;
  const shows = [...first.shown.shows, ...paste.notes];
  return [{ ...first, shown: { ...first.shown, headline, shows } }, ...others];
}

/** The live heap that a table of functions shows; what was allocated since the start is not in use. */
function inUse(tables: readonly FunctionTable[]): number | undefined {
  const table = tables.findLast(
    ({ unit, sampleType, isDiff }) => unit === 'bytes' && !isDiff && !/^alloc_/.test(sampleType),
  );
  return table?.total;
}

/** The family that stands out, and what is known about it. */
function explainStacks(
  { path, kind, families, dump, notes, truncated }: Snapshot,
  facts: TargetFacts,
  isCompared: boolean,
): Weighed {
  const counts = families?.counts ?? [];
  const isHeap = kind === 'heap';
  const declared = dump?.sections[0]?.declaredTotal;
  const total = Math.max(families?.total ?? 0, declared ?? 0);
  const of = (count: FamilyCount): number => (isHeap ? count.bytes : count.count);
  const isRequest = (count: FamilyCount): boolean =>
    causeOf({ ...count.family, ...evidenceOf(count) })?.id === 'profile-request';
  const ranked = [...counts].sort((a, b) => Number(isRequest(a)) - Number(isRequest(b)) || of(b) - of(a));
  const [first] = ranked;
  const amount = (value: number): string =>
    isHeap ? formatBytes(value) : `${formatCount(value)} ${value === 1 ? 'goroutine' : 'goroutines'}`;
  const shows: string[] = [];
  const outlived = notes.includes(OUTLIVED_TEST);
  let headline = isHeap ? `a heap profile of ${formatBytes(total)}` : amount(total);
  if (first !== undefined) {
    const share =
      total > of(first)
        ? ` of ${isHeap ? formatBytes(total) : formatCount(total)} (${formatShare(of(first) / total)})`
        : '';
    headline = outlived
      ? `${amount(total)} outlived a test${total > of(first) ? `, ${formatCount(of(first))} of them` : ''} in ${first.family.title}`
      : `${amount(of(first))}${share} in ${first.family.title}`;
    const own = first.example.find(frame => !isSharedFrame(normaliseFrame(frame.split(' ')[0] ?? '')));
    shows.push(headline, ...(own === undefined ? [] : [`at ${own}`]), ...meaningOf(first));
  }
  const shown: ShownEvidence = {
    path,
    line: null,
    what: `${isHeap ? 'heap by stack' : total === 1 ? 'one stack' : 'stacks'}${facts.component === undefined ? '' : ` of ${facts.component}`}`,
    headline,
    shows: [
      ...shows,
      ...notes.filter(note => note === OUTLIVED_TEST || /pasted|cannot be read/.test(note)),
      ...(truncated === undefined || notes.includes(truncated) ? [] : [truncated]),
    ],
    lacks: [
      ...(isCompared || outlived
        ? []
        : isHeap
          ? ['whether it grows: one heap profile shows what is there']
          : ['whether they grow: one dump shows what is there']),
      ...(isHeap || first === undefined || first.waitMinutes !== undefined ? [] : ['how long they have waited']),
    ],
    matches: [],
    decides: outlived ? TEST_AGAIN : decidesStacks(isHeap, facts),
  };
  // One stack in a text that counts thousands is an example of them.
  return { shown, weight: total > 1 ? 2 : 1 };
}

/** A test has no address to fetch profiles from. */
const TEST_AGAIN = {
  why: 'whether each run of the test leaves more, or the first one only',
  command: 'go test -count=10 -run "$TEST" "$PACKAGE"',
};

function decidesStacks(isHeap: boolean, { component }: TargetFacts): ShownEvidence['decides'] {
  return isHeap
    ? {
        why: 'a second heap profile, ten minutes later',
        command: fetchCommand(component, 'debug/pprof/heap', 'heap-2.pb.gz'),
      }
    : {
        why: 'all goroutines, twice, ten minutes apart',
        command: fetchCommand(component, 'debug/pprof/goroutine?debug=2', 'goroutines-1.txt'),
      };
}

function evidenceOf({
  states,
  creators,
  waitMinutes,
}: FamilyCount): Pick<FamilyCount, 'states' | 'creators' | 'waitMinutes'> {
  return { states, creators, waitMinutes };
}

/** What it waits for, who would end it, and what usually goes wrong there. */
function meaningOf(count: FamilyCount): string[] {
  const evidence = { ...count.family, ...evidenceOf(count) };
  const cause = causeOf(evidence);
  const lifetime = lifetimeOf(evidence);
  const { waitMinutes } = count;
  const [state] = [...count.states.keys()].filter(name => name !== '');
  return [
    ...(waitMinutes === undefined || waitMinutes.max === 0
      ? []
      : [`it has waited ${formatAge(waitMinutes.max * 60)}${state === undefined ? '' : ` in ${state}`}`]),
    ...(cause === undefined ? [] : [`${cause.title}: ${cause.meaning}`]),
    ...(lifetime === undefined || lifetime.endsBy === '' ? [] : [`${lifetime.of} ends by ${lifetime.endsBy}`]),
  ];
}

function explainProse(path: string, { prose }: Paste, facts: TargetFacts): ShownEvidence {
  const of =
    facts.component === undefined
      ? ''
      : ` about ${facts.component}${facts.version === undefined ? '' : ` ${facts.version}`}`;
  return {
    path,
    line: null,
    what: `text${of} without numbers or stacks`,
    headline: `a description${of}, without a number or a stack that can be judged`,
    shows: /\bOOM|out of memory\b/i.test(prose) ? ['it was killed for memory, as the text says'] : [],
    lacks: ['everything that can be measured: a heap profile, the goroutines, resident memory'],
    matches: [],
    decides: { why: 'its heap profile', command: fetchCommand(facts.component, 'debug/pprof/heap', 'heap-1.pb.gz') },
  };
}
