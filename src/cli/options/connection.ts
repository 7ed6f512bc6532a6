/** The flags with which every command that asks a live target finds its way there; kubectl's, where kubectl has them. */
import type { DaemonOptions } from '../../adapters/http/daemon-connection.ts';
import type { KubeOptions } from '../../adapters/kube/kube-access.ts';
import { parseTargetRef, type TargetRef } from '../../model/target.ts';
import type { Io } from '../terminal/io.ts';
import { parseDuration } from './option-values.ts';

export const TARGET_OPTIONS = {
  kubeconfig: { type: 'string', default: '' },
  context: { type: 'string', default: '' },
  namespace: { type: 'string', short: 'n', default: '' },
  as: { type: 'string', default: '' },
  'as-group': { type: 'string', multiple: true, default: [] as string[] },
  direct: { type: 'boolean', default: false },
  'token-file': { type: 'string', default: '' },
  'certificate-authority': { type: 'string', default: '' },
  'client-certificate': { type: 'string', default: '' },
  'client-key': { type: 'string', default: '' },
  'insecure-skip-tls-verify': { type: 'boolean', default: false },
  'request-timeout': { type: 'string', default: '60s' },
} as const;

export const TARGET_HELP = `  TARGET is node/NAME, apiserver, pod/NAMESPACE/NAME:PORT, http(s)://HOST:PORT or unix:///PATH.

      --kubeconfig FILE, --context NAME, -n, --namespace NAME, --as USER, --as-group GROUP    as for kubectl
      --direct                     to the kubelet's own port instead of through the API server
      --token-file FILE            a bearer token, instead of what the kubeconfig has
      --certificate-authority FILE, --client-certificate FILE, --client-key FILE, --insecure-skip-tls-verify
      --request-timeout TIME       for each request (60s)
`;

export interface TargetOptions extends KubeOptions, DaemonOptions {
  readonly direct: boolean;
  readonly requestTimeoutSeconds: number;
}

interface TargetValues {
  readonly kubeconfig: string;
  readonly context: string;
  readonly namespace: string;
  readonly as: string;
  readonly 'as-group': string[];
  readonly direct: boolean;
  readonly 'token-file': string;
  readonly 'certificate-authority': string;
  readonly 'client-certificate': string;
  readonly 'client-key': string;
  readonly 'insecure-skip-tls-verify': boolean;
  readonly 'request-timeout': string;
}

/** The options, or what is wrong with them. */
export function parseTargetOptions(values: TargetValues, io: Pick<Io, 'cwd' | 'env'>): TargetOptions | string {
  const requestTimeoutSeconds = parseDuration(values['request-timeout']);
  if (requestTimeoutSeconds === undefined)
    return `--request-timeout takes a time such as 30s or 2m, not ${values['request-timeout']}`;
  if (values['as-group'].length > 0 && values.as === '') return '--as-group needs --as';
  if (values.direct && values.as !== '')
    return 'a kubelet knows no --as; with --direct, give the token of that user with --token-file';
  if ((values['client-certificate'] === '') !== (values['client-key'] === ''))
    return '--client-certificate and --client-key go together';
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespace: values.namespace,
    as: values.as,
    asGroups: values['as-group'],
    direct: values.direct,
    tokenFile: values['token-file'],
    certificateAuthority: values['certificate-authority'],
    clientCertificate: values['client-certificate'],
    clientKey: values['client-key'],
    insecure: values['insecure-skip-tls-verify'],
    requestTimeoutSeconds,
    cwd: io.cwd,
    env: io.env,
  };
}

/** The one target of a command line, or what is wrong with it. */
export function parseTarget(positionals: readonly string[], options: TargetOptions): TargetRef | string {
  if (positionals.length === 0) return 'no target given';
  if (positionals.length > 1) return `one target at a time, not ${positionals.join(' ')}`;
  const ref = parseTargetRef(positionals[0], options.namespace === '' ? undefined : options.namespace);
  if (typeof ref !== 'string' && ref.kind !== 'node' && options.direct) return '--direct is for nodes';
  return ref;
}
