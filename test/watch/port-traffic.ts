/**
 * Knows when an engine only waits for its clock: when no call to a port is in progress.
 *
 *     const traffic = new PortTraffic();
 *     const engine = createEngine({ clock, store: traffic.follow(store) });
 *     await clock.runUntil(later, () => traffic.quiet());
 *
 * So simulated time advances at the same points on slow and fast machines.
 */
export class PortTraffic {
  #underWay = 0;

  /** The same port, with calls that return a promise counted until it settles, and steps of an async iteration too. */
  follow<Port extends object>(port: Port): Port {
    const finish = (): void => void this.#underWay--;
    return new Proxy(port, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, target, args);
          if (result instanceof Promise) {
            this.#underWay++;
            result.then(finish, finish);
          }
          return isAsyncIterable(result) ? this.follow(result) : result;
        };
      },
    });
  }

  /** A few turns of the event loop without a pending call, so that work caused by the last answers has begun. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < 6; turns++) {
      await new Promise(resolve => setImmediate(resolve));
      if (this.#underWay > 0) turns = -1;
    }
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
