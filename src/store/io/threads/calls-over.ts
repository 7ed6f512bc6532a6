/** Calls over a channel, in the order in which they are made; serve-calls.ts answers them. */
import type { Answer, Call, MessageEnd } from './thread-messages.ts';

export interface Calls {
  /** Whether the channel has ended: nothing arrives any more. */
  readonly hasEnded: boolean;
  /** Sends a call that needs no answer. False once the channel has ended. */
  tell(method: string, ...args: unknown[]): boolean;
  /** Rejects with the error of the other side, and when the channel ends. */
  ask<T>(method: string, ...args: unknown[]): Promise<T>;
}

export interface EndableCalls extends Calls {
  /** Rejects what has no answer yet, and everything from now on. */
  end(why: string): void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function callsOver(port: MessageEnd): EndableCalls {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let ended: string | undefined;
  port.on('message', (answer: Answer) => {
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) call?.reject(Object.assign(new Error(answer.error.message), answer.error));
    else call?.resolve(answer.result);
  });
  const send = (call: Call): void => port.postMessage(call);
  return {
    get hasEnded() {
      return ended !== undefined;
    },
    tell: (method, ...args) => {
      if (ended !== undefined) return false;
      send({ id: 0, method, args });
      return true;
    },
    ask: <T>(method: string, ...args: unknown[]) =>
      new Promise<T>((resolve, reject) => {
        if (ended !== undefined) return reject(new Error(ended));
        const id = nextId++;
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
        send({ id, method, args });
      }),
    end: why => {
      ended ??= why;
      for (const { reject } of waiting.values()) reject(new Error(why));
      waiting.clear();
    },
  };
}
