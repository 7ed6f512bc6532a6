/** Imports in the wrong direction, between top folders and within them. */
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

const PURE_FOLDERS = `formats/planted pprof/planted analysis/planted knowledge evidence/planted redaction/planted
  diagnosis/planted plan report`.split(/\s+/);

export const ARROWS: readonly Plant[] = [
  wrong('src/base', 'src/model'),
  wrong('src/model', 'src/formats/planted'),
  wrong('src/formats/planted', 'src/pprof/planted'),
  wrong('src/pprof/planted', 'src/formats/planted'),
  wrong('src/analysis/planted', 'src/knowledge'),
  wrong('src/evidence/planted', 'src/knowledge'),
  wrong('src/knowledge', 'src/diagnosis/planted'),
  wrong('src/evidence/planted', 'src/redaction/planted'),
  wrong('src/evidence/planted', 'src/diagnosis/planted'),
  wrong('src/diagnosis/planted', 'src/act/plan'),
  wrong('src/diagnosis/planted', 'src/report'),
  wrong('src/report', 'src/engine/planted'),
  wrong('src/ports', 'src/formats/planted'),
  wrong('src/engine/planted', 'src/adapters/planted'),
  wrong('src/adapters/planted', 'src/engine/planted'),
  wrong('src/adapters/planted', 'src/analysis/planted'),
  wrong('src/adapters/other', 'src/adapters/planted'),
  wrong('src/watch/server', 'src/cli/planted'),
  wrong('src/cli/planted', 'web/planted'),
  wrong('web/planted', 'src/engine/planted'),
  wrong('web/planted', 'src/ports'),
  wrong('web/planted', 'src/adapters/planted'),
  wrong('web/planted', 'src/watch/server'),
  ...PURE_FOLDERS.map(folder => wrong(`src/${folder}`, 'src/ports')),
  wrongPackage('src/live/io/kube', 'node-sqlite3-wasm'),
  wrongPackage('src/store/io/sqlite', '@kubernetes/client-node'),
  wrongPackage('src/cli/planted', 'hono/body-limit'),
  wrongPackage('src/watch/server', 're2js'),
  wrongPackage('web/planted', 'yaml'),
  wrongPackage('web/planted', 'node:path'),
  wrongPackage('src/engine/planted', 'node:path'),
  wrongPackage('src/report', 'node:os'),
  wrongPackage('src/adapters/planted', 'node:child_process'),
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
  offence('a new top folder', 'src/newcomer/planted.ts', use('../base/innocent.ts'), 'newcomer has no place in LAYERS'),
  offence('a new top folder that imports nothing', 'src/newcomer/planted.ts', '', 'newcomer has no place in LAYERS'),
  right('src/knowledge', 'src/analysis/planted'),
  right('src/model', 'src/base'),
  right('src/redaction/planted', 'src/evidence/planted'),
  right('src/report', 'src/diagnosis/planted'),
  right('src/engine/planted', 'src/ports'),
  right('src/adapters/planted', 'src/formats/planted'),
  right('src/adapters/planted/below', 'src/adapters/planted'),
  right('src/cli/planted', 'src/adapters/planted'),
  right('src/cli/planted', 'src/watch/server'),
  right('web/planted', 'src/evidence/planted'),
  nearMiss('a package in an allowed folder', 'src/adapters/kube/planted.ts', use('@kubernetes/client-node')),
  nearMiss('a file of a package in an allowed folder', 'src/server/planted.ts', use('hono/body-limit')),
  nearMiss('a test double in a test', 'src/base/planted.test.ts', use('../../test/double/innocent.ts')),
];
