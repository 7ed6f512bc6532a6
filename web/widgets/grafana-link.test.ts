import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grafanaUrl } from './grafana-link.tsx';

it('fills in the template, and escapes names', () => {
  const template = 'https://g.example/d/x?var-node={node}&var-t={target}&from={from}&to={to}&other={other}';
  assert.equal(
    grafanaUrl(template, 'node/a b&c', 1.5, undefined),
    'https://g.example/d/x?var-node=a%20b%26c&var-t=node%2Fa%20b%26c&from=1500&to=now&other={other}',
  );
  assert.equal(grafanaUrl('https://g/?c={cluster}&n={node}', 'cluster/eu/node/a', 1, 2), 'https://g/?c=eu&n=a');
  assert.match(grafanaUrl(template, 'apiserver', 1, 2), /var-node=apiserver&.*&to=2000&/);
});
