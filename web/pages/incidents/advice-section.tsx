import { Advice } from '../../widgets/advice.tsx';

export function AdviceSection({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <Advice lines={lines} />
    </section>
  );
}
