/** What every page gets from the address. */
export interface PageProps {
  /** From the path: `target` of `/t/node/worker-17` is `node/worker-17`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}
