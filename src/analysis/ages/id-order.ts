/**
 * Whether ids and ages agree. Ids grow with creation, so a goroutine that waits for the first time is the younger the
 * higher its id is; one that wakes now and then has an age that says nothing of its id.
 */

/**
 * Spearman's correlation of ids with ages, turned: 1 where they agree, 0 where they have nothing to do with each other.
 * `counts` says whose ages are compared: what came at once has ids in any order.
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

/** The first place in a sorted list that holds the value or, with `after` 1, something larger. */
function firstAt(sorted: Float64Array, value: number, after: 0 | 1 = 0): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value || (after === 1 && sorted[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 0 where one of them does not vary. */
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
