// A reporter for node:test that runs inside a worker: passes the events on to the pool, as plain data.
import { inspect } from 'node:util';
import { inSources } from './bundle.mjs';

const waiting = new Map();

/** Resolves when everything about a file has been passed on. */
export function passedOn(file) {
  return new Promise(resolve => waiting.set(file, resolve));
}

export default async function* passOn(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail' && type !== 'test:dequeue') continue;
    await tellPool({
      kind: type,
      nesting: data.nesting,
      name: data.name,
      isSuite: data.details?.type === 'suite',
      ms: data.details?.duration_ms,
      ...(data.skip === undefined ? {} : { skip: data.skip }),
      ...(data.todo === undefined ? {} : { todo: data.todo }),
      ...(type === 'test:fail' ? failureOf(data.details.error) : {}),
    });
    // The test around all files is at 0, the suite around each file at 1.
    if (data.nesting === 1 && type !== 'test:dequeue') waiting.get(data.name)?.();
  }
  yield '';
}

/** Sends a message to the pool; resolves when it is on its way. */
export function tellPool(message) {
  return new Promise(resolve => (process.connected ? process.send(message, resolve) : resolve()));
}

function failureOf(error) {
  return { failureType: error?.failureType, error: explain(error?.cause ?? error) };
}

export function explain(cause) {
  if (cause instanceof Error || typeof cause?.stack === 'string') return inSources(cause.stack);
  return typeof cause === 'string' ? cause : inSources(inspect(cause));
}
