/** Tails of the normal and of Student's t distribution. */

/** P(Z > z), to about 1e-7 relative in the tail (continued fraction), for any z. */
export function normalTail(z: number): number {
  if (Number.isNaN(z)) return 0.5;
  if (z < 0) return 1 - normalTail(-z);
  if (z > 38) return 0;
  if (z < 2.5) {
    // Series of the error function, which converges fast here.
    let term = z;
    let sum = z;
    for (let n = 1; n < 60; n++) {
      term *= (-z * z) / (2 * n);
      const next = term / (2 * n + 1);
      sum += next;
      if (Math.abs(next) < 1e-17 * Math.abs(sum)) break;
    }
    return 0.5 - sum / Math.sqrt(2 * Math.PI);
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / (z + fraction);
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI) / (z + fraction);
}

/** The z for which P(Z > z) is `tail`. */
export function normalQuantileOfTail(tail: number): number {
  if (tail >= 0.5) return tail === 0.5 ? 0 : -normalQuantileOfTail(1 - tail);
  if (tail <= 1e-300) return 37;
  // A start from the tail's leading term, then Newton on log P, which is nearly parabolic.
  let z = Math.sqrt(Math.max(0, -2 * Math.log(tail * Math.sqrt(2 * Math.PI))));
  z = Math.sqrt(Math.max(0.001, -2 * Math.log(tail * Math.sqrt(2 * Math.PI) * Math.max(1, z))));
  for (let i = 0; i < 30; i++) {
    const p = normalTail(z);
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    const step = ((Math.log(p) - Math.log(tail)) * p) / density;
    z += step;
    if (Math.abs(step) < 1e-12) break;
  }
  return z;
}

/** P(T > t) for Student's t, by Hill's transformation to a normal deviate: within 1e-4 relative from 4 degrees on. */
export function studentTail(t: number, degrees: number): number {
  return normalTail(studentToNormal(t, degrees));
}

function studentToNormal(t: number, degrees: number): number {
  const a = degrees - 0.5;
  const b = 48 * a * a;
  const y = Math.sqrt(a * Math.log1p((t * t) / degrees));
  const y2 = y * y;
  const correction = ((((-0.4 * y2 - 3.3) * y2 - 24) * y2 - 85.5) / (0.8 * y2 * y2 + 100 + b) + y2 + 3) / b + 1;
  return Math.sign(t) * y * correction;
}
