import type { IdentityProviderId } from '../../domain/shared/ids.js';

/** Where answers of a provider come back to: an address for each, so that none can answer in another's place (RFC 9700 §4.4). */
export function callbackPath(id: IdentityProviderId): string {
  return `/login/idps/${encodeURIComponent(id)}/callback`;
}
