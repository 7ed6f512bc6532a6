import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** The width of an element in pixels; 0 before it is known. */
export function useWidth(host: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const observer = new ResizeObserver(
      ([entry]) => entry !== undefined && setWidth(Math.floor(entry.contentRect.width)),
    );
    observer.observe(host.current);
    setWidth(Math.floor(host.current.getBoundingClientRect().width));
    return () => observer.disconnect();
  }, []);
  return width;
}

/** True on a phone. The style sheets use the same width. */
const NARROW = '(width < 720px)';

export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const onChange = (): void => setIsNarrow(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  return isNarrow;
}
