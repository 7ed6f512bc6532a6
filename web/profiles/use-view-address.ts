import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery } from '../state/router.ts';
import { addressQuery, parseAddress, type ViewAddress } from './view-address.ts';

export type ChangeAddress = (changes: Partial<ViewAddress>) => void;

/** Panning changes the view many times a second; the address bar follows after a pause. */
const PAUSE_MS = 200;

/** The view in the address, and a function that changes it. */
export function useViewAddress(query: URLSearchParams): readonly [ViewAddress, ChangeAddress] {
  const [address, setAddress] = useState(() => parseAddress(query));
  const written = useRef(query.toString());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(address);
  latest.current = address;

  useEffect(() => {
    if (query.toString() === written.current) return;
    // A link or the back button changed the address.
    written.current = query.toString();
    setAddress(parseAddress(query));
  }, [query.toString()]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change: ChangeAddress = changes => {
    latest.current = { ...latest.current, ...changes };
    setAddress(latest.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setQuery(addressQuery(latest.current));
      written.current = new URLSearchParams(location.search).toString();
    }, PAUSE_MS);
  };
  return [address, change];
}
