import {
  isRegisteredRedirectUri,
  redirectUriFault,
  type RedirectUriFault,
} from '../../../src/domain/applications/redirect-uri.ts';
import type { Kind } from './applications.ts';

/**
 * Redirect URIs by the very rules of the service: what may be registered, and whether a request may ask for one. Deciding it
 * here tells people while they type; the service decides again.
 */

const APP_TYPES = { spa: 'user_agent', web: 'web', native: 'native', api: 'web' } as const;

export function faultOf(uri: string, kind: Kind, devMode: boolean): RedirectUriFault | undefined {
  return redirectUriFault(uri, APP_TYPES[kind], devMode);
}

/** Whether one of the addresses can be registered in development mode alone. */
export function needDevMode(uris: readonly string[], kind: Kind): boolean {
  return uris.some(
    (uri) => faultOf(uri, kind, false) !== undefined && faultOf(uri, kind, true) === undefined,
  );
}

type Difference = 'scheme' | 'host' | 'port' | 'slash' | 'case' | 'query' | 'path';

/** What a request that names `asked` meets. */
export type Verdict =
  | { readonly is: 'registered' }
  /** One that is registered is almost the same. */
  | { readonly is: 'close'; readonly to: string; readonly by: Difference }
  | { readonly is: 'refused'; readonly fault: RedirectUriFault }
  | { readonly is: 'unknown' };

export function check(asked: string, registered: readonly string[], kind: Kind, devMode: boolean): Verdict {
  if (isRegisteredRedirectUri(asked, registered, APP_TYPES[kind])) return { is: 'registered' };
  const fault = faultOf(asked, kind, devMode);
  for (const to of registered) {
    const by = onlyDifference(asked, to);
    if (by !== undefined) return { is: 'close', to, by };
  }
  return fault === undefined ? { is: 'unknown' } : { is: 'refused', fault };
}

/** The one part in which two addresses differ; undefined where they differ in more than one. */
function onlyDifference(asked: string, known: string): Difference | undefined {
  if (asked.toLowerCase() === known.toLowerCase()) return 'case';
  if (`${asked}/` === known || asked === `${known}/`) return 'slash';
  if (!URL.canParse(asked) || !URL.canParse(known)) return undefined;
  const [a, b] = [new URL(asked), new URL(known)];
  const differences = (
    [
      ['scheme', a.protocol !== b.protocol],
      ['host', a.hostname !== b.hostname],
      ['port', a.port !== b.port],
      ['path', a.pathname !== b.pathname],
      ['query', a.search !== b.search],
    ] as const
  ).filter(([, differs]) => differs);
  return differences.length === 1 ? differences[0]?.[0] : undefined;
}
