/** Certificates for tests, made with openssl: an authority, and what it signs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const opensslAbsent: string | false =
  spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

export interface KeyPair {
  /** Files. */
  readonly certificate: string;
  readonly key: string;
}

export interface Wanted {
  readonly commonName: string;
  /** `DNS:localhost`, `IP:127.0.0.1`. */
  readonly altNames?: string;
  /** From now on; negative for one that has expired. */
  readonly days?: number;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export class Authority {
  readonly #folder: string;
  readonly #name: string;
  #made = 0;
  readonly own: KeyPair;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.own = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    const subject = ['-subj', `/CN=${name}`, '-days', '2'];
    openssl('req', '-x509', ...NEW_KEY, ...subject, '-keyout', this.own.key, '-out', this.own.certificate);
  }

  sign({ commonName, altNames, days = 2 }: Wanted): KeyPair {
    const base = join(this.#folder, `${this.#name}-${++this.#made}`);
    const [request, certificate, key] = [`${base}.csr`, `${base}.pem`, `${base}.key`];
    const names = altNames === undefined ? [] : ['-addext', `subjectAltName=${altNames}`];
    openssl('req', ...NEW_KEY, '-subj', `/CN=${commonName}`, ...names, '-keyout', key, '-out', request);
    const by = ['-CA', this.own.certificate, '-CAkey', this.own.key, '-CAcreateserial'];
    const how = ['-days', String(days), '-copy_extensions', 'copy'];
    openssl('x509', '-req', '-in', request, ...by, ...how, '-out', certificate);
    return { certificate, key };
  }
}

/** The same key, with a passphrase. */
export function lockedKey({ key }: KeyPair): string {
  openssl('ec', '-in', key, '-aes256', '-passout', 'pass:secret', '-out', `${key}.locked`);
  return `${key}.locked`;
}

export function fileWith(folder: string, name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

export function contentOf({ certificate, key }: KeyPair): { readonly certificate: string; readonly key: string } {
  return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
