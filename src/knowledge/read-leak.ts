/**
 * A known leak from its YAML file. Every problem is one line that names the file and the field:
 *
 *   my-leak.yaml: signatures[0].evidence: must be seen or from-fix, not "guess"
 */
import type { AffectedRange, KnownLeak, LeakResource, Precondition, Signature } from './known-leak.ts';
import { RESOURCES } from '../evidence/resource.ts';
import { type FieldReader, type FileOrigin, readFields } from './field-reader.ts';

export interface LeakReading {
  /** Undefined when there are problems. */
  readonly leak: KnownLeak | undefined;
  readonly problems: readonly string[];
}

const LEAK_RESOURCES: readonly LeakResource[] = [...RESOURCES.map(({ slug }) => slug), 'processes'];
const PRECONDITION_KINDS: readonly Precondition['kind'][] = [
  'feature-gate',
  'kernel',
  'cgroup',
  'runtime',
  'flag',
  'workload',
  'os',
];

/** `file` is what problems are reported under, and its name must be the id. */
export function readLeak(text: string, file: string, origin: FileOrigin = {}): LeakReading {
  const reader = readFields(text, file, origin);
  if (typeof reader === 'string') return { leak: undefined, problems: [reader] };
  const leak = leakOf(reader);
  const name = /([^/\\]+)\.ya?ml$/.exec(file)?.[1];
  if (name !== undefined && leak.id !== '' && leak.id !== name)
    reader.complain('id', `must be the file's name, ${name}`);
  return { leak: reader.problems.length === 0 ? leak : undefined, problems: reader.problems };
}

function leakOf(reader: FieldReader): KnownLeak {
  const leak: KnownLeak = {
    id: reader.text('id', {
      required: true,
      shape: /^[a-z0-9]+(-[a-z0-9]+)*$/,
      form: 'words in lower case with dashes',
    }),
    title: reader.text('title', { required: true }),
    status: reader.oneOf('status', ['confirmed', 'unconfirmed'], 'confirmed'),
    component: reader.text('component', {
      required: true,
      shape: /^[a-z0-9][a-z0-9.-]*$/,
      form: 'a name such as kubelet',
    }),
    refs: reader.texts('refs', { required: true }),
    resources: reader.listOf('resources', LEAK_RESOURCES, { required: true }),
    signatures: reader.objects('signatures').map(signatureOf),
    culprit: reader.text('culprit'),
    logLines: reader.texts('logLines'),
    trigger: reader.text('trigger', { required: true }),
    affected: reader.objects('affected').map(rangeOf),
    fixedIn: reader.texts('fixedIn'),
    sideEffects: reader.texts('sideEffects'),
    preconditions: reader.objects('preconditions').map(preconditionOf),
    workaround: reader.text('workaround'),
    hazards: reader.texts('hazards'),
    notes: reader.text('notes'),
  };
  reader.done();
  return leak;
}

function signatureOf(reader: FieldReader): Signature {
  const signature: Signature = {
    resource: reader.oneOf('resource', LEAK_RESOURCES),
    frames: reader.texts('frames', { required: true }),
    atLeaf: reader.flag('atLeaf'),
    createdBy: reader.texts('createdBy'),
    states: reader.texts('states'),
    evidence: reader.oneOf('evidence', ['seen', 'from-fix']),
    normalPer: reader.text('normalPer'),
    fixedKeeps: reader.text('fixedKeeps'),
  };
  reader.done();
  return signature;
}

function rangeOf(reader: FieldReader): AffectedRange {
  const version = { shape: /^(\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?)?$/, form: 'a version such as 1.36.3, or ""' };
  const range: AffectedRange = { from: reader.text('from', version), fixed: reader.text('fixed', version) };
  reader.done();
  return range;
}

function preconditionOf(reader: FieldReader): Precondition {
  const precondition: Precondition = {
    kind: reader.oneOf('kind', PRECONDITION_KINDS),
    value: reader.text('value', { required: true }),
    note: reader.text('note'),
  };
  reader.done();
  return precondition;
}

export interface MergedCatalogue {
  readonly leaks: readonly KnownLeak[];
  /** Ids that a site's own entry replaced. */
  readonly overridden: readonly string[];
}

/** The bundled entries and a site's own, which win. */
export function mergeCatalogues(bundled: readonly KnownLeak[], own: readonly KnownLeak[]): MergedCatalogue {
  const byId = new Map(bundled.map(leak => [leak.id, leak]));
  const overridden = own.filter(leak => byId.has(leak.id)).map(leak => leak.id);
  for (const leak of own) byId.set(leak.id, leak);
  return { leaks: [...byId.values()], overridden };
}
