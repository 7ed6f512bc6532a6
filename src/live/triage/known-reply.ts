/** A connection that repeats a known answer for one path instead of sending the request again. */
import type { TargetConnection } from '../target-connection.ts';
import type { Answer } from '../reply.ts';

export function withKnownReply(
  connection: TargetConnection,
  path: string,
  reply: Answer | undefined,
): TargetConnection {
  let known = reply;
  return {
    target: connection.target,
    via: connection.via,
    address: connection.address,
    get: async (requested, limits) => {
      if (requested !== path || known === undefined) return connection.get(requested, limits);
      const again = known;
      known = undefined;
      return again;
    },
  };
}
