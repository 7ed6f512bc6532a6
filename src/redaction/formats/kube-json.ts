/**
 * Kubernetes JSON: objects as kubectl prints them, /configz, /stats/summary, versions. Numbers, booleans, times,
 * quantities and enumerations stay; every other text is hidden. Free-form fields (annotations, environment, commands,
 * data) are left out.
 *
 * Only known kinds are redacted: in any other object a key may be a name.
 */
import { FormatError } from '../../base/errors.ts';
import type { Redactor } from '../names/redactor.ts';

const KINDS =
  /^(?:Node|Pod|Event|Lease|Deployment|ReplicaSet|DaemonSet|StatefulSet|Job|CronJob|Namespace|KubeletConfiguration|Status|SelfSubjectAccessReview)(?:List)?$/;

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
  'lastAppliedConfiguration',
]);

/** Users choose the keys below these. */
const LABEL_MAPS: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'nodeSelector', 'selector']);
/** Kubernetes or a vendor chose the keys below these. */
const NAMED_MAPS: ReadonlySet<string> = new Set([
  'featureGates',
  'capacity',
  'allocatable',
  'requests',
  'limits',
  'kubeReserved',
  'systemReserved',
  'evictionHard',
  'evictionSoft',
]);
const WELL_KNOWN_LABEL = /^(?:[a-z0-9-]+\.)*(?:kubernetes|k8s)\.io\/[\w.-]+$/;
const FIELD = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

const WORD = /^[A-Z][A-Za-z0-9]{0,63}$/;
const ENUMS: Readonly<Record<string, RegExp>> = {
  kind: WORD,
  reason: WORD,
  type: WORD,
  phase: WORD,
  status: WORD,
  restartPolicy: WORD,
  dnsPolicy: WORD,
  imagePullPolicy: WORD,
  qosClass: WORD,
  effect: WORD,
  operator: WORD,
  protocol: WORD,
  terminationMessagePolicy: WORD,
  mode: WORD,
  memoryManagerPolicy: WORD,
  apiVersion: /^(?:(?:apps|batch|policy|autoscaling|[a-z.]+\.k8s\.io)\/)?v\d+(?:(?:alpha|beta)\d+)?$/,
  operatingSystem: /^(?:linux|windows)$/,
  architecture: /^\w{2,12}$/,
  'kubernetes.io/os': /^(?:linux|windows)$/,
  'kubernetes.io/arch': /^\w{2,12}$/,
  osImage: /^[A-Za-z][\w .()/+-]{0,80}$/,
  kernelVersion: /^\d+\.\d+[\w.+-]{0,60}$/,
  containerRuntimeVersion: /^[a-z-]+:\/\/v?\d[\w.+-]*$/,
  kubeletVersion: /^v\d+\.\d+[\w.+-]*$/,
  kubeProxyVersion: /^v\d+\.\d+[\w.+-]*$/,
  gitVersion: /^v\d+\.\d+[\w.+-]*$/,
  kustomizeVersion: /^v\d+\.\d+[\w.+-]*$/,
  goVersion: /^go\d+\.\d+[\w.+ -]*$/,
  gitCommit: /^[0-9a-f]{7,40}$/,
  gitTreeState: /^(?:clean|dirty|archive)$/,
  compiler: /^(?:gc|gccgo)$/,
  platform: /^\w+\/\w+$/,
  major: /^\d+$/,
  minor: /^\d+\+?$/,
  component: /^(?:kubelet|kube-[a-z-]+|default-scheduler|[a-z]+-controller)$/,
  reportingComponent: /^(?:kubelet|kube-[a-z-]+|default-scheduler|[a-z]+-controller)$/,
  cgroupDriver: /^(?:cgroupfs|systemd)$/,
  cpuManagerPolicy: /^(?:none|static)$/,
  topologyManagerPolicy: /^[a-z-]+$/,
  topologyManagerScope: /^(?:container|pod)$/,
};

/** The provider of a machine, followed by which machine it is. */
const PROVIDER =
  /^((?:aws|gce|azure|digitalocean|openstack|vsphere|ibm|oci|hcloud|linode|scaleway|alicloud|equinixmetal|kind|k3s|kubemark):\/\/)(.*)$/s;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const DURATION = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|ns))+$/;
/** A number with a unit, or with at most three digits: a longer one may be an id. */
const QUANTITY = /^(?:\d{1,3}|\d+(?:\.\d+)?(?:m|k|M|G|T|Ki|Mi|Gi|Ti|%))$/;
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
  const stranger = kinds.find(kind => !KINDS.test(kind as string));
  if (stranger !== undefined) return 'objects of a kind whose fields are not known';
  if (kinds.length > 0) return undefined;
  if (isObject(value['serverVersion'] ?? value['clientVersion']) || typeof value['gitVersion'] === 'string')
    return undefined;
  const node = value['node'];
  if (isObject(node) && typeof node['nodeName'] === 'string') return undefined;
  return 'JSON of an unknown kind';
}

function redactValue(value: unknown, key: string, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactText(value, key, redactor);
  if (Array.isArray(value)) return value.map(item => redactValue(item, key, redactor));
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value)) {
    if (LEFT_OUT.has(name) && !NAMED_MAPS.has(key)) {
      forget(inner, redactor);
      continue;
    }
    // The type of an address says whether it is a name; both are hidden in the same way.
    out[redactKey(name, key, redactor)] = redactValue(inner, name, redactor);
  }
  return out;
}

function redactKey(name: string, parent: string, redactor: Redactor): string {
  const isPublic = LABEL_MAPS.has(parent)
    ? WELL_KNOWN_LABEL.test(name)
    : FIELD.test(name) || (NAMED_MAPS.has(parent) && /^(?:[\w.-]+|hugepages-\w+)$/.test(name));
  return isPublic ? redactor.keep(name) : redactor.hide('label', name);
}

function redactText(text: string, key: string, redactor: Redactor): string {
  if (saysNothing(text)) return text;
  const [, provider, id] = (key === 'providerID' ? PROVIDER.exec(text) : null) ?? [];
  if (provider !== undefined && id !== undefined) return redactor.keep(provider) + redactor.hide('url', id);
  if (Object.hasOwn(ENUMS, key) && ENUMS[key]?.test(text)) return redactor.keep(text);
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
function forget(value: unknown, redactor: Redactor): void {
  if (typeof value === 'string') {
    if (!saysNothing(value)) redactor.remove('text', value);
  } else if (Array.isArray(value)) for (const item of value) forget(item, redactor);
  else if (isObject(value)) for (const inner of Object.values(value)) forget(inner, redactor);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
