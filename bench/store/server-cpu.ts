/** CPU time of a server with all its processes, also of those that have ended. */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

interface Ticks {
  readonly parent: number;
  readonly own: number;
  readonly ended: number;
}

export function serverCpuSeconds(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const found = ticksOf(name);
    if (found === undefined || (Number(name) !== pid && found.parent !== pid)) continue;
    ticks += found.own + (Number(name) === pid ? found.ended : 0);
  }
  return ticks / TICKS_PER_SECOND;
}

/** CPU time of one process. */
export function processCpuSeconds(pid: number): number {
  return (ticksOf(String(pid))?.own ?? NaN) / TICKS_PER_SECOND;
}

function ticksOf(name: string): Ticks | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The name of the program may have spaces; after it come state, parent, ...
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0] = fields.slice(1);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}
