/** Colours by score: -1 green, 0 grey, 1 red; light for backgrounds. */
export function dotColor(score: number, background: boolean): string {
  let saturation = background ? 0.1 : 1;
  const value = background ? 0.93 : 0.7;
  let bounded = goMax(-1, goMin(1, score));
  // Grey rather than yellow near zero.
  if (Math.abs(bounded) < 0.2) saturation *= Math.abs(bounded) / 0.2;
  // Moves away from grey, to use more of the range.
  if (bounded > 0) bounded = Math.pow(bounded, 0.3);
  if (bounded < 0) bounded = -Math.pow(-bounded, 0.3);
  const red = bounded < 0 ? value * (1 + saturation * bounded) : value;
  const green = bounded < 0 ? value : value * (1 - saturation * bounded);
  const blue = value * (1 - saturation);
  return `#${[red, green, blue].map(hexByte).join('')}`;
}

// Go's math.Max and math.Min propagate NaN, as JavaScript's do.
const goMax = Math.max;
const goMin = Math.min;

function hexByte(part: number): string {
  const byte = Number.isNaN(part) ? 0 : Math.trunc(part * 255) & 0xff;
  return byte.toString(16).padStart(2, '0');
}
