import { isUnknownHere, type BrowserApplication } from '../../applications/application.js';
import { audienceProject } from './scopes.js';

/**
 * The first scope that an application which registered itself is never given; undefined where there is none. Whom the tokens of one
 * that nobody vouches for may be for is no matter of this list: `RequestedAudience` decides it.
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
