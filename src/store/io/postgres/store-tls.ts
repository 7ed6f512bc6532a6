/** TLS to the server, by the parameters of libpq. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { Failure } from '../../../base/failure.ts';
import type { StoreAddress } from './store-url.ts';

/**
 * As libpq does: `require` encrypts, and checks the server only if there is a root certificate. Without one, `verify-ca`
 * and `verify-full` trust the authorities of Node.js. Files are read again for each connection: certificates are renewed
 * while a watch runs. Throws a Failure.
 */
export function sslOf(address: StoreAddress): ClientConfig['ssl'] {
  const { host, sslmode, sslrootcert, sslcert, sslkey } = address;
  if (sslmode === 'disable' || host === undefined || host.startsWith('/')) return false;
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new Failure('usage', '--store: sslcert and sslkey belong together; give both');
  const verifies = sslmode.startsWith('verify') || (sslmode === 'require' && sslrootcert !== undefined);
  const ssl: Exclude<ClientConfig['ssl'], boolean | undefined> = {
    rejectUnauthorized: verifies,
    ...(sslmode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
  const define = (name: 'ca' | 'cert' | 'key', get: () => string): void =>
    void Object.defineProperty(ssl, name, { get, enumerable: true, configurable: true });
  if (sslrootcert !== undefined) {
    const authority = renewed(() => certificateIn('sslrootcert', sslrootcert));
    define('ca', () => authority.read());
  }
  if (sslcert !== undefined && sslkey !== undefined) {
    const own = renewed(() => pairIn(sslcert, sslkey));
    define('cert', () => own.read().certificate);
    define('key', () => own.last.key);
  }
  return ssl;
}

interface Renewed<T> {
  last: T;
  /** The last one if it cannot be read now, such as while it is being replaced. */
  read(): T;
}

function renewed<T>(read: () => T): Renewed<T> {
  return {
    last: read(),
    read() {
      try {
        this.last = read();
      } catch {
        // What was read before may still be good; if it is not, the server says so.
      }
      return this.last;
    },
  };
}

function pairIn(sslcert: string, sslkey: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = [certificateIn('sslcert', sslcert), keyIn('sslkey', sslkey)];
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Failure(
      'usage',
      `--store: sslkey: the key in ${sslkey} does not belong to the certificate in ${sslcert}`,
    );
  return { certificate, key };
}

function certificateIn(parameter: string, path: string): string {
  const text = textIn(parameter, path);
  try {
    void new X509Certificate(text);
    return text;
  } catch {
    throw new Failure('usage', `--store: ${parameter}: ${path} has no certificate in PEM form`);
  }
}

function keyIn(parameter: string, path: string): string {
  const text = textIn(parameter, path);
  try {
    createPrivateKey(text);
    return text;
  } catch {
    throw new Failure('usage', `--store: ${parameter}: ${path} has no private key in PEM form, without a passphrase`);
  }
}

function textIn(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Failure('usage', `--store: ${parameter}: cannot read ${path}`);
  }
}
