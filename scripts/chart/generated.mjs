// Everything of deploy/ that is made and not written: path -> text. `npm run chart` writes it; a test compares it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parse, stringify } from 'yaml';
import { ROOT } from '../setup.mjs';
import { readmeOf } from './readme.mjs';
import { schemaOf } from './schema.mjs';
import { readValues } from './values.mjs';

export const CHART = 'deploy/helm/oakum';
/** The template puts `notify.url` in its place. */
const WATCH_URL = 'http://localhost:7777';

/** `oakum` prints what `oakum ARGS` prints. Does not need Helm. */
export async function generatedFiles(oakum) {
  const chart = parse(readFileSync(join(ROOT, CHART, 'Chart.yaml'), 'utf8'));
  const values = readValues(readFileSync(join(ROOT, CHART, 'values.yaml'), 'utf8'));
  const rules = parse(await oakum(['rules', '--format', 'operator'])).spec;
  return new Map([
    [`${CHART}/values.schema.json`, await formatted('values.schema.json', JSON.stringify(schemaOf(values)))],
    [`${CHART}/README.md`, await formatted('README.md', readmeOf(chart, values))],
    [`${CHART}/files/rules.yaml`, stringify(rules, { lineWidth: 0 })],
    [`${CHART}/files/dashboard.json`, await oakum(['rules', '--format', 'grafana'])],
    [
      `${CHART}/files/watch-dashboard.json`,
      await oakum(['rules', '--format', 'grafana-watch', '--watch-url', WATCH_URL]),
    ],
  ]);
}

const MANIFEST_HEADER = `# Oakum without Helm. Made by \`npm run chart\` from deploy/helm/oakum; edit that.
#
#   kubectl create namespace oakum
#   kubectl -n oakum create secret generic oakum-token --from-literal=token="$(head -c 30 /dev/urandom | base64)"
#   kubectl apply -f deploy/kubernetes.yaml
`;

/** The path of helm; undefined if there is none. */
export function findHelm() {
  const helm = process.env.OAKUM_HELM ?? 'helm';
  return spawnSync(helm, ['version', '--short']).status === 0 ? helm : undefined;
}

export const KUBE_VERSION = '1.32.0';

export function helmTemplate(helm, args) {
  const all = ['template', 'oakum', CHART, '--namespace', 'oakum', '--kube-version', KUBE_VERSION, ...args];
  return spawnSync(helm, all, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
}

/** deploy/kubernetes.yaml, rendered from the chart. */
export function plainManifests(helm) {
  const { status, stdout, stderr } = helmTemplate(helm, ['--skip-tests', '--set', 'token.existingSecret=oakum-token']);
  if (status !== 0) throw new Error(stderr);
  const plain = stdout
    .replace(/^# Source: .*\n/gm, '')
    .replace(/^ *helm\.sh\/chart: .*\n/gm, '')
    .replace(/^ *annotations:\n *#.*\n *helm\.sh\/resource-policy: keep\n/gm, '')
    .replace(/app\.kubernetes\.io\/managed-by: Helm/g, 'app.kubernetes.io/managed-by: kubectl');
  return MANIFEST_HEADER + plain;
}

async function formatted(name, text) {
  const filepath = join(ROOT, CHART, name);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}
