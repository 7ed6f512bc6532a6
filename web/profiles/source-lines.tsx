/** The lines of a function with their values; with the text of the source where the server can read it. */
import { visible, visibleLines } from '../../src/base/visible-text.ts';
import type { SourceFunction } from '../reader/report-views.ts';
import { api } from '../state/api.ts';
import { status } from '../state/live.ts';
import { useAsync } from '../state/use-async.ts';
import { shortPath, shortSymbol } from '../text/short-names.ts';
import { changeText, shareText, valueText } from '../text/value-text.ts';

export interface SourceLinesProps {
  readonly listed: SourceFunction;
  readonly total: number;
  readonly unit: string;
  readonly isChange: boolean;
}

interface SourceText {
  readonly lines: readonly string[];
}

export function SourceLines({ listed, total, unit, isChange }: SourceLinesProps) {
  const { file, firstLine, lastLine } = listed;
  const canRead = status.value?.mode === 'files';
  const { value: source } = useAsync(
    () =>
      canRead
        ? api<SourceText>(
            `/source?${new URLSearchParams({ file, from: String(firstLine), to: String(lastLine) })}`,
          ).catch(() => undefined)
        : undefined,
    [canRead, file, firstLine, lastLine],
  );
  const text = (value: number): string => (isChange ? changeText(value, unit) : valueText(value, unit));
  const byLine = new Map(listed.lines.map(line => [line.line, line]));
  const numbers =
    source === undefined ? listed.lines.map(({ line }) => line) : Array.from(source.lines, (_, i) => firstLine + i);
  return (
    <section class="source" aria-label={`Lines of ${shortSymbol(listed.name)}`}>
      <p>
        <strong class="mono">{shortSymbol(listed.name)}</strong> <span class="mono muted">{visible(file)}</span>{' '}
        <span class="muted">
          flat {text(listed.flat)}, cum {text(listed.cum)} ({shareText(listed.cum, total) || '0 %'}
          {isChange ? ' of the base' : ''})
        </span>
      </p>
      <table class="source-lines mono">
        <thead>
          <tr>
            <th class="num">Flat</th>
            <th class="num">Cum</th>
            <th class="num">Line</th>
            <th>{source === undefined ? 'Place' : 'Source'}</th>
          </tr>
        </thead>
        <tbody>
          {numbers.map(line => {
            const values = byLine.get(line);
            return (
              <tr key={line} class={values === undefined ? undefined : 'source-hot'}>
                <td class="num">{values === undefined || values.flat === 0 ? '.' : text(values.flat)}</td>
                <td class="num">{values === undefined || values.cum === 0 ? '.' : text(values.cum)}</td>
                <td class="num muted">{line}</td>
                {source === undefined ? (
                  <td class="muted">
                    {visible(shortPath(file))}:{line}
                  </td>
                ) : (
                  <td class="source-text">{visibleLines(source.lines[line - firstLine] ?? '')}</td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {source === undefined && (
        <p class="muted">
          The text of the source is not here
          {canRead ? '; oakum pprof -http -source_path=DIR finds it.' : '.'}
        </p>
      )}
    </section>
  );
}
