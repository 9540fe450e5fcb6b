import { isUnknownHere, type BrowserApplication } from '../../applications/application.js';
import { audienceProject } from './scopes.js';

/**
 * The first scope that a self-registered application is never given; undefined if there is none. The audience of an unvetted
 * application's tokens is not decided here, but by `RequestedAudience`.
 */
export function scopeBeyond(
  application: Pick<BrowserApplication, 'allowedScopes' | 'registration'>,
  scopes: readonly string[],
): string | undefined {
  const isUnknown = isUnknownHere(application);
  return scopes.find((scope) => {
    if (application.allowedScopes?.includes(scope) !== false) return false;
    return !isUnknown || audienceProject(scope, '') === undefined;
  });
}
