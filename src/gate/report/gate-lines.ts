/** What other tools read of a gate, line by line: benchstat, and the annotations of GitHub. */
import { visible } from '../../base/visible-text.ts';
import { type GateFamily, type GateResult, isLeak, measuresWithoutFamily } from '../gate.ts';
import { familyGrowth, measureGrowth, measureName } from './gate-amounts.ts';
import { placeOf } from './gate-sarif.ts';

/** Lines that benchstat compares: `BenchmarkOakum/goroutines 500 2 goroutines/op`. */
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

/** GitHub annotations, one line per leak: `::error file=...,line=...,title=...::message`. */
export function gateAnnotations(result: GateResult): string {
  const { families, operation, outcome, sentence, expired } = result;
  return [
    ...families.filter(isLeak).map(one => familyLine(one, operation)),
    ...measuresWithoutFamily(result).map(one =>
      line(
        'error',
        '',
        `Leak: ${measureName(one)}`,
        `${measureGrowth(one)}${one.per === 'hour' ? '' : ` per ${operation}`}`,
      ),
    ),
    ...expired.map(text => line('error', '', 'Leak gate: an exception is over', text)),
    ...(outcome === 'undecided' ? [line('warning', '', 'Leak gate: undecided', sentence)] : []),
  ].join('');
}

function familyLine(one: GateFamily, operation: string): string {
  const [place] = [one.source].flatMap(placeOf);
  const where = place === undefined ? '' : `file=${property(place.file)},line=${place.line},`;
  const why = one.cause === null ? '' : ` ${one.cause}${one.knownLeak === null ? '' : ` (${one.knownLeak})`}.`;
  return line('error', where, `Leak: ${one.title}`, `${familyGrowth(one, operation)}.${why}`);
}

function line(level: 'error' | 'warning', where: string, title: string, message: string): string {
  return `::${level} ${where}title=${property(title)}::${data(message)}\n`;
}

function data(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
