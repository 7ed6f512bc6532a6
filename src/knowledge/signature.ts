/** A stack against a signature. */
import { isSharedFrame } from '../profile/families/shared-packages.ts';
import type { KnownLeak, Signature } from './known-leak.ts';
import { type FrameName, isFrame, leafOf, parseFrameName } from './frame-pattern.ts';

/** A family as far as signatures are concerned. */
export interface FamilyStack {
  readonly kind: 'goroutine' | 'heap';
  /** Normalised, leaf first. */
  readonly frames: readonly string[];
  /** The whole stack, where `frames` are a part of it. */
  readonly fullFrames?: readonly string[] | undefined;
  /** Empty when the format does not show them; so for states. */
  readonly creators: readonly string[];
  readonly states: readonly string[];
}

/** The same with its names parsed, once for all signatures. */
export interface ParsedStack {
  readonly kind: 'goroutine' | 'heap';
  readonly frames: readonly FrameName[];
  readonly fullFrames: readonly FrameName[];
  readonly leaf: FrameName;
  readonly creators: readonly FrameName[];
  readonly states: readonly string[];
}

export interface SignatureMatch {
  readonly signature: Signature;
  /** `unknown` when the signature or the stack has none. */
  readonly creator: 'same' | 'unknown';
  readonly state: 'same' | 'other' | 'unknown';
}

export function parseStack(stack: FamilyStack): ParsedStack {
  const frames = stack.frames.map(parseFrameName);
  return {
    kind: stack.kind,
    frames,
    fullFrames: stack.fullFrames?.map(parseFrameName) ?? frames,
    leaf: parseFrameName(leafOf(stack.frames)),
    creators: stack.creators.map(parseFrameName),
    states: stack.states,
  };
}

/** The signature of `leak` that fits best, or undefined. */
export function bestSignature(leak: KnownLeak, stack: ParsedStack): SignatureMatch | undefined {
  let best: SignatureMatch | undefined;
  for (const signature of leak.signatures) {
    const match = matchSignature(signature, stack);
    if (match !== undefined && (best === undefined || strength(match) > strength(best))) best = match;
  }
  return best;
}

function matchSignature(signature: Signature, stack: ParsedStack): SignatureMatch | undefined {
  if (signature.resource !== (stack.kind === 'heap' ? 'heap' : 'goroutines')) return undefined;
  const { frames, createdBy } = parsed(signature);
  if (!inOrder(frames, stack.frames) && !inOrder(frames, stack.fullFrames)) return undefined;
  if (signature.atLeaf && !isFrame(frames[0] as FrameName, stack.leaf)) return undefined;
  const creatorsShown = createdBy.length > 0 && stack.creators.length > 0;
  if (creatorsShown && !createdBy.some(wanted => stack.creators.some(got => isFrame(wanted, got)))) return undefined;
  return { signature, creator: creatorsShown ? 'same' : 'unknown', state: stateOf(signature, stack) };
}

function stateOf(signature: Signature, stack: ParsedStack): SignatureMatch['state'] {
  if (signature.states.length === 0 || stack.states.length === 0) return 'unknown';
  return signature.states.some(state => stack.states.includes(state)) ? 'same' : 'other';
}

/** What a library inlines differs from build to build: of its functions any will do, beside the program's own. */
function isOfSameLibrary({ packagePath }: FrameName, frame: FrameName): boolean {
  return frame.packagePath === packagePath && isSharedFrame(`${packagePath}.f`);
}

/**
 * The first signature of which a list of functions has every one, in any order. In a program that may be another, one
 * function says too little.
 */
export function hasFunctions(
  leak: KnownLeak,
  { kind, frames }: ParsedStack,
  leastFrames: number,
): Signature | undefined {
  return leak.signatures.find(signature => {
    if (signature.resource !== (kind === 'heap' ? 'heap' : 'goroutines')) return false;
    const wanted = parsed(signature).frames;
    const ownsOne = wanted.some(one => !isSharedFrame(`${one.packagePath}.f`)) || wanted.length < 2;
    return (
      ownsOne &&
      wanted.length >= leastFrames &&
      wanted.every(one => frames.some(frame => isFrame(one, frame) || isOfSameLibrary(one, frame)))
    );
  });
}

/** Every wanted frame in the stack, in order, not necessarily side by side. */
function inOrder(wanted: readonly FrameName[], stack: readonly FrameName[]): boolean {
  let found = 0;
  for (const frame of stack) {
    const next = wanted[found];
    if (next !== undefined && isFrame(next, frame)) found++;
  }
  return found === wanted.length && wanted.length > 0;
}

/** Seen before inferred, the right state before another, never-normal before normal, and then the most frames. */
function strength({ signature, state }: SignatureMatch): number {
  const { evidence, normalPer, frames } = signature;
  return (
    (evidence === 'seen' ? 8000 : 0) + (state === 'other' ? 0 : 4000) + (normalPer === '' ? 2000 : 0) + frames.length
  );
}

const cache = new WeakMap<Signature, { readonly frames: FrameName[]; readonly createdBy: FrameName[] }>();

function parsed(signature: Signature): { readonly frames: FrameName[]; readonly createdBy: FrameName[] } {
  let names = cache.get(signature);
  if (names === undefined) {
    names = { frames: signature.frames.map(parseFrameName), createdBy: signature.createdBy.map(parseFrameName) };
    cache.set(signature, names);
  }
  return names;
}

/**
 * Whether a stack has the function to blame for a known leak; its other stacks only hold what that makes.
 *
 *     culprit   kubelet.(*podWorkers).startPodSync                             makes a context for every sync
 *     to blame  kubelet.(*podWorkers).startPodSync → context.WithCancel
 *     not       volumemanager.(*volumeManager).WaitForAttachAndMount → ...     whose table keeps it
 *
 * True for an entry without a culprit: any of its stacks is as good as another.
 */
export function isToBlame({ culprit }: Pick<KnownLeak, 'culprit'>, frames: readonly string[]): boolean {
  if (culprit === '') return true;
  const wanted = parseFrameName(culprit);
  return frames.some(frame => isFrame(wanted, parseFrameName(frame)));
}
