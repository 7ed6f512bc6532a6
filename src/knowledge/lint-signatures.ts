/**
 * Proves signatures by trial: each must match a stack made from it, and must not match when a frame is dropped or
 * altered, nor confirm its leak on another leak's stack.
 */
import type { KnownLeak, Signature } from './known-leak.ts';
import type { Match } from './known-leak-match.ts';
import { parseFrameName } from './frame-pattern.ts';
import { type FamilyInput, matchFamily } from './match.ts';
import { parseVersion } from './version.ts';

export type Complain = (field: string, problem: string) => void;

export function lintSignatures(leak: KnownLeak, all: readonly KnownLeak[], complain: Complain): void {
  if (leak.signatures.length === 0 && leak.notes === '') complain('notes', 'must say why there is no signature');
  lintCulprit(leak, complain);
  leak.signatures.forEach((signature, index) => {
    const field = `signatures[${index}]`;
    if (!leak.resources.includes(signature.resource)) complain(field, `is for ${signature.resource}, not in resources`);
    for (const frame of [...signature.frames, ...signature.createdBy]) lintFrame(frame, `${field}.frames`, complain);
    lintKept(signature, field, complain);
    if (leak.status === 'confirmed' && isMatched(signature)) {
      prove(leak, signature, field, complain);
      compareWithOthers(leak, signature, all, field, complain);
    }
  });
}

/** Only these two are seen in families; the others are for the reader. */
function isMatched(signature: Signature): boolean {
  return signature.resource === 'heap' || signature.resource === 'goroutines';
}

function lintFrame(frame: string, field: string, complain: Complain): void {
  const isBare = parseFrameName(frame).packagePath === '';
  if (isBare) complain(field, `${JSON.stringify(frame)} names no package`);
  if (/\/vendor\/|\+0x|\s|\.func\d+$|\(0x|\[/.test(frame)) {
    complain(
      field,
      `${JSON.stringify(frame)} is not normalised: no vendor path, arguments, type arguments or closures`,
    );
  }
}

/** Otherwise no stack of the leak could ever be the one to blame. */
function lintCulprit({ culprit, signatures }: KnownLeak, complain: Complain): void {
  if (culprit === '') return;
  lintFrame(culprit, 'culprit', complain);
  if (!signatures.some(({ frames }) => frames.includes(culprit))) {
    complain('culprit', `${JSON.stringify(culprit)} is in no signature`);
  }
}

function lintKept({ resource, fixedKeeps, normalPer }: Signature, field: string, complain: Complain): void {
  if (fixedKeeps === '') return;
  if (resource !== 'heap') complain(`${field}.fixedKeeps`, `is for heap, not for ${resource}`);
  if (fixedKeeps === 'none' && normalPer !== '')
    complain(`${field}.fixedKeeps`, `cannot be none where a healthy process has one per ${normalPer}`);
}

function prove(leak: KnownLeak, signature: Signature, field: string, complain: Complain): void {
  const alone: KnownLeak = { ...leak, signatures: [signature] };
  const stack = stackOf(signature);
  const match = tryOn(alone, stack);
  if (match === undefined) {
    complain(field, 'does not match a stack made from it');
    return;
  }
  const canConfirm = signature.evidence === 'seen' && signature.normalPer === '' && leak.affected.length > 0;
  if (canConfirm !== (match.grade === 'confirmed')) {
    complain(field, `gives ${match.grade} on a growing stack made from it, in version ${affectedVersion(leak)}`);
  }
  if (tryOn(alone, { ...stack, grows: false })?.grade === 'confirmed')
    complain(field, 'confirms a stack that does not grow');
  const kept = tryOn(alone, { ...stack, grows: undefined, keeps: 'all of it' })?.grade === 'confirmed';
  if (kept !== (canConfirm && signature.fixedKeeps === 'none'))
    complain(field, `${kept ? 'confirms' : 'does not confirm'} a stack that keeps all it allocates`);

  signature.frames.forEach((frame, index) => {
    const without = stack.frames.filter((_, at) => at !== positionInStack(index));
    const altered = stack.frames.map((other, at) => (at === positionInStack(index) ? alter(frame) : other));
    if (tryOn(alone, { ...stack, frames: without }) !== undefined) complain(field, `matches without ${frame}`);
    if (tryOn(alone, { ...stack, frames: altered }) !== undefined)
      complain(field, `matches with another frame than ${frame}`);
  });
  if (signature.atLeaf && tryOn(alone, { ...stack, frames: ['example.com/above.Call', ...stack.frames] }) !== undefined)
    complain(field, `matches with another frame above ${signature.frames[0]}`);
  const reversed = { ...stack, frames: [...stack.frames].reverse() };
  if (signature.frames.length > 1 && tryOn(alone, reversed) !== undefined)
    complain(field, 'matches in the wrong order');
  const stranger = { ...stack, creators: ['example.com/other.Start'] };
  if (signature.createdBy.length > 0 && tryOn(alone, stranger) !== undefined) complain(field, 'matches any creator');
}

function compareWithOthers(
  leak: KnownLeak,
  signature: Signature,
  all: readonly KnownLeak[],
  field: string,
  complain: Complain,
): void {
  for (const other of all) {
    if (other.id === leak.id || other.status !== 'confirmed' || leak.notes.includes(other.id)) continue;
    if (other.signatures.some(theirs => identity(theirs) === identity(signature))) {
      complain(field, `is identical with one of ${other.id}; say in notes how they differ, naming ${other.id}`);
    } else if (tryOn(other, stackOf(signature))?.grade === 'confirmed') {
      complain(field, `a stack made from it confirms ${other.id} too; say so in notes, naming ${other.id}`);
    }
  }
}

function identity(signature: Signature): string {
  const { resource, frames, atLeaf, createdBy, states } = signature;
  return JSON.stringify([
    resource,
    atLeaf,
    frames.map(parseFrameName),
    createdBy.map(parseFrameName),
    [...states].sort(),
  ]);
}

/** The signature's frames as closures, between frames of other code. */
export function stackOf(signature: Signature): FamilyInput {
  const frames = ['runtime.gopark'];
  for (const frame of signature.frames)
    frames.push(`${frame.replace(/\.\*$/, '.Method')}.func1`, 'example.com/between.Call');
  return {
    kind: signature.resource === 'heap' ? 'heap' : 'goroutine',
    frames,
    creators: signature.createdBy.slice(0, 1),
    states: signature.states.slice(0, 1),
    grows: true,
  };
}

/** Where `stackOf` puts the frame of that index. */
function positionInStack(index: number): number {
  return 1 + 2 * index;
}

function alter(frame: string): string {
  return frame.endsWith('.*') ? `${frame.slice(0, -2)}Other.Method` : `${frame}Other`;
}

function tryOn(leak: KnownLeak, stack: FamilyInput): Match | undefined {
  return matchFamily(stack, { component: leak.component, version: affectedVersion(leak) }, [leak])[0];
}

/** A version that the leak's own ranges call affected. */
export function affectedVersion(leak: KnownLeak): string {
  const [range] = leak.affected;
  if (range === undefined) return '';
  if (range.from !== '') return range.from;
  const fixed = parseVersion(range.fixed);
  if (fixed === undefined) return '1.0.0';
  const { major, minor, patch } = fixed;
  if (patch > 0) return `${major}.${minor}.${patch - 1}`;
  return minor > 0 ? `${major}.${minor - 1}.0` : `${Math.max(0, major - 1)}.999.0`;
}
