import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleService } from '../../../test/double/example-service.ts';
import { servedFleet } from '../../../test/double/served-fleet.ts';
import { encodeText } from '../../base/text.ts';
import type { FleetRow } from '../../watch/views/fleet.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { watchFindings } from './watch-findings.ts';
import { fleetParameters } from '../../watch/server/parameters.ts';

/** A watch with these rows, each like the leaking one of the example; notes what it is asked. */
async function watchOf(names: readonly string[], clusters: readonly string[] = []) {
  const view = await exampleService().fleet(1);
  const row: FleetRow = { ...view.rows[0], incidentId: null };
  const { fleet } = servedFleet({ ...view, rows: names.map(target => ({ ...row, target })) });
  const asked: string[] = [];
  const connection: TargetConnection = {
    target: 'watch',
    via: 'http',
    address: 'http://watch',
    async get(path) {
      asked.push(path);
      const url = new URL(path, 'http://watch');
      const { hours, query } = fleetParameters(new URL(url.pathname === '/api/v1/fleet' ? url : 'http://watch/'));
      const answer = url.pathname === '/api/v1/fleet' ? await fleet(hours, query) : { clusters: clusters.map(toName) };
      return {
        kind: 'answer',
        status: 200,
        headers: {},
        body: encodeText(JSON.stringify(answer)),
        cut: undefined,
        headAtSeconds: 0,
        dateSeconds: undefined,
        tookSeconds: 0,
      };
    },
  };
  return { connection, asked };
}

const toName = (name: string): { readonly name: string } => ({ name });

describe('what a running watch says about nodes', () => {
  it('is read page by page: every node that leaks, once', async () => {
    const names = Array.from({ length: 2345 }, (_, i) => `node/worker-${i}`);
    const { connection, asked } = await watchOf([...names, 'http://localhost:6060']);
    const found = await watchFindings(connection, { names: undefined, cluster: 'a' }, 5);
    assert.equal(found.size, 2345);
    assert.equal(found.get('worker-2344')?.verdict, 'leak');
    assert.equal(asked.filter(path => path.includes('/fleet?')).length, 3);
  });

  it('is asked for single nodes by name, without any other row', async () => {
    const { connection, asked } = await watchOf(['node/a', 'node/b', 'node/ab']);
    const found = await watchFindings(connection, { names: ['b', 'gone'], cluster: 'a' }, 5);
    assert.deepEqual([...found.keys()], ['b']);
    assert.ok(asked.slice(1).every(path => path.includes('limit=0')));
  });

  it('is about the nodes of the asked cluster, if there are several', async () => {
    const targets = ['cluster/eu/node/a', 'cluster/us/node/a', 'cluster/us/node/b'];
    const { connection } = await watchOf(targets, ['eu', 'us']);
    const all = await watchFindings(connection, { names: undefined, cluster: 'us' }, 5);
    assert.deepEqual([...all.keys()], ['a', 'b']);
    assert.deepEqual([...(await watchFindings(connection, { names: ['b'], cluster: 'eu' }, 5)).keys()], []);
    await assert.rejects(
      watchFindings(connection, { names: ['b'], cluster: 'asia' }, 5),
      /watches the clusters eu, us, and not asia/,
    );
  });
});
