import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { halfOf } from './halves.ts';
import { MEMBERS } from './members.ts';

const PROGRAM_FILES = ['goroutines', 'libraries', 'memory', 'healthy'];
const LOADS = ['http', 'hold', 'dns', 'nats', 'lines'];

describe('members', () => {
  it('have names of their own that fit into a file name', () => {
    const names = MEMBERS.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z][a-z0-9-]*[a-z0-9]$/);
    // A recording of an age has it at its end.
    for (const name of names) assert.doesNotMatch(name, /-\d+m$/);
  });

  it('have marks that can be filled in, and profiles at {port}', () => {
    for (const member of MEMBERS) {
      const texts = [
        member.args,
        member.loads.flat(),
        Object.values(member.files ?? {}),
        Object.values(member.env ?? {}),
      ];
      const marks = [
        ...texts
          .flat()
          .join(' ')
          .matchAll(/\{[a-z]+\d?\}/g),
      ].map(([mark]) => mark);
      const known = /^\{(?:dir|port[234]?|peer[123]?|[nmb]|now)\}$/;
      assert.deepEqual(
        marks.filter(mark => !known.test(mark)),
        [],
        member.name,
      );
      assert.ok(member.join !== undefined || marks.includes('{port}'), member.name);
    }
  });

  it('are called by loads that there are, a few times a second', () => {
    for (const { name, loads } of MEMBERS) {
      for (const load of loads) {
        assert.ok(LOADS.includes(load[0]), name);
        const rate = load[0] === 'hold' ? 0 : Number(load[load.indexOf('-rate') + 1]);
        assert.ok(rate >= 0 && rate <= 10, name);
      }
    }
  });

  it('of our own are modes of the program', () => {
    const source = PROGRAM_FILES.map(file => readFileSync(new URL(`go/member/${file}.go`, import.meta.url), 'utf8'));
    const modes = new Set([...source.join('').matchAll(/^\tmodes\["([^"]+)"\]/gm)].map(([, mode]) => mode));
    const used = MEMBERS.flatMap(({ args }) => /^-mode=(.*)$/.exec(args[0])?.[1] ?? []);
    assert.deepEqual([...new Set(used)].sort(), [...modes].sort());
  });

  it('of a healthy twin are healthy, and in the half of the leak', () => {
    for (const { name, truth } of MEMBERS) {
      if (!name.endsWith('-ok')) continue;
      const leak = MEMBERS.find(other => other.name === name.slice(0, -'-ok'.length));
      assert.deepEqual([truth, leak?.truth], ['healthy', 'leak'], name);
      assert.equal(halfOf(name), halfOf(leak!.name));
    }
  });

  it('are in two halves with leaks, daemons and healthy programs in each', () => {
    for (const half of ['tune', 'test'] as const) {
      const members = MEMBERS.filter(({ name }) => halfOf(name) === half);
      const count = (test: (member: (typeof MEMBERS)[number]) => boolean): number => members.filter(test).length;
      assert.ok(count(({ truth }) => truth === 'leak') >= 10, half);
      assert.ok(count(({ kind }) => kind === 'daemon') >= 5, half);
      assert.ok(count(({ truth, kind }) => truth === 'healthy' && kind === 'program') >= 10, half);
    }
  });
});
