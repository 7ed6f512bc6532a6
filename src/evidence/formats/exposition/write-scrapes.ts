/**
 * Columns of samples as metrics text, one marked scrape for each time:
 *
 *     # OAKUM scrape ts=1794772310 node=worker-17 path=/metrics status=200
 *     go_goroutines 310
 */
export interface WrittenColumn {
  readonly metric: string;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

export function writeScrapes(columns: readonly WrittenColumn[], node: string): string {
  const scrapes = new Map<number, string[]>();
  for (const { metric, times, values } of columns) {
    times.forEach((time, i) => {
      const lines = scrapes.get(time) ?? [];
      lines.push(`${metric} ${values[i]}`);
      scrapes.set(time, lines);
    });
  }
  const name = node.replace(/\s/g, '_');
  return [...scrapes]
    .sort(([a], [b]) => a - b)
    .map(([time, lines]) => `# OAKUM scrape ts=${time} node=${name} path=/metrics status=200\n${lines.join('\n')}\n`)
    .join('');
}
