/** The dashboard of `oakum rules --format grafana-watch` links to pages that exist. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchDashboardOf } from '../src/report/rules/watch-dashboard.ts';
import { matchPath } from './state/router.ts';

const text = JSON.stringify(watchDashboardOf('https://oakum.example.com'));

describe('the dashboard of oakum watch', () => {
  it('links to the pages of targets, incidents and cohorts', () => {
    const links = [...text.matchAll(/"url":"(\$\{watch\}[^"]*)"/g)].map(([, url = '']) => url);
    assert.equal(links.length, 3);
    const filled = links.map(url =>
      url
        .replace('${watch}', 'https://oakum.example.com')
        .replace('${__data.fields.target:percentencode}', encodeURIComponent('node/worker-17'))
        .replace('${__data.fields.attribute:percentencode}', encodeURIComponent('gate/A')),
    );
    const [incidents, target, cohort] = filled.map(url => new URL(url));
    assert.deepEqual(matchPath('/i', incidents?.pathname ?? ''), {});
    assert.deepEqual(matchPath('/t/:target+', target?.pathname ?? ''), { target: 'node/worker-17' });
    assert.equal(cohort?.searchParams.get('by'), 'gate/A');
  });
});
