/** The chart: what is made of it is up to date, and every switch renders what the schema allows. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { memoryIo } from '../double/memory-io.ts';
import { ROOT } from '../places.ts';
import { run } from '../../src/cli/run.ts';
import { readWatchConfig } from '../../src/cli/watch/config.ts';
import { command as watch } from '../../src/cli/watch/command.ts';
import { SWITCHES, WRONG } from './chart-switches.ts';

interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [key: string]: any;
}

interface ChartScripts {
  readonly CHART: string;
  readonly KUBE_VERSION: string;
  findHelm(): string | undefined;
  helmTemplate(helm: string, args: readonly string[]): { status: number; stdout: string; stderr: string };
  plainManifests(helm: string): string;
  generatedFiles(oakum: (args: string[]) => Promise<string>): Promise<ReadonlyMap<string, string>>;
}

// Plain JavaScript without types.
const script = join(ROOT, 'scripts/chart/generated.mjs');
const scripts = (await import(pathToFileURL(script).href)) as ChartScripts;
const { CHART, KUBE_VERSION } = scripts;
const helm = scripts.findHelm();
const withHelm = helm === undefined ? { skip: 'there is no helm; set OAKUM_HELM' } : {};

const render = (args: readonly string[]) => scripts.helmTemplate(helm ?? '', args);

function objectsOf(text: string): KubeObject[] {
  return parseAllDocuments(text)
    .map(document => document.toJSON() as KubeObject | null)
    .filter(object => object !== null);
}

async function oakum(args: string[]): Promise<string> {
  const io = memoryIo();
  assert.equal(await run(args, io), 0);
  return io.out();
}

describe('the chart', () => {
  it('has schema, README, rules and dashboard as they are made', async () => {
    const files = await scripts.generatedFiles(oakum);
    for (const [path, text] of files)
      assert.equal(readFileSync(join(ROOT, path), 'utf8'), text, `${path} is out of date: npm run chart`);
  });

  it('passes helm lint, with every switch', withHelm, () => {
    for (const [name, args] of Object.entries(SWITCHES)) {
      const all = ['lint', '--strict', CHART, '--kube-version', KUBE_VERSION, ...args];
      const { status, stdout, stderr } = spawnSync(helm ?? '', all, { cwd: ROOT, encoding: 'utf8' });
      assert.equal(status, 0, `${name}: ${stdout}${stderr}`);
    }
  });

  it('renders the plain manifests', withHelm, () => {
    const path = 'deploy/kubernetes.yaml';
    assert.equal(
      readFileSync(join(ROOT, path), 'utf8'),
      scripts.plainManifests(helm ?? ''),
      `${path} is out of date: npm run chart`,
    );
  });

  it('refuses wrong values', withHelm, () => {
    for (const [set, says] of WRONG) {
      const { status, stderr } = render(['--set', set]);
      assert.notEqual(status, 0, set);
      assert.match(stderr, says, set);
    }
  });

  for (const [name, args] of Object.entries(SWITCHES))
    it(`renders: ${name}`, withHelm, () => {
      const { status, stdout, stderr } = render(args);
      assert.equal(status, 0, stderr);
      const objects = objectsOf(stdout);
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`);
      assert.equal(new Set(names).size, names.length);
      const mayProxy = objects.some(({ rules }) => JSON.stringify(rules ?? '').includes('nodes/proxy'));
      assert.equal(mayProxy, /capture/i.test(args.join(' ')), 'nodes/proxy is granted only if captures are asked for');
      const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
      assert.equal(workloads.length, 1);
      const { spec, kind: workload } = workloads[0] as KubeObject;
      assert.equal(workload, spec.replicas > 1 ? 'StatefulSet' : 'Deployment');
      const { containers, securityContext, volumes } = spec.template.spec;
      assert.equal(containers[0].securityContext.readOnlyRootFilesystem, true);
      assert.equal(securityContext.runAsNonRoot, true);
      checkArguments(containers[0].args);
      checkVolumes(containers[0], [...volumes, ...(spec.volumeClaimTemplates ?? []).map(nameOf)]);
      const mayLease = objects.some(({ rules }) => JSON.stringify(rules ?? '').includes('"list","create","update"'));
      assert.equal(mayLease, containers[0].args.includes('--replica=lease'), 'Leases only if they are used');
      const [config] = objects.filter(({ kind, data }) => kind === 'ConfigMap' && data?.['oakum.yaml'] !== undefined);
      readWatchConfig(config['data']['oakum.yaml'], 'oakum.yaml');
    });
});

const nameOf = ({ metadata }: KubeObject): { name: string } => ({ name: metadata.name });

interface Container {
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

/** Every file that an option or a variable names is in a volume, and every volume is mounted. */
function checkVolumes(
  { args, env = [], volumeMounts }: Container,
  volumes: readonly { readonly name: string }[],
): void {
  assert.deepEqual(volumeMounts.map(({ name }) => name).sort(), volumes.map(({ name }) => name).sort());
  const texts = [...args, ...env.flatMap(({ value }) => (value === undefined ? [] : [`=${value}`]))];
  const files = texts.flatMap(text => /=(\/\S+)/.exec(text)?.[1] ?? []);
  for (const file of files)
    assert.ok(
      volumeMounts.some(({ mountPath }) => file === mountPath || file.startsWith(`${mountPath}/`)),
      `${file} is in no volume`,
    );
  const names = new Set(env.map(({ name }) => name));
  assert.equal(names.size, env.length, 'each variable once');
  for (const [, name = ''] of args.join(' ').matchAll(/\$\((\w+)\)/g))
    assert.ok(names.has(name), `$(${name}) is not set`);
}

/** Every option exists. */
function checkArguments([first, ...args]: readonly string[]): void {
  assert.equal(first, 'watch');
  const options = watch.flags.flatMap(({ names }) => names);
  for (const arg of args) assert.ok(options.includes(arg.split('=')[0] ?? ''), `oakum watch has no ${arg}`);
}
