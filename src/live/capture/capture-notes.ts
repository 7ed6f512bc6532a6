/** What a reader of a capture must know, one sentence each. */
import type { CaptureEntry, CaptureManifest } from '../../evidence/capture.ts';
import { isSameLife } from '../../evidence/process-life.ts';

const SKEW_SECONDS = 5;

export function captureNotes(manifest: CaptureManifest, stopped: boolean): string[] {
  const { entries, processStartSeconds, target } = manifest;
  const notes: string[] = [];
  if (stopped) notes.push('stopped before the end; the same command resumes here');
  const starts = processStartSeconds.filter(start => start !== undefined);
  if (starts.some((start, i) => i > 0 && !isSameLife(starts[i - 1], start)))
    notes.push(`${target} was restarted between the sets: they are of different processes`);
  const skew = entries.find(entry => Math.abs(entry.skewSeconds ?? 0) > SKEW_SECONDS)?.skewSeconds;
  if (skew !== undefined)
    notes.push(`the clock of ${target} is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the one here`);
  for (const { kind, truncated } of entries)
    if (truncated !== undefined) notes.push(`${kind} is not whole: ${truncated}`);
  return [...notes, ...missingNotes(entries)];
}

/** Files that failed for the same reason share one note. */
function missingNotes(entries: readonly CaptureEntry[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { file, kind, set, error } of entries) {
    if (file !== undefined) continue;
    const key = `of set ${set} could not be taken: ${error}`;
    byReason.set(key, [...(byReason.get(key) ?? []), kind]);
  }
  return [...byReason].map(([reason, kinds]) => `${kinds.join(', ')} ${reason}`);
}
