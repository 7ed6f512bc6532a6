/** A rule in common use: as published, and with its tunable parameters. */
import type { View } from './view.ts';

export type Parameters = Readonly<Record<string, number | string | boolean>>;

export interface Variant {
  readonly rule: string;
  readonly parameters: Parameters;
  readonly fires: (view: View) => boolean;
}

export interface Rule {
  readonly name: string;
  /** Undefined if no thresholds are published. */
  readonly stock: Variant | undefined;
  readonly grid: readonly Variant[];
  readonly with: (parameters: Parameters) => Variant;
}

export function rule<P extends Parameters>(
  name: string,
  stock: P | undefined,
  grid: { readonly [K in keyof P]: readonly P[K][] } | undefined,
  fires: (view: View, parameters: P) => boolean,
): Rule {
  const variant = (parameters: P): Variant => ({ rule: name, parameters, fires: view => fires(view, parameters) });
  return {
    name,
    stock: stock === undefined ? undefined : variant(stock),
    grid: grid === undefined ? [] : combinations(grid).map(variant),
    // Tuned parameters are read back from a file made from this grid.
    with: parameters => variant(parameters as P),
  };
}

/** {a: [1, 2], b: [3]} -> [{a: 1, b: 3}, {a: 2, b: 3}] */
function combinations<P extends Parameters>(grid: { readonly [K in keyof P]: readonly P[K][] }): P[] {
  let partial: Parameters[] = [{}];
  for (const [name, choices] of Object.entries(grid)) {
    partial = partial.flatMap(chosen => choices.map((choice: P[string]) => ({ ...chosen, [name]: choice })));
  }
  return partial as P[];
}
