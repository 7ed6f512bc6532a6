/**
 * Kubernetes JSON: objects as kubectl prints them, /configz, /stats/summary, versions. Known fields stay, with their
 * numbers, booleans, times, quantities and the words that Kubernetes itself writes there; every other text is hidden.
 * Unknown fields and those that users fill freely (annotations, environment, commands, data) are left out.
 *
 * Only known kinds are redacted: in any other object a key may be a name.
 */
import { FormatError } from '../../../base/errors.ts';
import { keepKubeValue, KUBE_LABELS, KUBE_RESOURCES, REDACTED_KINDS } from '../kube-values.ts';
import { FEATURE_GATES, KUBE_FIELDS } from '../kube-words.ts';
import { isHidden, type Redactor } from '../redactor.ts';

/** Users fill these freely, keys and all. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'managedFields',
  'annotations',
  'data',
  'stringData',
  'binaryData',
  'env',
  'envFrom',
  'command',
  'args',
  'images',
  'httpHeaders',
  'volumeAttributes',
  'options',
  'attributes',
  'parameters',
  'finalizers',
  'fieldsV1',
]);

/** The maps with keys of their own, and the vocabulary of the keys. Everywhere else a key is a field. */
const KEYS_BELOW: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['labels', 'matchLabels', 'nodeSelector'].map(map => [map, KUBE_LABELS] as const),
  ['selector', new Set([...KUBE_LABELS, 'matchLabels', 'matchExpressions'])],
  ...[
    'capacity',
    'allocatable',
    'allocatedResources',
    'requests',
    'limits',
    'overhead',
    'kubeReserved',
    'systemReserved',
    'qosReserved',
    'evictionHard',
    'evictionSoft',
    'evictionSoftGracePeriod',
    'evictionMinimumReclaim',
  ].map(map => [map, KUBE_RESOURCES] as const),
  ['featureGates', FEATURE_GATES],
]);
/** Below these, a key that is not public is hidden with its value; elsewhere what is below it is left out. */
const LABEL_MAPS: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'nodeSelector', 'selector']);

/** The provider of a machine, followed by which machine it is. */
const PROVIDER =
  /^((?:aws|gce|azure|digitalocean|openstack|vsphere|ibm|oci|hcloud|linode|scaleway|alicloud|equinixmetal|kind|k3s|kubemark):\/\/)(.*)$/s;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const DURATION = /^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s|us|ns)){1,4}$/;
/** A number with a unit, or with at most three digits: a longer one may be an id. */
const QUANTITY = /^(?:\d{1,3}|\d{1,13}(?:\.\d{1,3})?(?:m|k|M|G|T|Ki|Mi|Gi|Ti|%))$/;
const NEUTRAL = /^(?:[Tt]rue|[Ff]alse|[Uu]nknown|[Nn]one|)$/;

/** Throws a FormatError when it is JSON of another kind, or not JSON. */
export function redactKubeJson(text: string, redactor: Redactor): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FormatError('JSON that cannot be parsed');
  }
  const problem = unknownKind(value);
  if (problem !== undefined) throw new FormatError(problem);
  return `${JSON.stringify(redactValue(value, '', redactor), undefined, 1)}\n`;
}

/** Why the value cannot be redacted; undefined when it can. */
function unknownKind(value: unknown): string | undefined {
  if (!isObject(value)) return 'JSON of an unknown kind';
  const items = Array.isArray(value['items']) ? value['items'].filter(isObject) : [];
  const kinds = [value, ...items, ...(isObject(value['kubeletconfig']) ? [value['kubeletconfig']] : [])]
    .map(one => one['kind'])
    .filter(kind => typeof kind === 'string' && kind !== 'List');
  const stranger = kinds.find(kind => !REDACTED_KINDS.has((kind as string).replace(/List$/, '')));
  if (stranger !== undefined) return 'objects of a kind whose fields are not known';
  if (kinds.length > 0) return undefined;
  if (isObject(value['serverVersion'] ?? value['clientVersion']) || typeof value['gitVersion'] === 'string')
    return undefined;
  const node = value['node'];
  if (isObject(node) && typeof node['nodeName'] === 'string') return undefined;
  return 'JSON of an unknown kind';
}

/** No object of Kubernetes is deeper, and recursion needs an end. */
const MAX_DEPTH = 100;

function redactValue(value: unknown, key: string, redactor: Redactor, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new FormatError(`JSON with more than ${MAX_DEPTH} levels`);
  if (typeof value === 'string') return redactText(value, key, redactor);
  if (Array.isArray(value)) return value.map(item => redactValue(item, key, redactor, depth + 1));
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value)) {
    const isPublic = (KEYS_BELOW.get(key) ?? KUBE_FIELDS).has(name);
    if (isPublic && (!LEFT_OUT.has(name) || KEYS_BELOW.has(key)))
      out[redactor.keep(name)] = redactValue(inner, name, redactor, depth + 1);
    else if (!isPublic && LABEL_MAPS.has(key) && typeof inner === 'string')
      out[redactor.hide('label', name)] = redactText(inner, '', redactor);
    else {
      if (!isPublic) redactor.remove('label', name);
      forget(inner, redactor, depth + 1);
    }
  }
  return out;
}

function redactText(text: string, key: string, redactor: Redactor): string {
  if (saysNothing(text) || isHidden(text)) return text;
  const [, provider, id] = (key === 'providerID' ? PROVIDER.exec(text) : null) ?? [];
  if (provider !== undefined && id !== undefined) return redactor.keep(provider) + redactor.hide('url', id);
  const known = keepKubeValue(key, text, redactor);
  if (known !== undefined) return known;
  if (/^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:]+)(?:\/\d+)?$/i.test(text))
    return redactor.hide('address', text);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return redactor.hide('url', text);
  if (/(?:^|\s)\S+\s+\S/.test(text)) return redactor.hide('text', text);
  return redactor.hide(/^(?:[A-Z]:\\|\/)/.test(text) ? 'path' : 'name', text);
}

function saysNothing(text: string): boolean {
  return NEUTRAL.test(text) || TIME.test(text) || DURATION.test(text) || QUANTITY.test(text);
}

/** The search for originals also covers what is left out. */
function forget(value: unknown, redactor: Redactor, depth: number): void {
  if (depth > MAX_DEPTH) throw new FormatError(`JSON with more than ${MAX_DEPTH} levels`);
  if (typeof value === 'string') {
    if (!saysNothing(value)) redactor.remove('text', value);
  } else if (Array.isArray(value)) for (const item of value) forget(item, redactor, depth + 1);
  else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (!KUBE_FIELDS.has(name)) redactor.remove('label', name);
      forget(inner, redactor, depth + 1);
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
