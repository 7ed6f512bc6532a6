// values.schema.json from values.yaml: types from the defaults, and what defaults cannot say.

const CHOICES = {
  'image.pullPolicy': ['Always', 'IfNotPresent', 'Never'],
  'service.type': ['ClusterIP', 'NodePort', 'LoadBalancer'],
  'notify.verdict': ['leak', 'watch'],
};
const PATTERNS = {
  'image.digest': '^(sha256:[0-9a-f]{64})?$',
  'watch.interval': '^[0-9]+(s|m)$',
  'watch.retention': '^[0-9]+(h|d|w)$',
  'watch.prometheus': '^(https?://.+)?$',
  'notify.url': '^(https?://.+)?$',
  'notify.runbook': '^(https?://.+)?$',
  'serviceMonitor.interval': '^[0-9]+(s|m|h)$',
  'store.key': '^[-._a-zA-Z0-9]+$',
  'store.certificateAuthority.key': '^[-._a-zA-Z0-9]+$',
  // Credentials are no part of it: they are in a secret.
  'evidence.url': '^(s3://[^@]+)?$',
  'evidence.endpoint': '^(https?://[^@]+)?$',
  'evidence.key': '^[-._a-zA-Z0-9]+$',
  'evidence.certificateAuthority.key': '^[-._a-zA-Z0-9]+$',
  'clusters.own': '^([A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?)?$',
  'persistence.size': '^[0-9]+(\\.[0-9]+)?(Ki|Mi|Gi|Ti)?$',
};
const URL_OR_SETTINGS = {
  anyOf: [
    { type: 'string', pattern: '^https?://.+' },
    { type: 'object', required: ['url'] },
  ],
};
const SUBJECT = {
  type: 'object',
  required: ['kind', 'name'],
  properties: { kind: { enum: ['User', 'Group', 'ServiceAccount'] } },
};
const ITEMS = {
  imagePullSecrets: { type: 'object', required: ['name'] },
  extraArgs: { type: 'string', pattern: '^--' },
  'watch.targets': {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'object', required: ['target'] },
    ],
  },
  'notify.alertmanagers': URL_OR_SETTINGS,
  'notify.webhooks': { type: 'object', required: ['url'] },
  'rbac.capture.subjects': SUBJECT,
  'rbac.act.subjects': SUBJECT,
  'ingress.hosts': { type: 'object', required: ['host', 'paths'] },
  'networkPolicy.apiServerPorts': { type: 'integer', minimum: 1, maximum: 65535 },
};
const PORTS = ['service.port', 'networkPolicy.kubeletPort', 'networkPolicy.storePort'];

export function schemaOf(values) {
  const root = section();
  for (const { path, value, about } of values) {
    let parent = root;
    for (const key of path.slice(0, -1)) parent = parent.properties[key] ??= section();
    parent.properties[path.at(-1)] = { description: about, ...typeOf(path.join('.'), value) };
  }
  // Helm adds it to subcharts.
  root.properties.global = { type: 'object' };
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the chart oakum', ...root };
}

function section() {
  return { type: 'object', additionalProperties: false, properties: {} };
}

function typeOf(name, value) {
  if (CHOICES[name] !== undefined) return { enum: CHOICES[name] };
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'number')
    return { type: 'integer', minimum: 1, ...(PORTS.includes(name) ? { maximum: 65535 } : {}) };
  if (Array.isArray(value)) return { type: 'array', ...(ITEMS[name] === undefined ? {} : { items: ITEMS[name] }) };
  if (typeof value === 'object') return { type: 'object' };
  return { type: 'string', ...(PATTERNS[name] === undefined ? {} : { pattern: PATTERNS[name] }) };
}
