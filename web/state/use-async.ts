import { useEffect, useState } from 'preact/hooks';

export interface AsyncValue<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
}

/** The result of `load`, called again when `inputs` change. Keeps the last value until then; ignores outdated results. */
export function useAsync<T>(load: () => Promise<T> | undefined, inputs: readonly unknown[]): AsyncValue<T> {
  const [state, setState] = useState<AsyncValue<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    let isCurrent = true;
    load()?.then(
      value => isCurrent && setState({ value, error: undefined }),
      (error: unknown) =>
        isCurrent &&
        setState(known => ({ ...known, error: error instanceof Error ? error : new Error(String(error)) })),
    );
    return () => void (isCurrent = false);
  }, inputs);
  return state;
}
