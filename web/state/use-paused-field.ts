/** The text of a field that takes effect after a pause in typing. */
import { useEffect, useRef, useState } from 'preact/hooks';

/** The text to show, and a function for each change of it; `pauseMs` 0 lets it take effect at once. */
export function usePausedField(
  value: string,
  onValue: (text: string) => void,
): readonly [text: string, type: (text: string, pauseMs: number) => void] {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // While something typed waits, an earlier text that has just taken effect must not replace it.
  useEffect(() => {
    if (timer.current === undefined) setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string, pauseMs: number): void => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      onValue(text);
    }, pauseMs);
  };
  return [typed, type];
}
