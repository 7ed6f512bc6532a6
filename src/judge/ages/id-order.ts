/**
 * Whether ids and ages agree. Ids grow with creation, so among goroutines in their first wait, higher ids are younger.
 * The age of a goroutine that wakes now and then is unrelated to its id.
 */

/**
 * Spearman's correlation of ids with ages, sign reversed: 1 if they agree, 0 if they are unrelated. `counts` selects
 * the ages to compare: goroutines that arrived together have ids in any order.
 */
export function idOrder(id: Float64Array, minutes: Int32Array, counts: (minutes: number) => boolean): number {
  let length = 0;
  const ids = new Float64Array(id.length);
  const ages = new Float64Array(id.length);
  for (let row = 0; row < id.length; row++) {
    if (!counts(minutes[row])) continue;
    ids[length] = id[row];
    ages[length++] = -minutes[row];
  }
  return correlation(ranks(ids.subarray(0, length)), ranks(ages.subarray(0, length)));
}

/** Equal values share the mean of their ranks. */
function ranks(values: Float64Array): Float64Array {
  const sorted = values.slice().sort();
  return values.map(value => {
    const first = firstAt(sorted, value);
    return (first + firstAt(sorted, value, 1) - 1) / 2;
  });
}

/** The first index in a sorted list with the value or, with `after` 1, a larger one. */
function firstAt(sorted: Float64Array, value: number, after: 0 | 1 = 0): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value || (after === 1 && sorted[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 0 if one of them does not vary. */
function correlation(a: Float64Array, b: Float64Array): number {
  const middle = (a.length - 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) ** 2;
    bb += (b[i] - middle) ** 2;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}
