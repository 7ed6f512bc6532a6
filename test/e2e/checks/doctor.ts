/** The answers of `oakum doctor` with every kind of access. */
import type { KubeconfigUser } from '../../../lab/kubeconfig.ts';
import { type Check, saw } from '../check.ts';

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  readonly user: KubeconfigUser;
  readonly code: number;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'everything is allowed',
    args: ['node/leak-a'],
    user: 'admin',
    code: 0,
    says: /which code holds the memory/,
  },
  {
    name: 'nodes/proxy is dangerous',
    args: ['node/leak-a'],
    user: 'capture',
    code: 0,
    says: /you may get nodes\/proxy, which is not read-only: it allows running commands/,
  },
  { name: 'no target', args: [], user: 'admin', code: 0, says: /NODES.*?v1\.36\.0 2/ },
  {
    name: 'metrics only, through the API server',
    args: ['node/leak-a'],
    user: 'metrics-only',
    code: 3,
    says: /metrics-only may not get nodes\/proxy.*?--direct[^.;]*/,
  },
  {
    name: 'metrics only, at the kubelet',
    args: ['node/fix-a', '--direct', '--insecure-skip-tls-verify'],
    user: 'metrics-only',
    code: 0,
    says: /which code holds the memory: .{0,80}/,
  },
  { name: 'no rights', args: ['node/leak-a'], user: 'nobody', code: 3, says: /[^-:]*may not[^;]*;/ },
  { name: 'expired token', args: ['node/leak-a'], user: 'expired-token', code: 3, says: /[^-:]*token[^;]*;/ },
  { name: 'wrong authority', args: ['node/leak-a'], user: 'wrong-ca', code: 3, says: /[^-:]*certificate[^;]*;/ },
  {
    name: 'handlers off (405)',
    args: ['node/fix-e'],
    user: 'admin',
    code: 0,
    says: /the kubelet of fix-e has its debugging handlers switched off/,
  },
  {
    name: 'self-signed kubelet',
    args: ['node/leak-d', '--direct'],
    user: 'admin',
    code: 3,
    says: /[^-]*certificate[^;]*;/,
  },
  { name: 'no such node', args: ['node/gone'], user: 'admin', code: 3, says: /the cluster has no node gone[^.]*/ },
  { name: 'the API server', args: ['apiserver'], user: 'admin', code: 0, says: /apiserver v1\.36\.3[^,]*, up/ },
];

export const doctorChecks: readonly Check[] = CASES.map(({ name, args, user, code, says }) => ({
  name: `doctor: ${name}`,
  run: async ({ oakum, environment }) =>
    saw(await oakum(['doctor', ...args], { kubeconfig: environment.kubeconfigs[user] }), code, says),
}));
