/**
 * Knows when an engine has nothing left to do but wait for its clock: when no call of a port is under way.
 *
 *     const traffic = new PortTraffic();
 *     const engine = createEngine({ clock, store: traffic.follow(store) });
 *     await clock.runUntil(later, () => traffic.quiet());
 *
 * So simulated time passes at the same moments on a slow machine as on a fast one.
 */
export class PortTraffic {
  #underWay = 0;

  /** The same port; calls that give a promise are counted until it settles. */
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
          return result;
        };
      },
    });
  }

  /** A few turns of the event loop without a call under way: what the last answers led to has begun. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < 6; turns++) {
      await new Promise(resolve => setImmediate(resolve));
      if (this.#underWay > 0) turns = -1;
    }
  }
}
