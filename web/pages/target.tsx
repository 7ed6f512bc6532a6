export function TargetPage(_: { readonly params: Record<string, string>; readonly query: URLSearchParams }) {
  return null;
}
