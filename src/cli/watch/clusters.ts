/**
 * The clusters of a watch, from `--clusters WHAT` and `clusters:` in the file of `--config`:
 *
 *     --clusters clusters/               every kubeconfig of the folder, with its current context, named as the file
 *     --clusters eu.yaml                 one of them
 *     --clusters prod-eu                 a context of the kubeconfig
 *     --clusters 'prod-*'                every context that matches
 */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readKubeconfig } from '../../live/io/kube/kubeconfig-files.ts';
import { clusterName } from '../../evidence/target.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { ConfiguredCluster } from './config.ts';
import { clusterOfFile, openKube } from '../connect/open-target.ts';
import { Failure } from '../../base/errors.ts';
import type { KubeCluster } from '../../live/io/kube/kube-cluster.ts';

export interface ClusterSpec {
  readonly name: string;
  /** Where it comes from, for messages. */
  readonly source: string;
  readonly options: TargetOptions;
  /** False if the file of --config forbids it for this cluster. */
  readonly mayCapture: boolean;
  readonly mayAct: boolean;
  readonly memoryLimitBytes: number | undefined;
}

/** Editors and credential plugins leave other files beside kubeconfigs. */
const KUBECONFIG_FILE = /^[^.](?:[^.]*|.*\.(?:ya?ml|json|conf|config|kubeconfig))$/;
const MAX_CLUSTERS = 1000;

/** Throws a usage failure if there is no such cluster, or two have the same name. */
export async function clusterSpecs(
  given: readonly string[],
  configured: readonly ConfiguredCluster[],
  options: TargetOptions,
): Promise<readonly ClusterSpec[]> {
  const all = [...given.map(what => ({ what })), ...configured];
  const specs: ClusterSpec[] = [];
  for (const entry of all) specs.push(...(await specsOf(entry, options)));
  if (specs.length > MAX_CLUSTERS)
    throw new Failure('usage', `${specs.length} clusters are too many for one watch: at most ${MAX_CLUSTERS}`);
  const byName = new Map<string, ClusterSpec>();
  for (const spec of specs) {
    const other = byName.get(spec.name);
    if (other !== undefined)
      throw new Failure(
        'usage',
        `two clusters are called ${spec.name}: ${other.source} and ${spec.source}; leave one out, or name them in the file of --config`,
      );
    byName.set(spec.name, spec);
  }
  return specs;
}

type Entry = { readonly what: string } | ConfiguredCluster;

async function specsOf(entry: Entry, options: TargetOptions): Promise<ClusterSpec[]> {
  if ('what' in entry) return specsOfText(entry.what, options);
  const { name, kubeconfig = options.kubeconfig, context = '' } = entry;
  const source =
    context === '' && kubeconfig !== '' ? kubeconfig : `the context ${context === '' ? '(current)' : context}`;
  const own = {
    ...options,
    kubeconfig,
    context,
    direct: entry.direct ?? options.direct,
    tokenFile: entry.tokenFile ?? options.tokenFile,
  };
  const found = name ?? (context === '' ? clusterOfFile(kubeconfig) : clusterName(context));
  return [{ ...specOf(found, source, own), ...settingsOf(entry) }];
}

function settingsOf({
  capture,
  actions,
  memoryLimitBytes,
}: ConfiguredCluster): Pick<ClusterSpec, 'mayCapture' | 'mayAct' | 'memoryLimitBytes'> {
  return { mayCapture: capture !== false, mayAct: actions !== false, memoryLimitBytes };
}

async function specsOfText(what: string, options: TargetOptions): Promise<ClusterSpec[]> {
  const path = resolve(options.cwd, what);
  const found = what === '' ? undefined : await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return specsInFolder(what, path, options);
  if (found?.isFile() === true) return [specOfFile(what, path, options)];
  const { kubeconfig, cwd, env } = options;
  const config = await readKubeconfig({ path: kubeconfig, cwd, env });
  const contexts = config?.contexts.map(({ name }) => name) ?? [];
  const pattern = globOf(what);
  const matching = contexts.filter(name => name === what || pattern.test(name));
  if (matching.length === 0)
    throw new Failure(
      'usage',
      `--clusters ${what}: there is no such folder, and no such context in the kubeconfig; contexts are ${contexts.join(', ') || 'none'}`,
    );
  return matching.map(context => specOf(clusterName(context), `the context ${context}`, { ...options, context }));
}

async function specsInFolder(what: string, path: string, options: TargetOptions): Promise<ClusterSpec[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const specs: ClusterSpec[] = [];
  for (const { name } of entries.filter(({ name }) => KUBECONFIG_FILE.test(name)).sort(byName)) {
    const file = join(path, name);
    // In a mounted Secret, the files are links.
    if ((await stat(file).catch(() => undefined))?.isFile() === true)
      specs.push(specOfFile(join(what, name), file, options));
  }
  if (specs.length === 0) throw new Failure('usage', `--clusters ${what}: there is no kubeconfig in this folder`);
  return specs;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function specOfFile(shown: string, path: string, options: TargetOptions): ClusterSpec {
  return specOf(clusterOfFile(path), shown, { ...options, kubeconfig: path, context: '' });
}

function specOf(name: string, source: string, options: TargetOptions): ClusterSpec {
  if (name === '') throw new Failure('usage', `${source} has no letter or digit to name the cluster by`);
  const own = { ...options, clusterName: name };
  return { name, source, options: own, mayCapture: true, mayAct: true, memoryLimitBytes: undefined };
}

/** `*` and `?`, as in a shell; a slash is no border, since contexts have some. */
function globOf(what: string): RegExp {
  const escaped = what
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 's');
}

/** One without a name, or one of several. */
export class WatchedCluster {
  /** Undefined if it is the only one: then names of targets do not mention it. */
  readonly name: string | undefined;
  readonly options: TargetOptions;
  readonly mayAct: boolean;
  readonly memoryLimitBytes: number | undefined;
  #kube: KubeCluster | undefined;

  constructor(spec: Pick<ClusterSpec, 'options'> & Partial<ClusterSpec>) {
    this.name = spec.name;
    this.options = spec.options;
    this.mayAct = spec.mayAct ?? true;
    this.memoryLimitBytes = spec.memoryLimitBytes;
  }

  /** Undefined while its kubeconfig cannot be used. */
  get kube(): KubeCluster | undefined {
    return this.#kube;
  }

  /** Reads the kubeconfig; nothing is asked. Throws if it cannot be used. */
  async open(): Promise<KubeCluster> {
    return (this.#kube ??= await openKube(this.options));
  }
}

/**
 * Opens several. A kubeconfig that cannot be used does not keep the others from being watched: it is tried again later.
 * Throws if none of them can be used, or if two are the same.
 */
export async function openClusters(specs: readonly ClusterSpec[]): Promise<readonly WatchedCluster[]> {
  const clusters = specs.map(spec => new WatchedCluster(spec));
  const opened = await Promise.allSettled(clusters.map(cluster => cluster.open()));
  const failed = opened.flatMap(one => (one.status === 'rejected' ? [one.reason as Error] : []));
  if (failed.length === clusters.length && failed[0] !== undefined) throw failed[0];
  const names = new Map<string, string>();
  for (const { name, kube } of clusters) {
    if (kube === undefined || name === undefined) continue;
    const other = names.get(kube.server);
    if (other !== undefined)
      throw new Failure('usage', `${other} and ${name} are the same cluster, ${kube.server}: leave one of them out`);
    names.set(kube.server, name);
  }
  return clusters;
}
