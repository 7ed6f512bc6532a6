/** The default folder of a capture: `oakum-worker-17-20261115T2354Z`. */
import { type TargetRef, targetText } from '../../evidence/target.ts';

export function captureFolderName(ref: TargetRef, now: Date = new Date()): string {
  const name = targetText(ref)
    .replace(/^(?:node|pod|unix|https?)[:/]+/, '')
    .replace(/[^a-zA-Z0-9.]+/g, '-');
  const time = now.toISOString().replace(/[-:]/g, '').slice(0, 13);
  return `oakum-${name.replace(/^-|-$/g, '')}-${time}Z`;
}
