/**
 * The API server's part in acting, in memory: nodes, pods, budgets, leases and events with versions, UIDs, conflicts,
 * evictions, dry runs and watches. It speaks in requests and answers, so that the real adapter is tested with it:
 *
 *     const world = new World(clock);
 *     world.addNode('worker-1'); world.addPod('worker-1', { name: 'web-1' });
 *     const actions = clusterActions({ endpoint, send: worldSender(world), deadlineSeconds: 10 });
 */
import { listOf, recordOf, textOf, type JsonRecord } from '../../../src/base/json.ts';
import type { WatchClock } from '../../../src/base/clock.ts';
import { evictionRefusal } from './eviction.ts';
import { type Mutable, status, type WorldAnswer } from './world-answer.ts';
import { mergePatch, strategicConditions } from './patches.ts';

export interface WorldRequest {
  readonly method: string;
  readonly path: string;
  readonly body: JsonRecord;
  readonly contentType: string;
  readonly userAgent: string;
}

export interface WorldChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly object: JsonRecord;
}

/** A fault answers in place of the server; undefined lets the request through. 'lost' after it was done. */
export type WorldFault = (request: WorldRequest, done: () => WorldAnswer) => WorldAnswer | 'no-answer' | undefined;

const COLLECTIONS = [
  'nodes',
  'pods',
  'leases',
  'events',
  'poddisruptionbudgets',
  'daemonsets',
  'namespaces',
  'configmaps',
] as const;
type Collection = (typeof COLLECTIONS)[number];

export class World {
  readonly clock: WatchClock;
  /** Every request that arrived. */
  readonly requests: WorldRequest[] = [];
  readonly changes: WorldChange[] = [];
  fault: WorldFault | undefined;
  /** Called when a pod is gone for good. */
  onGone: (pod: JsonRecord) => void = () => {};
  onCreated: (pod: Mutable) => void = () => {};
  readonly #objects = new Map<Collection, Map<string, Mutable>>(COLLECTIONS.map(name => [name, new Map()]));
  readonly #listeners = new Set<() => void>();
  #version = 100;
  #uids = 0;

  constructor(clock: WatchClock) {
    this.clock = clock;
  }

  all(collection: Collection): Mutable[] {
    return [...this.#of(collection).values()];
  }

  find(collection: Collection, name: string, namespace = ''): Mutable | undefined {
    return this.#of(collection).get(`${namespace}/${name}`);
  }

  addNode(name: string, more: JsonRecord = {}): Mutable {
    return this.add('nodes', {
      metadata: { name, annotations: {}, labels: {} },
      spec: {},
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1.36.0', bootID: `boot-${name}` },
      },
      ...more,
    });
  }

  addPod(node: string, { name, namespace = 'default', ...more }: PodSeed): Mutable {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true };
    return this.add('pods', {
      metadata: { name, namespace, labels: { app: 'web' }, ownerReferences: [owner], ...more.metadata },
      spec: { nodeName: node, terminationGracePeriodSeconds: 30, ...more.spec },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...more.status },
    });
  }

  add(collection: Collection, object: JsonRecord): Mutable {
    const metadata = recordOf(object['metadata']);
    const made: Mutable = {
      ...object,
      metadata: {
        ...metadata,
        uid: textOf(metadata['uid']) || `uid-${++this.#uids}`,
        creationTimestamp: this.#stamp(),
      },
    };
    this.#put(collection, made, 'ADDED');
    return made;
  }

  change(collection: Collection, name: string, patch: JsonRecord, namespace = ''): Mutable {
    const old = this.find(collection, name, namespace);
    if (old === undefined) throw new Error(`there is no ${collection} ${namespace}/${name}`);
    const changed = mergePatch(old, patch) as Mutable;
    this.#put(collection, changed, 'MODIFIED');
    return changed;
  }

  remove(collection: Collection, name: string, namespace = ''): void {
    const old = this.find(collection, name, namespace);
    if (old === undefined) return;
    this.#of(collection).delete(`${namespace}/${name}`);
    this.#note('DELETED', collection, old);
    if (collection === 'pods') this.onGone(old);
  }

  /** Resolves at the next change, or when the signal aborts. */
  nextChange(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        this.#listeners.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#listeners.add(done);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }

  get version(): number {
    return this.#version;
  }

  answer(request: WorldRequest): WorldAnswer | 'no-answer' {
    this.requests.push(request);
    let answered: WorldAnswer | undefined;
    const done = (): WorldAnswer => (answered ??= this.#answer(request));
    return this.fault?.(request, done) ?? done();
  }

  #answer({ method, path, body, contentType }: WorldRequest): WorldAnswer {
    const url = new URL(path, 'https://world');
    const [, namespace = '', collection = '', name = '', sub = ''] =
      /^\/apis?(?:\/[a-z0-9.]+)?\/v1(?:\/namespaces\/([^/]+)(?=\/))?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(
        url.pathname,
      ) ?? [];
    if (!(COLLECTIONS as readonly string[]).includes(collection)) return status(404, 'NotFound', `no ${path}`);
    const kind = collection as Collection;
    if (method === 'GET' && name === '') return this.#list(kind, namespace, url.searchParams);
    if (method === 'POST' && sub === '') return this.#create(kind, namespace, body);
    const found = this.find(kind, decodeURIComponent(name), namespace);
    if (found === undefined) return status(404, 'NotFound', `${collection} "${name}" not found`);
    if (sub === 'eviction') return this.#evict(found, body);
    if (method === 'GET') return { status: 200, body: found };
    if (method === 'DELETE') return this.#delete(kind, found, body);
    const wanted = recordOf(body['metadata'])['resourceVersion'];
    if (wanted !== undefined && wanted !== recordOf(found['metadata'])['resourceVersion'])
      return status(409, 'Conflict', 'the object has been modified; please apply your changes to the latest version');
    const next =
      method === 'PUT'
        ? { ...body, metadata: { ...recordOf(found['metadata']), ...recordOf(body['metadata']) } }
        : contentType.includes('strategic')
          ? strategicConditions(found, body)
          : mergePatch(found, body);
    this.#put(kind, next as Mutable, 'MODIFIED');
    return { status: 200, body: next as JsonRecord };
  }

  #list(collection: Collection, namespace: string, query: URLSearchParams): WorldAnswer {
    const node = /^spec\.nodeName=(.*)$/.exec(query.get('fieldSelector') ?? '')?.[1];
    const items = this.all(collection)
      .filter(item => namespace === '' || recordOf(item['metadata'])['namespace'] === namespace)
      .filter(item => node === undefined || recordOf(item['spec'])['nodeName'] === node);
    return { status: 200, body: { metadata: { resourceVersion: String(this.#version) }, items } };
  }

  #create(collection: Collection, namespace: string, body: JsonRecord): WorldAnswer {
    const metadata = recordOf(body['metadata']);
    const prefix = textOf(metadata['generateName']);
    const name = textOf(metadata['name']) || (prefix === '' ? '' : `${prefix}${++this.#uids}`);
    if (name === '') return status(422, 'Invalid', 'metadata.name: Required value');
    if (this.find(collection, name, namespace) !== undefined)
      return status(409, 'AlreadyExists', `${collection} "${name}" already exists`);
    const inNamespace = namespace === '' ? {} : { namespace };
    const made = this.add(collection, { ...body, metadata: { ...metadata, name, ...inNamespace } });
    if (collection === 'pods') this.onCreated(made);
    return { status: 201, body: made };
  }

  #delete(collection: Collection, found: Mutable, body: JsonRecord): WorldAnswer {
    const { name, namespace, uid } = recordOf(found['metadata']);
    const wanted = recordOf(body['preconditions'])['uid'];
    if (wanted !== undefined && wanted !== uid)
      return status(409, 'Conflict', `Precondition failed: UID in precondition: ${String(wanted)}`);
    this.remove(collection, textOf(name), textOf(namespace));
    return { status: 200, body: found };
  }

  #evict(pod: Mutable, body: JsonRecord): WorldAnswer {
    const options = recordOf(body['deleteOptions']);
    const { name, namespace, uid, deletionTimestamp } = recordOf(pod['metadata']);
    const wanted = recordOf(options['preconditions'])['uid'];
    if (wanted !== undefined && wanted !== uid)
      return status(409, 'Conflict', `the UID in the precondition (${String(wanted)}) does not match (${String(uid)})`);
    if (deletionTimestamp === undefined) {
      const refused = evictionRefusal(pod, this.all('poddisruptionbudgets'), listOf(options['dryRun']).length > 0);
      if (refused !== undefined) return refused;
    }
    if (listOf(options['dryRun']).length > 0) return { status: 201, body: {} };
    if (deletionTimestamp === undefined) {
      const grace = Number(
        options['gracePeriodSeconds'] ?? recordOf(pod['spec'])['terminationGracePeriodSeconds'] ?? 30,
      );
      this.change('pods', textOf(name), { metadata: { deletionTimestamp: this.#stamp() } }, textOf(namespace));
      void this.clock.sleep(grace, new AbortController().signal).then(() => {
        if (recordOf(this.find('pods', textOf(name), textOf(namespace))?.['metadata'])['uid'] === uid)
          this.remove('pods', textOf(name), textOf(namespace));
      });
    }
    return { status: 201, body: {} };
  }

  #put(collection: Collection, object: Mutable, type: WorldChange['type']): void {
    const metadata = { ...recordOf(object['metadata']), resourceVersion: String(this.#version + 1) };
    object['metadata'] = metadata;
    this.#of(collection).set(`${textOf(metadata['namespace' as never])}/${textOf(metadata['name' as never])}`, object);
    this.#note(type, collection, object);
  }

  #note(type: WorldChange['type'], collection: Collection, object: JsonRecord): void {
    this.#version++;
    if (collection === 'pods') this.changes.push({ type, version: this.#version, object: structuredClone(object) });
    for (const listener of this.#listeners) listener();
  }

  #of(collection: Collection): Map<string, Mutable> {
    return this.#objects.get(collection)!;
  }

  #stamp(): string {
    return new Date(this.clock.now() * 1000).toISOString();
  }
}

export interface PodSeed {
  readonly name: string;
  readonly namespace?: string;
  readonly metadata?: JsonRecord;
  readonly spec?: JsonRecord;
  readonly status?: JsonRecord;
}
