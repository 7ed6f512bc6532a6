/** The value that would be at `index` if the values were sorted, without sorting them: Hoare's selection. */
export function nthSmallest(values: Float64Array, index: number): number {
  const items = values.slice();
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const pivot = middleOf(items[low], items[(low + high) >> 1], items[high]);
    let [i, j] = [low, high];
    while (i <= j) {
      while (items[i] < pivot) i++;
      while (items[j] > pivot) j--;
      if (i > j) break;
      const item = items[i];
      items[i++] = items[j];
      items[j--] = item;
    }
    if (index <= j) high = j;
    else if (index >= i) low = i;
    else break;
  }
  return items[index];
}

/** The middle one of three: a sorted column is then the best case, not the worst. */
function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
