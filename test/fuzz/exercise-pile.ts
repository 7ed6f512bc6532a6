/** Runs a whole pile, as an archive, through every command that reads one, and through a bundle. */
import { digestsFor } from '../../src/evidence/io/digests.ts';
import { tarGzArchive } from '../../src/evidence/io/tar-gz.ts';
import { readPileFiles } from '../../src/evidence/io/pile.ts';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { encodeText } from '../../src/base/text.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { cycleReport } from '../../src/judge/cycle/cycle-of.ts';
import { subjectOf } from '../../src/judge/explain/explain-pile.ts';
import { runDetection } from '../../src/judge/detect/detect-recording.ts';
import { analyzePile } from '../../src/judge/process/analyze-pile.ts';
import { buildBundle } from '../../src/report/build-bundle.ts';
import { verifyBundle } from '../../src/report/verify-bundle.ts';
import { readRecording } from '../../src/evidence/recording/read-recording.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import type { PileItem } from '../../src/evidence/pile.ts';
import type { EvidenceArchive } from '../../src/evidence/bundle.ts';
import { renderCycles } from '../../src/report/cycle-text.ts';
import { renderDetection } from '../../src/report/detect-text.ts';
import { renderAnalysis } from '../../src/report/render.ts';
import { crash, isOneLine, type Outcome } from './outcome.ts';
import { renderDetectionJson } from '../../src/report/json.ts';
import { Failure } from '../../src/base/errors.ts';

const NOW_SECONDS = 1_794_780_000;
const LIMITS = { maxBytes: 64 * 1024 * 1024, maxMembers: 1000 };

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function items(archive: Uint8Array): AsyncGenerator<PileItem> {
  return readPileFiles(['-'], { stdin: once(archive), limits: LIMITS });
}

/** `oakum analyze`, `cycle` and `detect`. */
export async function exercisePile(archive: Uint8Array): Promise<Outcome> {
  try {
    const pile = await readPile(items(archive), { families: familiesOf, subject: subjectOf });
    for (const { message } of pile.unread) if (!isOneLine(message)) throw new Error(`bug: several lines: ${message}`);
    const analysis = analyzePile(pile, { catalogue: BUNDLED_LEAKS });
    for (const format of ['text', 'wide', 'markdown'] as const) await renderAnalysis(analysis, format);
    JSON.parse(await renderAnalysis(analysis, 'json'));
    renderCycles(await cycleReport(items(archive), { nowSeconds: NOW_SECONDS }));
    const recording = await readRecording(items(archive));
    detect(recording);
    return pile.snapshots.length > 0 ? { kind: 'read', format: 'pile' } : { kind: 'refused' };
  } catch (error) {
    return crash('pile', error);
  }
}

function detect(recording: Awaited<ReturnType<typeof readRecording>>): void {
  if (recording.targets.length === 0) return;
  try {
    const detection = runDetection(recording, { detector: createFleetDetector({}) });
    renderDetection(detection, {});
    JSON.parse([...renderDetectionJson(detection)].join(''));
  } catch (error) {
    if (!(error instanceof Failure) || !isOneLine(error.message)) throw error;
  }
}

/** A byte of the compression may change without changing anything that is compressed: zeros copied from other zeros. */
function isSameContent(a: Uint8Array, b: Uint8Array, { gunzip }: EvidenceArchive): boolean {
  return Buffer.compare(gunzip(a), gunzip(b)) === 0;
}

const MAKER = { oakumVersion: '0.0.0', catalogue: BUNDLED_LEAKS };

/** A bundle of it is sound; the same bundle, damaged, is not, and says so. */
export async function exerciseBundle(archive: Uint8Array): Promise<Outcome> {
  const ports = { archive: tarGzArchive(), digests: digestsFor(encodeText('a key of sixteen bytes')) };
  try {
    const result = await buildBundle(
      {
        items: () => items(archive),
        roots: ['-'],
        output: '/bundle.tar.gz',
        redact: true,
        includeUnknown: false,
        privateModules: [],
        catalogue: BUNDLED_LEAKS,
        oakumVersion: '0.0.0',
      },
      ports,
    );
    if (result.kind !== 'made') return { kind: 'refused' };
    const { problems } = await verifyBundle(result.bytes, MAKER, ports);
    if (problems.length > 0) throw new Error(`bug: a bundle just made is not sound: ${problems[0]}`);
    const damaged = result.bytes.slice();
    damaged[damaged.length >> 1] ^= 0xff;
    const found = await verifyBundle(damaged, MAKER, ports);
    if (found.problems.length === 0 && !isSameContent(damaged, result.bytes, ports.archive)) {
      throw new Error('bug: the damage of a bundle is not found');
    }
    if (!found.problems.every(isOneLine)) throw new Error(`bug: several lines: ${found.problems.join('|')}`);
    return { kind: 'read', format: 'bundle' };
  } catch (error) {
    return crash('bundle', error);
  }
}
