/** Goroutines of containerd that are there once for each pod are no leak; those of execs may be. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { encodeText } from '../../base/text.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

const CONTAINERD = 'github.com/containerd/containerd/v2';
const READ = ['os.(*File).Read', 'github.com/containerd/fifo.(*fifo).Read', 'io.copyBuffer', 'io.Copy'];

/** A debug=2 dump with so many goroutines of each stack. */
function dump(...families: readonly (readonly [count: number, state: string, frames: readonly string[]])[]): string {
  let id = 0;
  return families
    .flatMap(([count, state, frames]) =>
      Array.from(
        { length: count },
        () => `goroutine ${++id} [${state}]:\n${frames.map(name => `${name}(0x1)\n\t/src/x.go:7 +0x1\n`).join('')}`,
      ),
    )
    .join('\n');
}

async function analyze(...dumps: readonly string[]): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [i, text] of dumps.entries()) {
      const path = `containerd/goroutine-${1_794_772_000 + i * 600}.txt`;
      yield { kind: 'member', path, bytes: encodeText(text), mtimeSeconds: undefined, damage: undefined };
    }
  }
  const given = { component: 'containerd', version: '2.1.0' };
  return analyzePile(await readPile(items(), { families: familiesOf }), { catalogue: BUNDLED_LEAKS, given });
}

const shimLogs = (pods: number) =>
  [pods, 'IO wait', [...READ, `${CONTAINERD}/core/runtime/v2.(*binary).Start.func2`]] as const;
const outputs = (pods: number) =>
  [2 * pods, 'IO wait', [...READ, `${CONTAINERD}/internal/cri/io.(*ContainerIO).Pipe.func1`]] as const;
const monitors = (pods: number) =>
  [pods, 'select', [`${CONTAINERD}/internal/cri/server/events.(*EventMonitor).Start.func1`]] as const;
const execs = (count: number) =>
  [count, 'IO wait', [...READ, `${CONTAINERD}/internal/cri/io.(*ExecIO).Attach.func3`]] as const;

describe('containerd', () => {
  it('has one goroutine for the log of each shim and two for the output of each container: no finding', async () => {
    const one = await analyze(dump(shimLogs(110), outputs(110)));
    assert.deepEqual(one.findings, []);
    const more = await analyze(...[40, 60, 80, 110].map(pods => dump(shimLogs(pods), outputs(pods), monitors(pods))));
    assert.deepEqual(more.findings, []);
  });

  it('leaks what execs leave behind', async () => {
    const { verdict, findings } = await analyze(...[10, 300, 600, 900].map(left => dump(shimLogs(40), execs(left))));
    assert.equal(verdict, 'leak');
    assert.equal(findings[0].cause?.id, 'containerd-exec-fifo');
    assert.equal(findings[0].matches[0].ref, 'containerd#9668');
    assert.equal(findings.length, 1);
  });

  it('waits for the other end of a FIFO without execs: another cause, and not that known leak', async () => {
    const opens = [60, 'syscall', ['os.OpenFile', 'github.com/containerd/fifo.openFifo.func2']] as const;
    const { findings } = await analyze(dump(opens, shimLogs(40)));
    assert.deepEqual(
      findings.map(({ cause, matches }) => [cause?.id, matches.length]),
      [['containerd-fifo-open', 0]],
    );
  });
});
