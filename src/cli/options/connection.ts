/** How to reach live targets: kubectl's options where kubectl has them. */
import type { DaemonOptions } from '../../live/io/daemon-connection.ts';
import type { KubeOptions } from '../../live/io/kube/kube-credentials.ts';
import { parseTargetRef, type TargetRef } from '../../evidence/target.ts';
import { httpSender } from '../../live/io/send-request.ts';
import type { SendRequest } from '../../live/ports.ts';
import type { Io } from '../io.ts';
import { duration, file, flag, text, texts } from './kinds.ts';
import type { Operands } from './command.ts';
import type { OptionTable } from './option.ts';
import { Failure } from '../../base/errors.ts';

export interface ConnectionValues {
  readonly kubeconfig: string;
  readonly context: string;
  readonly namespace: string;
  readonly as: string;
  readonly asGroup: readonly string[];
  readonly direct: boolean;
  readonly tokenFile: string;
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly requestTimeout: number;
}

const section = 'Connection';

export const CONNECTION_OPTIONS: OptionTable<ConnectionValues> = {
  kubeconfig: file({ section, default: '', help: 'as for kubectl' }),
  context: text({ section, placeholder: 'NAME', default: '', help: 'as for kubectl' }),
  namespace: text({
    section,
    short: 'n',
    placeholder: 'NAME',
    default: '',
    help: 'namespace of pods given without one',
  }),
  as: text({ section, placeholder: 'USER', default: '', help: 'impersonate this user, as for kubectl' }),
  asGroup: texts({ section, placeholder: 'GROUP', needs: ['as'], help: 'impersonate this group' }),
  direct: flag({ section, help: "connect to the kubelet's own port instead of through the API server" }),
  tokenFile: file({ section, default: '', help: 'a bearer token, instead of the credentials in the kubeconfig' }),
  certificateAuthority: file({ section, default: '', help: "the CA that signed the server's certificate" }),
  clientCertificate: file({ section, default: '', needs: ['clientKey'], help: 'a client certificate' }),
  clientKey: file({ section, default: '', needs: ['clientCertificate'], help: 'its key' }),
  insecureSkipTlsVerify: flag({ section, help: "do not check the server's certificate" }),
  requestTimeout: duration({ section, default: '60s', help: 'for each request' }),
};

/** For the help of commands that take a target. */
export const TARGET_FORMS =
  'A TARGET is node/NAME, apiserver, pod/NAMESPACE/NAME:PORT, http(s)://HOST:PORT or unix:///PATH.';

export const TARGET_OPERANDS: Operands = {
  words: ['node/', 'apiserver', 'pod/', 'http://', 'https://', 'unix:///'],
};

export interface TargetOptions extends KubeOptions, DaemonOptions {
  readonly direct: boolean;
  readonly requestTimeoutSeconds: number;
  /** For everything that the command opens. */
  readonly send?: SendRequest;
}

/** Throws a usage failure if options contradict each other. */
export function targetOptions(values: ConnectionValues, io: Pick<Io, 'cwd' | 'env'>): TargetOptions {
  if (values.direct && values.as !== '')
    throw new Failure(
      'usage',
      'a kubelet does not know --as; with --direct, give the token of that user with --token-file',
    );
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespace: values.namespace,
    as: values.as,
    asGroups: [...values.asGroup],
    direct: values.direct,
    tokenFile: values.tokenFile,
    certificateAuthority: values.certificateAuthority,
    clientCertificate: values.clientCertificate,
    clientKey: values.clientKey,
    insecure: values.insecureSkipTlsVerify,
    requestTimeoutSeconds: values.requestTimeout,
    cwd: io.cwd,
    env: io.env,
    send: httpSender(io.env),
  };
}

/** The targets named by the operands. Throws a usage failure. */
export function targetsOf(operands: readonly string[], { namespace }: Pick<TargetOptions, 'namespace'>): TargetRef[] {
  return operands.map(operand => {
    const ref = parseTargetRef(operand, namespace === '' ? undefined : namespace);
    if (typeof ref === 'string') throw new Failure('usage', ref);
    return ref;
  });
}

/** The one target named by the operands, if any. Throws a usage failure if there are more. */
export function targetOf(operands: readonly string[], options: TargetOptions): TargetRef | undefined {
  if (operands.length > 1) throw new Failure('usage', `one target at a time, not ${operands.join(' ')}`);
  const [ref] = targetsOf(operands, options);
  if (ref !== undefined && ref.kind !== 'node' && options.direct) throw new Failure('usage', '--direct is for nodes');
  return ref;
}

export function requiredTarget(operands: readonly string[], options: TargetOptions): TargetRef {
  const ref = targetOf(operands, options);
  if (ref === undefined) throw new Failure('usage', 'no target given');
  return ref;
}
