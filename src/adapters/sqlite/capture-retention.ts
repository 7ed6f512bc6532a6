/**
 * Which captures go when there is no room for all. Of a target, what is kept longest first:
 *
 *     the newest; the first of the life that runs; the last before the last restart; the first and the last of earlier
 *     lives, newer lives first; then the rest, newer first
 */
export interface KeptCapture {
  readonly id: string;
  readonly target: string;
  readonly at: number;
  readonly processStartSeconds: number | undefined;
  readonly bytes: number;
}

export interface CaptureLimits {
  readonly maxBytesPerTarget: number;
  readonly maxBytes: number;
}

/** Start times of one process differ by rounding, and by what the clock was corrected. */
const SAME_LIFE_SECONDS = 5;

/** Never the one that has just been written. */
export function capturesToDrop(captures: readonly KeptCapture[], limits: CaptureLimits, written: string): string[] {
  const dropped = new Set<KeptCapture>();
  const kept: { readonly capture: KeptCapture; readonly rank: number }[] = [];
  const byTarget = new Map<string, KeptCapture[]>();
  for (const capture of captures) {
    const own = byTarget.get(capture.target);
    if (own === undefined) byTarget.set(capture.target, [capture]);
    else own.push(capture);
  }
  for (const own of byTarget.values()) {
    let bytes = 0;
    byWorth(own).forEach((capture, rank) => {
      bytes += capture.bytes;
      if (bytes > limits.maxBytesPerTarget && rank > 0) dropped.add(capture);
      else kept.push({ capture, rank });
    });
  }
  // Over all targets the least worth goes first, the older of equals.
  kept.sort((a, b) => b.rank - a.rank || a.capture.at - b.capture.at);
  let total = kept.reduce((sum, { capture }) => sum + capture.bytes, 0);
  for (const { capture } of kept) {
    if (total <= limits.maxBytes) break;
    dropped.add(capture);
    total -= capture.bytes;
  }
  return [...dropped].map(capture => capture.id).filter(id => id !== written);
}

/** Of one target. */
function byWorth(captures: readonly KeptCapture[]): KeptCapture[] {
  const lives = livesOf([...captures].sort((a, b) => a.at - b.at)).reverse();
  const ordered = new Set<KeptCapture>();
  for (const life of lives) {
    for (const capture of [life.at(-1), life.at(0)]) if (capture !== undefined) ordered.add(capture);
  }
  for (const life of lives) for (const capture of life.reverse()) ordered.add(capture);
  return [...ordered];
}

/** In time order. A capture that does not know its life belongs to the one before. */
function livesOf(captures: readonly KeptCapture[]): KeptCapture[][] {
  const lives: KeptCapture[][] = [];
  let start: number | undefined;
  for (const capture of captures) {
    const next = capture.processStartSeconds;
    const isSame = start === undefined || next === undefined || Math.abs(next - start) <= SAME_LIFE_SECONDS;
    if (lives.length > 0 && isSame) lives.at(-1)?.push(capture);
    else lives.push([capture]);
    start = next ?? start;
  }
  return lives;
}
