/**
 * Reads kubeconfig files as kubectl does: --kubeconfig, or every file of KUBECONFIG, or ~/.kube/config. Of two entries
 * with the same name, the first counts. Relative paths start at the folder of the file that contains them.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { FormatError } from '../../../base/errors.ts';

export type Fields = Record<string, unknown>;

export interface Kubeconfig {
  readonly clusters: readonly NamedEntry[];
  readonly contexts: readonly NamedEntry[];
  readonly users: readonly NamedEntry[];
  readonly currentContext: string;
}

/** The fields under `cluster:`, `context:` or `user:`. */
export interface NamedEntry {
  readonly name: string;
  readonly fields: Fields;
}

export interface KubeconfigPlace {
  /** --kubeconfig; '' if not given. */
  readonly path: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** Undefined if there is no file at all. */
export async function readKubeconfig(place: KubeconfigPlace): Promise<Kubeconfig | undefined> {
  const { path, cwd, env } = place;
  if (path !== '') return readFileAt(resolve(cwd, path));
  const home = env['HOME'] || env['USERPROFILE'] || '';
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter(file => file !== '');
  const files = listed.length > 0 ? listed : home === '' ? [] : [join(home, '.kube', 'config')];
  let merged: Kubeconfig | undefined;
  for (const file of files) {
    const at = resolve(cwd, file);
    // kubectl skips missing files.
    if ((await stat(at).catch(() => undefined)) === undefined) continue;
    const next = await readFileAt(at);
    merged = merged === undefined ? next : merge(merged, next);
  }
  return merged;
}

function merge(first: Kubeconfig, next: Kubeconfig): Kubeconfig {
  const join = (a: readonly NamedEntry[], b: readonly NamedEntry[]): NamedEntry[] => [
    ...a,
    ...b.filter(({ name }) => !a.some(known => known.name === name)),
  ];
  return {
    clusters: join(first.clusters, next.clusters),
    contexts: join(first.contexts, next.contexts),
    users: join(first.users, next.users),
    currentContext: first.currentContext || next.currentContext,
  };
}

async function readFileAt(path: string): Promise<Kubeconfig> {
  let root: unknown;
  try {
    root = parse(await readText(path));
  } catch (error) {
    if (error instanceof FormatError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new FormatError(`${path} is not a kubeconfig: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
  if (!isFields(root)) throw new FormatError(`${path} is not a kubeconfig: it has no clusters`);
  const folder = dirname(path);
  return {
    clusters: entries(root['clusters'], 'cluster', folder),
    contexts: entries(root['contexts'], 'context', folder),
    users: entries(root['users'], 'user', folder),
    currentContext: text(root['current-context']),
  };
}

/** A pipe has no size, so its bytes are counted. */
async function readText(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(path, { end: MAX_BYTES })) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  if (bytes > MAX_BYTES) throw new FormatError(`${path}: larger than any kubeconfig`);
  return Buffer.concat(chunks).toString('utf8');
}

function entries(list: unknown, key: string, folder: string): NamedEntry[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isFields).map(entry => {
    const fields = isFields(entry[key]) ? { ...entry[key] } : {};
    for (const name of PATHS) {
      if (text(fields[name]) !== '') fields[name] = resolve(folder, text(fields[name]));
    }
    return { name: text(entry['name']), fields: withCommandAt(fields, folder) };
  });
}

/** `./plugin` of an exec user is in the folder of the file; `plugin` is on the PATH. */
function withCommandAt(fields: Fields, folder: string): Fields {
  const exec = fields['exec'];
  if (!isFields(exec) || !text(exec['command']).includes('/')) return fields;
  return { ...fields, exec: { ...exec, command: resolve(folder, text(exec['command'])) } };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
