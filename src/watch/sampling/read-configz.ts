/**
 * Whether a kubelet's configuration changed: a hash of /configz as an attribute. Read once in each life, since a kubelet
 * reads its configuration when it starts. Without the right to read it, it is done without.
 */
import { parseJsonBytes, recordOf } from '../../base/json.ts';
import { targetKind } from '../../evidence/target.ts';
import { describeTarget } from '../state/describe-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { WatchedTarget } from '../state/watched-target.ts';

const MAX_BYTES = 2 * 1024 * 1024;

export async function readConfigz(
  state: WatchState,
  target: WatchedTarget,
  startSeconds: number | undefined,
): Promise<void> {
  const { connection } = target;
  if (connection === undefined || startSeconds === undefined || targetKind(target.name) !== 'node') return;
  if (target.configReadOf === startSeconds) return;
  target.configReadOf = startSeconds;
  const reply = await connection.get('/configz', {
    deadlineSeconds: state.options.deadlineSeconds,
    maxBytes: MAX_BYTES,
    signal: state.stopping,
  });
  if (reply.kind !== 'answer' || reply.status !== 200 || reply.cut !== undefined) return;
  const config = recordOf(parseJsonBytes(reply.body, MAX_BYTES))['kubeletconfig'];
  if (config === undefined) return;
  describeTarget(state, target, { config: configHash(config) }, reply.headAtSeconds);
}

/** These name one node: with them, every node would have a configuration of its own. */
const OF_ONE_NODE: ReadonlySet<string> = new Set(['providerID', 'address']);

export function configHash(config: unknown): string {
  const shared = Object.entries(recordOf(config)).filter(([key]) => !OF_ONE_NODE.has(key));
  return hashOf(sorted(Object.fromEntries(shared)));
}

/** Keys in one order: two servers may write them in two. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** FNV-1a, twice with different beginnings: 16 digits tell the configurations of a fleet apart. */
function hashOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01234567];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000193) ^ (b >>> 15);
  }
  return [a, b].map(part => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
