/** The worker's side: passes messages to a ProfileService. */
import { compileGoRegexp } from '../../src/profile/pprof/go-regexp.ts';
import type { ProfileView, RequestMessage, ResponseMessage } from './messages.ts';
import { ProfileService } from './profile-service.ts';
import { Failure } from '../../src/base/errors.ts';

/** In a worker. */
export function serveProfiles(): void {
  const service = new ProfileService(compileGoRegexp);
  addEventListener('message', (event: MessageEvent<RequestMessage>) => {
    const { id, kind, request } = event.data;
    service.handle(kind, request).then(
      response => respond({ id, ok: true, response }, kind === 'view' ? columnsOf(response as ProfileView) : []),
      (error: unknown) => respond({ id, ok: false, ...failure(error) }, []),
    );
  });
}

function respond(message: ResponseMessage, transfer: Transferable[]): void {
  (postMessage as (message: unknown, transfer: Transferable[]) => void)(message, transfer);
}

/** The columns of a tree are transferred, not copied. */
function columnsOf({ tree }: ProfileView): Transferable[] {
  const columns = [...Object.values(tree), ...Object.values(tree.before ?? {})].filter(ArrayBuffer.isView);
  return [...new Set(columns.map(column => column.buffer as ArrayBuffer))];
}

function failure(error: unknown): { message: string; isBug: boolean } {
  if (error instanceof Failure) return { message: error.describe(), isBug: false };
  return { message: error instanceof Error ? error.message : String(error), isBug: true };
}
