import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncidentSummary } from '../watch-model.ts';
import { followIncidents } from './start-notifier.ts';
import { NOTIFY_DEFAULTS } from './destination.ts';

const OPTIONS = { ...NOTIFY_DEFAULTS, cluster: 'clusters', summary: '{cluster} {node}: {sentence}' };
const NOTHING_SENT = { incidents: new Map(), alerts: [] };

const incident = (id: string, target: string, cohort: IncidentSummary['cohort'] = null): IncidentSummary => ({
  id,
  target,
  resource: 'live heap',
  verdict: 'leak',
  openedAt: 1000,
  closedAt: null,
  sentence: 'Live heap grows.',
  acknowledged: null,
  cohort,
  partOf: null,
});

function told(incidents: readonly IncidentSummary[], clusters?: readonly string[]) {
  const figures = { cause: null, unit: null, slopePerHour: null, timeToLimitHours: null };
  const source = {
    incidents: () => incidents,
    figures: () => (clusters === undefined ? figures : { ...figures, clusters }),
  };
  return followIncidents(NOTHING_SENT, source, OPTIONS, 2000);
}

describe('alerts of several clusters', () => {
  it('have the cluster of their target, and tell equal nodes apart', () => {
    const { sent: said, notices } = told([
      incident('i-1', 'cluster/eu/node/worker-1'),
      incident('i-2', 'cluster/us/node/worker-1'),
      incident('i-3', 'http://localhost:6060'),
    ]);
    assert.deepEqual(
      said.alerts.map(({ labels }) => [labels['cluster'], labels['node'], labels['target']]),
      [
        ['eu', 'worker-1', 'cluster/eu/node/worker-1'],
        ['us', 'worker-1', 'cluster/us/node/worker-1'],
        ['clusters', undefined, 'http://localhost:6060'],
      ],
    );
    assert.equal(said.alerts[0].annotations['summary'], 'eu worker-1: Live heap grows.');
    assert.deepEqual(
      notices.map(({ cluster }) => cluster),
      ['eu', 'us', 'clusters'],
    );
  });

  it('are the same alert of a cohort while it spreads to other clusters', () => {
    const cohort = { attribute: 'version', value: 'v1.36.0', folded: 2, open: 2 };
    const [first] = told([incident('i-1', 'version v1.36.0', cohort)], ['eu']).sent.alerts;
    const [later] = told([incident('i-1', 'version v1.36.0', cohort)], ['ap', 'eu', 'us']).sent.alerts;
    assert.deepEqual(first.labels, later.labels);
    assert.equal(first.labels['cluster'], 'clusters');
    assert.equal(first.annotations['clusters'], 'eu');
    assert.equal(later.annotations['clusters'], 'ap, eu, us');
  });

  it('name the cluster that is itself the cohort', () => {
    const cohort = { attribute: 'cluster', value: 'eu', folded: 2, open: 2 };
    const [alert] = told([incident('i-1', 'cluster eu', cohort)]).sent.alerts;
    assert.equal(alert.labels['cluster'], 'eu');
    assert.equal(alert.annotations['clusters'], undefined);
  });
});
