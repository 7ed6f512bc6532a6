import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { MadeFleet } from '../double/served-fleet.ts';
import type { ClusterStatus } from '../../src/watch/watch-model.ts';
import { until } from '../until.ts';
import { assertSoundInEveryLook, NO_BROWSER, openUi } from './browser.ts';
import { madeFleet, madeStatus, NOW, served } from './made-fleet.ts';

const NAMES = ['prod-ap', 'prod-eu', 'prod-us'];

/** Every third node is in another cluster, so that each cluster has a node of each name's end. */
function fleetOfClusters(): MadeFleet {
  const fleet = madeFleet();
  const rows = fleet.rows.map((row, i) => {
    const cluster = NAMES[i % 3] ?? '';
    return { ...row, target: `cluster/${cluster}/${row.target}`, attributes: { ...row.attributes, cluster } };
  });
  return { ...fleet, rows };
}

function cluster(name: string, changes: Partial<ClusterStatus> = {}): ClusterStatus {
  const counts = { targetCount: 8, silentCount: 0, leakCount: 1 };
  return { name, state: 'reached', why: null, since: NOW - 3600, ...counts, ...changes };
}

const WHY = 'the API server https://10.0.0.1:6443 does not answer within 30 s';
const status = madeStatus({
  cluster: '3 clusters',
  clusters: [cluster('prod-ap'), cluster('prod-eu'), cluster('prod-us', { state: 'not reached', why: WHY })],
  missingRights: [{ why: 'failing', what: `cluster prod-us: nodes: ${WHY}`, command: 'oakum doctor' }],
});
const answers = { '/status': status, '/fleet': served(fleetOfClusters()) };

const targets = (page: Page): Locator => page.getByRole('table', { name: 'Targets' });

describe('a fleet of several clusters', { skip: NO_BROWSER }, () => {
  it('says which clusters are not reached, in every look', async t => {
    const opened = await openUi(t, { answers, path: '/' });
    const { page } = opened;
    await page.getByRole('link', { name: '3 clusters' }).waitFor();
    const table = page.getByRole('region', { name: 'Clusters' });
    const cells = await table.getByRole('row').allTextContents();
    assert.equal(cells.length, 4);
    assert.match(cells[1] ?? '', /^prod-usnot reached.*does not answer within 30 s/);
    await page.getByText('3, 1 not reached').waitFor();
    await assertSoundInEveryLook(opened);
  });

  it('shows the cluster before the name of a target, and finds both', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    const first = targets(page).getByRole('rowheader').first().getByRole('link');
    assert.equal(await first.textContent(), 'prod-ap node/worker-01');
    assert.match((await first.getAttribute('href')) ?? '', /^\/t\/cluster\/prod-ap\/node\/worker-01/);
    await page.keyboard.press('/');
    await page.keyboard.type('prod-eu worker-02');
    await page.waitForURL(/q=prod-eu/);
    const names = targets(page).getByRole('rowheader');
    await until(async () => (await names.count()) === 1);
    assert.deepEqual(await names.allTextContents(), ['prod-eu node/worker-02']);
  });

  it('compares the clusters, and shows the targets of one', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    await page.getByRole('link', { name: '3 clusters' }).click();
    await page.waitForURL(/by=cluster/);
    await page.getByRole('button', { name: /^prod-eu 1 of 8 leak/ }).click();
    await page.waitForURL(/is=cluster:prod-eu/);
    await until(async () => (await targets(page).getByRole('rowheader').filter({ hasText: 'node/' }).count()) === 8);
  });
});
