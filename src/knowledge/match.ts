/**
 * A family against the catalogue.
 *
 *   const matches = matchFamily({ kind: 'heap', frames, creators: [], states: [], grows: true },
 *                               { component: 'kubelet', version: 'v1.36.1-do.1' }, BUNDLED_LEAKS);
 *   matches[0].grade // 'confirmed'
 *
 * Confirmed takes everything at once: frames that were seen in this leak, an affected version, growth, and nothing that
 * speaks against it. What is not known lowers it to probable; what speaks against it, to possible.
 */
import type { KnownLeak } from './known-leak.ts';
import type { Match, MatchGrade, VersionVerdict } from './known-leak-match.ts';
import { judgePrecondition, type TargetFacts } from './preconditions.ts';
import { bestSignature, type FamilyStack, hasFunctions, parseStack, type SignatureMatch } from './signature.ts';
import { productOfProcess, runs } from './product.ts';
import { affectedBy } from './version.ts';
import { normaliseFrame } from '../profile/families/normalise.ts';

export interface FamilyInput extends FamilyStack {
  /** Undefined when there is one snapshot only. */
  readonly grows: boolean | undefined;
  /** Heap only: how much of what it allocated it keeps, in words, where that is as good as everything. */
  readonly keeps?: string | undefined;
}

const GRADES: readonly MatchGrade[] = ['possible', 'probable', 'confirmed'];

/** The known leaks this family may be, the surest first; those that are unconfirmed upstream are never among them. */
export function matchFamily(input: FamilyInput, facts: TargetFacts, catalogue: readonly KnownLeak[]): Match[] {
  const stack = parseStack(input);
  const matches: Match[] = [];
  for (const leak of catalogue) {
    if (leak.status !== 'confirmed') continue;
    const found = bestSignature(leak, stack);
    const match = found === undefined ? undefined : judge(leak, found, input, facts);
    if (match !== undefined) matches.push(match);
  }
  return matches.sort(
    (a, b) =>
      GRADES.indexOf(b.grade) - GRADES.indexOf(a.grade) ||
      Number(b.affected === 'affected') - Number(a.affected === 'affected') ||
      (a.id < b.id ? -1 : 1),
  );
}

/**
 * The known leaks whose functions are all in a list without stacks, such as `pprof -top`. Which of them calls which is not
 * known, so no match is better than possible.
 */
export function matchFunctions(
  kind: FamilyInput['kind'],
  names: readonly string[],
  facts: TargetFacts,
  catalogue: readonly KnownLeak[],
): Match[] {
  const stack = parseStack({ kind, frames: names, creators: [], states: [] });
  return catalogue.flatMap(leak => {
    const signature =
      leak.status === 'confirmed' ? hasFunctions(leak, stack, leak.component === facts.component ? 1 : 2) : undefined;
    if (signature === undefined) return [];
    const found: SignatureMatch = { signature, creator: 'unknown', state: 'unknown' };
    const match = judge(leak, found, { kind, frames: names, creators: [], states: [], grows: undefined }, facts);
    if (match === undefined) return [];
    const why = `the report has ${signature.frames.join(' and ')}; without stacks it does not show which calls which`;
    return [{ ...match, grade: 'possible' as const, why: [why, ...match.why.slice(1)] }];
  });
}

/** Reasons, each with the highest grade it leaves possible. */
class Grading {
  readonly why: string[] = [];
  grade: MatchGrade = 'confirmed';

  add(sentence: string, atMost: MatchGrade = 'confirmed'): void {
    this.why.push(sentence);
    if (GRADES.indexOf(atMost) < GRADES.indexOf(this.grade)) this.grade = atMost;
  }
}

function judge(leak: KnownLeak, found: SignatureMatch, input: FamilyInput, facts: TargetFacts): Match | undefined {
  const grading = new Grading();
  judgeFrames(grading, found);
  const affected = judgeVersion(grading, leak, found, facts);
  if (affected === undefined) return undefined;
  // A stack that every healthy process has says nothing where the leak cannot be.
  const isNormal = found.signature.normalPer !== '';
  if (isNormal && (affected === 'fixed' || affected === 'not-affected')) return undefined;
  judgeGrowth(grading, found, input);
  for (const precondition of leak.preconditions) {
    const { state, why } = judgePrecondition(precondition, facts);
    grading.add(why, state === 'not-met' ? 'possible' : 'confirmed');
  }
  return {
    id: leak.id,
    ref: leak.refs[0] ?? '',
    title: leak.title,
    culprit: leak.culprit,
    grade: grading.grade,
    affected,
    fixedIn: leak.fixedIn,
    sideEffects: leak.sideEffects,
    workaround: leak.workaround,
    hazards: leak.hazards,
    fixedKeeps: found.signature.fixedKeeps,
    why: grading.why,
  };
}

function judgeFrames(grading: Grading, { signature, creator, state }: SignatureMatch): void {
  const { frames, evidence, createdBy, states } = signature;
  const names = `${frames.join(' under ')}${creator === 'same' ? `, created by ${createdBy.join(' or ')}` : ''}`;
  if (evidence === 'seen') grading.add(`the stack has ${names}, as seen in dumps of this leak`);
  else grading.add(`the stack has ${names}, which is inferred from the fixing change, not seen in a dump`, 'probable');
  if (state === 'other') grading.add(`it does not stand in ${states.join(' or ')}, as this leak does`, 'possible');
}

/** Undefined when it is another program's leak, and only the code of a library looks like it. */
function judgeVersion(
  grading: Grading,
  leak: KnownLeak,
  found: SignatureMatch,
  { component = '', version = '' }: TargetFacts,
): VersionVerdict | undefined {
  const of = componentVersion(leak.component, component, version);
  const isNamed = namesProgram(leak.component, found);
  switch (of.kind) {
    case 'other-program':
      if (!isNamed) return undefined;
      grading.add(`it is known in ${leak.component}, and this is ${component}`, 'possible');
      return 'unknown';
    case 'inside-another':
      grading.add(`which version of ${leak.component} this ${component} was built with is not known`, 'possible');
      return 'unknown';
    case 'comparable': {
      // Nothing says that this is that program, and the code is a library's.
      if (component === '' && !isNamed) return undefined;
      const { verdict, why } = affectedBy(leak, of.version);
      if (verdict === 'fixed')
        grading.add(`looks like ${leak.refs[0]}, but this version has the fix: ${of.version}`, 'possible');
      else if (verdict === 'not-affected') grading.add(`looks like ${leak.refs[0]}, but ${why}`, 'possible');
      else grading.add(why, verdict === 'affected' ? 'confirmed' : 'probable');
      return verdict;
    }
  }
}

/** What a fixed version frees and this one keeps has grown: one profile is enough to tell. */
function judgeGrowth(grading: Grading, { signature }: SignatureMatch, { grows, keeps }: FamilyInput): void {
  if (grows === true) grading.add('it grows');
  else if (grows === false) grading.add('it does not grow', 'possible');
  else if (keeps === undefined) grading.add('whether it grows is not known from one snapshot', 'probable');
  else if (signature.fixedKeeps === 'none') grading.add(`it keeps ${keeps}; a fixed version keeps none of it`);
  else grading.add(`it keeps ${keeps}; whether a fixed version frees it is not known`, 'probable');
  if (signature.normalPer !== '') {
    grading.add(`a healthy process has one per ${signature.normalPer}: compare with their number`, 'probable');
  }
}

/** Programs whose version is that of Kubernetes; k3s and its like hold all of them. */
const KUBERNETES: ReadonlySet<string> = new Set(
  (
    'kubelet kube-apiserver kube-scheduler kube-controller-manager kube-proxy cloud-controller-manager kubectl ' +
    'kubernetes hyperkube kubemark k3s k0s rke2 kubelite'
  ).split(' '),
);
const ALL_IN_ONE: ReadonlySet<string> = new Set('kubernetes hyperkube kubemark k3s k0s rke2 kubelite'.split(' '));

/** Code that other programs are built with. */
const LIBRARIES: ReadonlySet<string> = new Set(['client-go', 'apimachinery']);

const KUBERNETES_PACKAGES = /^k8s\.io\/(?:kubernetes|apiserver|kube-aggregator)[/.]/;

type ComponentVersion =
  /** `version` can be held against the leak's ranges; '' when it is not known. */
  | { readonly kind: 'comparable'; readonly version: string }
  /** The leak is in a library, and which version of it the program has is not known. */
  | { readonly kind: 'inside-another' }
  /** The leak belongs to another program. */
  | { readonly kind: 'other-program' };

/** `component` is '' when nothing tells which program it is; then its version is taken to be of the leak's program. */
function componentVersion(leakComponent: string, component: string, version: string): ComponentVersion {
  const comparable = { kind: 'comparable', version: release(component, version) } as const;
  if (component === '' || component === leakComponent) return comparable;
  if (LIBRARIES.has(leakComponent)) {
    return KUBERNETES.has(component) || LIBRARIES.has(component) ? comparable : { kind: 'inside-another' };
  }
  const holds = KUBERNETES.has(leakComponent) && KUBERNETES.has(component);
  return holds && (ALL_IN_ONE.has(leakComponent) || ALL_IN_ONE.has(component)) ? comparable : { kind: 'other-program' };
}

/** Whether the stack itself says which program it is from. Library code does not, vendored or not. */
function namesProgram(leakComponent: string, { signature, creator }: SignatureMatch): boolean {
  const seen = creator === 'same' ? [...signature.frames, ...signature.createdBy] : signature.frames;
  const frames = seen.map(frame => normaliseFrame(frame));
  if (KUBERNETES.has(leakComponent)) return frames.some(frame => KUBERNETES_PACKAGES.test(frame));
  const product = productOfProcess(leakComponent);
  return product === undefined ? LIBRARIES.has(leakComponent) : frames.some(frame => runs(product, frame));
}

/** client-go 0.36.2 is of Kubernetes 1.36.2. */
function release(component: string, version: string): string {
  return LIBRARIES.has(component) ? version.replace(/^v?0\./, '1.') : version;
}
