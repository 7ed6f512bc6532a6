/** A process that serves HTTP itself: at a URL, or on a unix socket. */
import type { TargetRef } from '../../evidence/target.ts';
import { targetText } from '../../evidence/target.ts';
import {
  type TargetConnection,
  type Credentials,
  type SendRequest,
  endpointConnection,
  type CredentialFiles,
} from '../ports.ts';

export interface DaemonOptions {
  /** Files; '' for none. */
  readonly tokenFile: string;
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly insecure: boolean;
}

export type DaemonRef = TargetRef & { readonly kind: 'url' | 'unix' };

export function daemonConnection(
  ref: DaemonRef,
  options: DaemonOptions,
  send: SendRequest,
  files: CredentialFiles,
): TargetConnection {
  const endpoint = {
    base: new URL(ref.kind === 'url' ? ref.url : 'http://localhost'),
    ...(ref.kind === 'unix' ? { socketPath: ref.socketPath } : {}),
    tls: { insecure: options.insecure },
    credentials: () => daemonCredentials(options, files),
  };
  return endpointConnection(targetText(ref), ref.kind === 'url' ? 'http' : 'unix', endpoint, send);
}

async function daemonCredentials(options: DaemonOptions, files: CredentialFiles): Promise<Credentials> {
  const { tokenFile, certificateAuthority, clientCertificate, clientKey } = options;
  return {
    headers: tokenFile === '' ? {} : { Authorization: `Bearer ${await files.readToken(tokenFile)}` },
    ...(certificateAuthority === '' ? {} : { ca: await files.readBytes(certificateAuthority) }),
    ...(clientCertificate === '' ? {} : { cert: await files.readBytes(clientCertificate) }),
    ...(clientKey === '' ? {} : { key: await files.readBytes(clientKey) }),
  };
}
