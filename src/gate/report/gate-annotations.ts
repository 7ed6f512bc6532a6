/** GitHub annotations, one line per leak: `::error file=...,line=...,title=...::message`. */
import { visible } from '../../base/visible-text.ts';
import type { GateFamily, GateResult } from '../gate.ts';
import { familyGrowth, measureGrowth, measuresWithoutFamily } from './gate-amounts.ts';
import { placeOf } from './gate-sarif.ts';

export function gateAnnotations(result: GateResult): string {
  const { families, operation, outcome, sentence, expired } = result;
  return [
    ...families.filter(({ exception }) => exception === null).map(one => familyLine(one, operation)),
    ...measuresWithoutFamily(result).map(one =>
      line(
        'error',
        '',
        `Leak: ${one.resource}`,
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
