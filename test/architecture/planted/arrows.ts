/** Imports in the wrong direction: between rooms, from code that computes to I/O, of packages. */
import { nearMiss, offence, type Plant } from './plant.ts';

const use = (specifier: string): string => `import { x } from '${specifier}';\nexport const y = x;\n`;

/** A planted file of one folder imports the harmless file of another. */
function wrong(from: string, to: string): Plant {
  const target = `${to}/innocent.ts`;
  const specifier = `${'../'.repeat(from.split('/').length)}${target}`;
  const [folder, targetFolder] = [from, to].map(path => path.replace(/^src\//, ''));
  const problem = `${folder} may not import ${targetFolder} (${target})`;
  return offence(`${folder} imports ${targetFolder}`, `${from}/planted.ts`, use(specifier), problem);
}

function right(from: string, to: string): Plant {
  return { ...wrong(from, to), offences: [] };
}

function wrongPackage(from: string, specifier: string): Plant {
  const folder = from.replace(/^src\//, '');
  const problem = `${folder} may not import ${specifier}`;
  return offence(`${folder} imports ${specifier}`, `${from}/planted.ts`, use(specifier), problem);
}

const ROOMS = 'base profile evidence knowledge judge report live store watch act gate'.split(' ');

export const ARROWS: readonly Plant[] = [
  // Each room, and the one after it.
  ...ROOMS.slice(1).map((room, index) => wrong(`src/${ROOMS[index]}`, `src/${room}`)),
  wrong('src/gate', 'src/cli/planted'),
  wrong('src/base', 'web/planted'),
  wrong('src/cli/planted', 'web/planted'),
  wrong('src/live', 'src/live/io'),
  wrong('src/live/capture', 'src/evidence/io'),
  wrong('src/watch', 'src/watch/server'),
  wrong('web/planted', 'src/live/io'),
  wrong('web/planted', 'src/watch/server'),
  wrong('web/planted', 'src/cli/planted'),
  {
    name: 'the library imports I/O',
    files: { 'src/index.ts': "export { x } from './live/io/innocent.ts';\n" },
    offences: ['src/index.ts: library may not import live/io (src/live/io/innocent.ts)'],
  },
  offence(
    'an arrow that the table lacks',
    'src/gate/planted.ts',
    use('../act/innocent.ts'),
    'gate imports act, which the table of docs/architecture.md does not list',
  ),
  wrongPackage('src/live/io/kube', 'node-sqlite3-wasm'),
  wrongPackage('src/store/io/sqlite', '@kubernetes/client-node'),
  wrongPackage('src/cli/planted', 'hono/body-limit'),
  wrongPackage('src/watch/server', 're2js'),
  wrongPackage('web/planted', 'yaml'),
  wrongPackage('web/planted', 'node:path'),
  wrongPackage('src/watch', 'node:path'),
  wrongPackage('src/report', 'node:os'),
  wrongPackage('src/evidence/io', 'node:child_process'),
  offence(
    'production code imports other code',
    'src/cli/planted/planted.ts',
    use('../../../test/double/innocent.ts'),
    'imports test/double/innocent.ts, which does not ship',
  ),
  offence(
    'production code imports a test',
    'src/cli/planted/planted.ts',
    use('../../base/innocent.test.ts'),
    'imports the test src/base/innocent.test.ts',
  ),
  offence(
    'a test imports a test',
    'src/base/planted.test.ts',
    use('./innocent.test.ts'),
    'imports the test src/base/innocent.test.ts',
  ),
  offence('a new room', 'src/newcomer/planted.ts', use('../base/innocent.ts'), 'newcomer is not in the table'),
  offence('a new room that imports nothing', 'src/newcomer/planted.ts', '', 'newcomer is not in the table'),
  right('src/profile', 'src/base'),
  right('src/report', 'src/judge'),
  right('src/live', 'src/live/capture'),
  right('src/live/capture', 'src/live'),
  right('src/live/io', 'src/live'),
  right('src/live/io', 'src/evidence/io'),
  right('src/cli/planted', 'src/live/io'),
  right('src/cli/planted', 'src/watch/server'),
  right('web/planted', 'src/evidence'),
  nearMiss('a package in an allowed folder', 'src/live/io/kube/planted.ts', use('@kubernetes/client-node')),
  nearMiss('a file of a package in an allowed folder', 'src/watch/server/planted.ts', use('hono/body-limit')),
  nearMiss('a test double in a test', 'src/base/planted.test.ts', use('../../test/double/innocent.ts')),
];
