/** Named facts, one per line. */
import type { ComponentChildren } from 'preact';

export function FactList({ children }: { readonly children: ComponentChildren }) {
  return <dl class="fact-list">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
