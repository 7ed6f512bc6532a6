/** A plan on the page of an incident, with the real server and a small cluster behind it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readActionTokens } from '../../src/act/io/action-tokens.ts';
import { startExample, type ExampleServer } from '../double/example-server.ts';
import { marksOn } from '../double/world/acting-world.ts';
import { inTime } from '../double/world/in-time.ts';
import { watchedWorld, type WatchedWorld } from '../double/world/watched-world.ts';
import type { WatchService } from '../../src/watch/watch-service.ts';
import { assertSound, assertSoundInEveryLook, NO_BROWSER, openPage, unfold, type OpenPage } from './browser.ts';
import { builtUi } from './ui-server.ts';
import type { WatchPlans } from '../../src/act/watch/watch-plan.ts';

const KIM = 'kim-token-0123456789abcdef';

interface Opened extends OpenPage {
  readonly watched: WatchedWorld;
  readonly server: ExampleServer;
  readonly plans: WatchPlans;
}

async function open(
  t: TestContext,
  mayAct: boolean,
  service: Partial<WatchService> = {},
  incident = 'i-1',
): Promise<Opened> {
  const watched = watchedWorld(service);
  let tell = (_: string): void => {};
  const plans = watched.plans({ mayAct, ports: { changed: id => tell(id) } });
  const server = await startExample(t, {
    plans,
    webFolder: await builtUi(),
    actionTokens: mayAct ? readActionTokens(`kim ${KIM}`, 'people', undefined) : undefined,
  });
  tell = id => server.service.tell({ kind: 'incident', id, at: 0 });
  return { ...(await openPage(t, `${server.url}/i/${incident}`)), watched, server, plans };
}

async function makePlan({ page }: OpenPage, to = 'restart'): Promise<void> {
  const form = page.getByRole('form', { name: 'Make a plan' });
  await form.getByLabel('To').selectOption(to);
  await form.getByLabel('Planned by').fill('kim');
  await form.getByRole('button', { name: 'Make a plan' }).click();
  await page.getByRole('group', { name: /^Plan plan-/ }).waitFor();
}

describe('a plan on the page of an incident', { skip: NO_BROWSER }, () => {
  it('is made by anyone, shows its steps, and is applied elsewhere if the server may not act', async t => {
    const opened = await open(t, false);
    const { page, watched } = opened;
    await makePlan(opened);
    const plan = page.getByRole('group', { name: /^Plan plan-/ });
    const steps = await plan.locator('.plan-steps > li').allTextContents();
    assert.equal(steps.length, 7);
    // The call that runs stands below its sentence.
    assert.match(steps[2], /restarts the kubelet of worker-1 \(final\)run ssh worker-1 restart$/);
    const text = (await plan.textContent()) ?? '';
    assert.match(text, /^ready plan-\S+ made by kim/);
    assert.match(text, /kubernetes#139823 is fixed in 1\.36\.3: an upgrade cures it/);
    assert.match(text, /started without --allow-actions\. Review the file, then oakum apply -f plan-\S+\.yaml$/);
    assert.equal(await page.getByRole('form', { name: 'Approve the plan' }).count(), 0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      plan.getByRole('link', { name: 'Plan as a file' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^plan-\S+\.yaml$/);
    await assertSoundInEveryLook(opened, () => unfold(page));
    assert.deepEqual([watched.restarts, watched.world.all('leases')], [[], []]);
  });

  it('is applied by whoever types the name of the node and has a token, step by step before their eyes', async t => {
    const opened = await open(t, true);
    const { page, watched, plans } = opened;
    watched.world.addPod('worker-1', { name: 'web', spec: { terminationGracePeriodSeconds: 30 } });
    await makePlan(opened, 'restart after drain');
    const form = page.getByRole('form', { name: 'Approve the plan' });
    const [name, token, apply] = [
      form.getByLabel('Type the name of the node, worker-1'),
      form.getByLabel('Your token for actions'),
      form.getByRole('button', { name: 'Apply it' }),
    ];
    assert.equal(await apply.isDisabled(), true);
    await token.fill(KIM);
    for (const typed of ['worker-', 'worker-2', 'Worker-1']) {
      await name.fill(typed);
      assert.equal(await apply.isDisabled(), true, typed);
      await name.press('Enter');
    }
    assert.deepEqual([watched.restarts, watched.world.all('leases')], [[], []]);
    await name.fill('worker-1');
    await token.fill('a-wrong-token-0123456789');
    await apply.click();
    await form.getByText('To act, a token for actions is needed').waitFor();
    assert.deepEqual([watched.restarts, watched.world.all('leases')], [[], []]);
    await assertSound(opened);

    await token.fill(KIM);
    await apply.click();
    await inTime(watched.clock, watched.clock.sleep(10, new AbortController().signal));
    const plan = page.getByRole('group', { name: /^Plan plan-/ });
    await plan.getByText('applying', { exact: true }).waitFor();
    await plan.locator('[aria-current=step]').getByText('0 of 1 pods are gone').waitFor();
    assert.equal(
      await page.getByRole('form', { name: 'Make a plan' }).count(),
      0,
      'a second plan while one is under way',
    );
    // What is secret is nowhere: not in the fields, not in the page's memory, not in its address.
    const left = await page.evaluate(() => [
      location.href,
      JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie,
      ...Array.from(document.querySelectorAll('input'), input => input.value),
    ]);
    assert.ok(!left.join(' ').includes(KIM));
    await watched.untilIdle(plans);
    await plan.getByText('applied', { exact: true }).waitFor();
    await plan.getByText('Applied by kim, through oakum watch as').waitFor();
    const states = await plan.locator('.plan-steps .plan-step-state > strong').allTextContents();
    assert.deepEqual([...new Set(states)], ['done']);
    assert.equal(states.length, 10);
    assert.deepEqual([watched.restarts, marksOn(watched, 'worker-1')], [['worker-1'], ['oakum.dev/last-restart']]);
    await plan.getByRole('link', { name: 'Log' }).waitFor();
    await assertSound(opened);
  });

  it('shows whoever approves it that a gate was overruled, and why', async t => {
    const opened = await open(t, true, { profile: async () => undefined });
    const { page } = opened;
    const form = page.getByRole('form', { name: 'Make a plan' });
    await form.getByLabel('Planned by').fill('kim');
    await form.getByRole('button', { name: 'Make a plan' }).click();
    await form.getByText(/cannot be read/).waitFor();
    await form.getByText('Overrule a gate').click();
    await form.getByLabel(/^Although it is not proved/).fill('the node is about to die');
    await makePlan(opened);
    await page.getByText('A gate was overruled because: the node is about to die').waitFor();
  });

  it('is made on the page of a cohort, for its nodes that grow', async t => {
    const opened = await open(t, false, {}, 'c-20261114-1506');
    await makePlan(opened, 'restart');
    const plan = opened.page.getByRole('group', { name: /^Plan plan-/ });
    const steps = (await plan.locator('.plan-steps > li').allTextContents()).join();
    assert.match(steps, /restarts the kubelet of worker-1/);
    assert.doesNotMatch(steps, /worker-2/);
    await assertSound(opened);
  });

  it('is aborted under the same conditions', async t => {
    const opened = await open(t, true);
    const { page, watched, plans } = opened;
    await makePlan(opened, 'cordon');
    const approve = async (button: string): Promise<void> => {
      const form = page.getByRole('form', { name: 'Approve the plan' });
      await form.getByLabel('Type the name of the node, worker-1').fill('worker-1');
      await form.getByLabel('Your token for actions').fill(KIM);
      await form.getByRole('button', { name: button }).click();
    };
    await approve('Apply it');
    await page.getByText('begun', { exact: true }).waitFor();
    await watched.untilIdle(plans);
    assert.deepEqual(marksOn(watched, 'worker-1'), ['cordoned', 'oakum.dev/cordoned-by']);
    const plan = page.getByRole('group', { name: /^Plan plan-/ });
    await plan.getByText('applied', { exact: true }).waitFor();
    await approve('Abort it and undo what can be undone');
    await plan.getByText(/^abort(ing|ed)$/).waitFor();
    await watched.untilIdle(plans);
    await plan.getByText('aborted', { exact: true }).waitFor();
    assert.deepEqual(marksOn(watched, 'worker-1'), []);
    assert.deepEqual(opened.problems, []);
  });
});
