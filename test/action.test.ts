/** action.yml: every input it uses is declared, and every option it gives to `oakum gate` exists. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { command } from '../src/cli/gate/command.ts';

interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<
    Record<string, { readonly description: string; readonly required?: boolean; readonly default?: string }>
  >;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Record<string, unknown>[] };
}

const text = readFileSync(join(fileURLToPath(new URL('..', import.meta.url)), 'action.yml'), 'utf8');
const action = parse(text) as Action;

describe('action.yml', () => {
  it('declares every input it uses, and uses every input it declares', () => {
    const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name));
    assert.deepEqual([...used].sort(), Object.keys(action.inputs).sort());
    for (const [name, input] of Object.entries(action.inputs))
      assert.ok(input.required === true || input.default !== undefined, `${name} is optional without a default`);
  });

  it('runs the checkout that it is in, and no name of a registry unless it is given', () => {
    const scripts = action.runs.steps.map(step => String(step['run'] ?? '')).join('\n');
    assert.doesNotMatch(scripts, /\bnpx\b|oakum@/);
    assert.match(scripts, /if \[ -n "\$PACKAGE" \]; then npm install [^\n]* -- "\$PACKAGE"/);
    assert.match(scripts, /npm --prefix "\$GITHUB_ACTION_PATH" run build/);
  });

  it('is a composite action whose shell steps say which shell', () => {
    assert.equal(action.runs.using, 'composite');
    for (const step of action.runs.steps)
      assert.ok('uses' in step || ('run' in step && 'shell' in step), JSON.stringify(step));
    for (const { value } of Object.values(action.outputs))
      assert.match(value, /^\$\{\{ steps\.gate\.outputs\.\w+ \}\}$/);
  });

  it('gives only options that the command has, and no input to a shell as code', () => {
    const script = String(action.runs.steps.find(step => step['id'] === 'gate')?.['run']);
    const known = new Set(command.flags.flatMap(({ names }) => names));
    const given = [...script.matchAll(/(?<=[\s(])--(?!yes\b)[a-z-]+/g)].map(([flag]) => flag);
    assert.ok(given.length > 5);
    assert.deepEqual(
      given.filter(flag => !known.has(flag)),
      [],
    );
    assert.ok(!script.includes('${{'), 'inputs come through the environment');
  });
});
