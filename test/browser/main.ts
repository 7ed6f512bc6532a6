/** Serves the UI over made-up answers, for a look at it: node scripts/run.mjs test/browser/main.ts [targets] */
import { madeFleet, madeStatus, served } from './made-fleet.ts';
import { madeIncident, madeTarget, TARGET } from './made-target.ts';
import { servedIncidents } from './served-incidents.ts';
import { startUi } from './ui-server.ts';

const count = Number(process.argv[2] ?? 24);
setInterval(() => {}, 60_000);
const ui = await startUi({
  '/status': madeStatus({ targetCount: count }),
  '/fleet': served(madeFleet(count)),
  [`/targets/${TARGET}`]: madeTarget(),
  '/incidents': servedIncidents([madeIncident()]),
  '/incidents/i-1': madeIncident(),
});
process.stdout.write(`${ui.url}\n${ui.url}/t/${TARGET}\n${ui.url}/i/i-1\n`);
