/** Lines that benchstat compares: `BenchmarkOakum/goroutines 500 2 goroutines/op`. */
import type { GateResult } from '../gate.ts';
import { measureName } from './gate-amounts.ts';

export function gateBenchstat({ measures, families, operations }: GateResult): string {
  const line = (name: string, value: number | undefined, unit: string): string[] =>
    value === undefined
      ? []
      : [`BenchmarkOakum/${name.replace(/\s+/g, '_')} ${operations} ${Number(value.toPrecision(6))} ${unit}`];
  const unitOf = (things: string, per: string): string =>
    `${things.replace(/\s+/g, '_')}/${per === 'hour' ? 'h' : 'op'}`;
  return [
    ...measures.flatMap(one =>
      line(measureName(one), one.growth?.[1], unitOf(one.unit === 'bytes' ? 'B' : one.resource, one.per)),
    ),
    ...families.flatMap(one =>
      line(one.family, one.growth?.[1], unitOf(one.resource === 'heap' ? 'B' : 'goroutines', one.per)),
    ),
    '',
  ].join('\n');
}
