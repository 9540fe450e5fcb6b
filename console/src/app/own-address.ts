/**
 * An address of the console and no other, without its origin: what comes back from a sign-in must not lead anywhere else. What is no
 * address at all leads to the start.
 */
export function ownAddress(address: string, origin: string): string {
  if (!URL.canParse(address, origin)) return '/console/';
  const url = new URL(address, origin);
  const own = url.origin === origin && /^\/console(\/|$)/.test(url.pathname);
  return own ? url.pathname + url.search + url.hash : '/console/';
}
