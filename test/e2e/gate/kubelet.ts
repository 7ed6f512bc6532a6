/**
 * npm run e2e:kubelet [-- FOLDER]
 *
 * `oakum gate` on kubelets of the lab while pods come and go. First `oakum gate init` writes a budget from a kubelet that
 * is known to be good (fix-b, 1.36.3): nobody chooses a number. Then two others are judged by it: 1.36.0 must fail with
 * kubernetes#139823, 1.36.3 must pass. Takes 20 to 30 minutes and needs what the lab needs (docs/lab.md). Exits 1 if a
 * decision is wrong. FOLDER keeps the budget and the evidence.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startLab, stopLab } from '../../../lab/control.ts';
import { type Environment, environmentOf } from '../../../lab/environment.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const PODS = 30;
const INIT_ROUNDS = 20;
const MAX_ROUNDS = 40;
const NODES = [
  { name: 'leak-a', version: '1.36.0', syncFrequencySeconds: 0.2, pods: 60 },
  { name: 'fix-a', version: '1.36.3', syncFrequencySeconds: 0.2, pods: 60 },
  { name: 'fix-b', version: '1.36.3', syncFrequencySeconds: 0.2, pods: 60 },
];
const GOOD = 'fix-b';
const BUDGET = 'budget.yaml';
const CASES = [
  { node: 'leak-a', code: 1, says: /kubernetes#139823/ },
  { node: 'fix-a', code: 0, says: /^WITHIN BUDGET/ },
];

process.exitCode = await main();

async function main(): Promise<number> {
  if (spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' }).status !== 0) return 1;
  const kept = process.argv[2];
  const folder = kept === undefined ? mkdtempSync(join(tmpdir(), 'oakum-e2e-kubelet-')) : resolve(kept);
  mkdirSync(folder, { recursive: true });
  const nodesFile = join(folder, 'nodes.json');
  writeFileSync(nodesFile, JSON.stringify(NODES));
  const lab = await startLab({
    folder: join(folder, 'lab'),
    nodesFile,
    lifetimeMinutes: 60,
    say: line => process.stderr.write(`${line}\n`),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stopLab(lab.folder).finally(() => process.exit(1)));
  try {
    const environment = environmentOf(lab);
    const init = await gate('init', GOOD, environment, folder);
    if (init.code !== 0) {
      process.stdout.write(`no budget: ${init.out}${init.err}\n`);
      return 1;
    }
    process.stdout.write(`${init.out}\n${readFileSync(join(folder, BUDGET), 'utf8')}\n`);
    const results = await Promise.all(CASES.map(({ node }) => gate('run', node, environment, folder)));
    let wrong = 0;
    results.forEach(({ code, out, err }, i) => {
      const { node, code: wanted, says } = CASES[i]!;
      const isRight = code === wanted && says.test(out);
      if (!isRight) wrong++;
      process.stdout.write(`${isRight ? 'ok   ' : 'WRONG'} ${node}: exit ${code}\n${out}${isRight ? '' : err}\n`);
    });
    return wrong === 0 ? 0 : 1;
  } finally {
    await stopLab(lab.folder);
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function gate(
  form: 'init' | 'run',
  node: string,
  { kubeconfigs, kubectl }: Environment,
  folder: string,
): Promise<Ended> {
  const pods = Array.from({ length: PODS }, (_, i) => podOf(node, i));
  const list = join(folder, `${node}.json`);
  writeFileSync(list, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }));
  const connected = `--kubeconfig ${kubeconfigs.admin}`;
  const churn = [
    `${kubectl} ${connected} apply -f ${list} >/dev/null`,
    `${kubectl} ${connected} -n lab wait --for=jsonpath={.status.phase}=Running pods -l churn=${node} --timeout=120s >/dev/null`,
    `${kubectl} ${connected} -n lab delete pods -l churn=${node} --wait --timeout=120s >/dev/null`,
    `echo OAKUM_OPERATIONS=${PODS}`,
  ].join(' && ');
  const rounds = form === 'init' ? INIT_ROUNDS : MAX_ROUNDS;
  const args = [
    'gate',
    ...(form === 'init' ? ['init'] : []),
    '--target',
    `node/${node}`,
    '--kubeconfig',
    kubeconfigs.admin,
    '--per',
    'pod',
  ];
  const rules = [
    '--budget',
    BUDGET,
    '--settle',
    '5s',
    '--max-rounds',
    String(rounds),
    '--evidence',
    `evidence-${node}`,
  ];
  const child = spawn(process.execPath, [join(ROOT, 'bin/oakum.js'), ...args, ...rules, '--', 'sh', '-c', churn], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', chunk => (out += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => {
    err += String(chunk);
    process.stderr.write(`${node}: ${String(chunk)}`);
  });
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  return { code, out, err };
}

function podOf(node: string, i: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `churn-${node}-${i}`, namespace: 'lab', labels: { churn: node } },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'app', image: 'lab/app:1', resources: { requests: { cpu: '1m', memory: '1Mi' } } }],
    },
  };
}
