/** The line that a recorder writes before each scrape: `# LAB scrape ts=1794772040.001 node=a path=/metrics status=200`. */

export interface ScrapeMark {
  readonly atSeconds: number | undefined;
  readonly node: string;
  readonly path: string;
  readonly failed: boolean;
}

const MARK = /^#\s*\w+ scrape((?: \w+=\S*)+)\s*$/;

export function parseScrapeMark(line: string): ScrapeMark | undefined {
  const pairs = MARK.exec(line)?.[1];
  if (pairs === undefined) return undefined;
  const fields = new Map(Array.from(pairs.matchAll(/ (\w+)=(\S*)/g), match => [match[1], match[2]]));
  const seconds = Number(fields.get('ts') || NaN);
  const status = fields.get('status') ?? '200';
  return {
    atSeconds: Number.isFinite(seconds) ? seconds : undefined,
    node: fields.get('node') ?? '',
    path: fields.get('path') ?? '',
    failed: !/^2\d\d$/.test(status),
  };
}
