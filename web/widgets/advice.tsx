/** What to do, line by line. Text in backquotes is a command. */
import { visible } from '../../src/base/visible-text.ts';

export function Advice({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul class="advice">
      {lines.map((line, i) => (
        <li key={i}>
          {visible(line)
            .split('`')
            .map((part, k) => (k % 2 === 1 ? <code key={k}>{part}</code> : part))}
        </li>
      ))}
    </ul>
  );
}
