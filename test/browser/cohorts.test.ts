import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertSoundInEveryLook, NO_BROWSER, openUi, unfold } from './browser.ts';
import { COHORT_ID, madeCohortIncident, madeCohorts, madeRollout } from './made-cohorts.ts';
import { madeFleet, madeStatus, served } from './made-fleet.ts';
import { madeIncident } from './made-target.ts';
import { servedIncidents } from './served-incidents.ts';
import { until } from '../until.ts';

const answers = {
  '/status': madeStatus(),
  '/fleet': served(madeFleet()),
  '/cohorts': madeCohorts(),
  '/rollout': madeRollout(),
  '/incidents': servedIncidents([
    madeCohortIncident(),
    ...madeCohortIncident().members.flatMap(({ target, incidentId }) =>
      incidentId === null ? [] : [madeIncident({ id: incidentId, target, partOf: COHORT_ID })],
    ),
    madeIncident({ id: 'i-9', target: 'node/other' }),
  ]),
  [`/incidents/${COHORT_ID}`]: madeCohortIncident(),
};

describe('cohorts', { skip: NO_BROWSER }, () => {
  it('are compared on the fleet page, and have an incident, in every look', async t => {
    const fleet = await openUi(t, { answers, path: '/' });
    await fleet.page.getByRole('heading', { name: 'By version' }).waitFor();
    await fleet.page.getByRole('figure', { name: 'Rollout of version against growth of live heap' }).waitFor();
    await assertSoundInEveryLook(fleet);
    const incident = await openUi(t, { answers, path: `/i/${COHORT_ID}` });
    await incident.page.getByRole('heading', { name: '20 targets with it, 19 incidents folded' }).waitFor();
    await assertSoundInEveryLook(incident, () => unfold(incident.page));
  });

  it('show rate, interval, who speaks for and against, and lead to the nodes', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    const row = page.getByRole('region', { name: 'By version' }).getByRole('row', { name: /v1\.36\.0/ });
    const text = (await row.textContent()) ?? '';
    assert.match(text, /\+2\.3 MiB\/h \+2\.1 MiB\/h to \+2\.5 MiB\/h/);
    assert.match(text, /19 of 20.*0 of 60.*node\/worker-20 does not grow; runtime cri-o/);
    await row.getByRole('link', { name: '19 of 20' }).click();
    await page.waitForURL(/is=version:v1\.36\.0/);
    assert.match(page.url(), /v=leak,watch/);
    await page.getByRole('link', { name: 'incident of version v1.36.0, with 19 of its targets' }).click();
    await page.waitForURL(new RegExp(`/i/${COHORT_ID}$`));
    const heading = await page.getByRole('heading', { level: 1 }).textContent();
    assert.equal(heading, 'leak v1.36.0 leaks on 19 of 20 nodes, 0 of 60 elsewhere: stop the rollout.');
    await page.getByRole('link', { name: 'node/worker-20' }).waitFor();
    assert.equal(await page.getByRole('row', { name: /grows/ }).count(), 19);
  });

  it('say under the pointer who had which value then', async t => {
    const { page } = await openUi(t, { answers, path: '/' });
    const plot = page.locator('.rollout-plot');
    const legend = page.locator('.rollout-legend');
    await plot.waitFor();
    assert.match((await legend.textContent()) ?? '', /v1\.36\.0 20, \+52\.9 MiB/);
    const box = await plot.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 5, box.y + 60);
    await page.locator('.rollout-cursor').waitFor({ state: 'attached' });
    assert.match((await legend.textContent()) ?? '', /v1\.36\.0 0, –/);
  });

  it('are one line in the list of incidents, however many targets leak', async t => {
    const { page } = await openUi(t, { answers, path: '/i' });
    await page.getByRole('heading', { name: '2 open incidents, 2 in total.' }).waitFor();
    const rows = page.getByRole('region', { name: '2 open incidents' }).locator('tbody tr');
    assert.equal(await rows.count(), 2);
    assert.match((await rows.first().textContent()) ?? '', /stop the rollout\. 19 incidents folded into it/);
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.waitForURL(/folded=1/);
    await until(async () => (await rows.count()) === 21);
  });
});
