import type { ServiceProviderAddresses } from '../../../domain/identity-providers/saml/saml-kind.js';
import type { IdentityProviderId } from '../../../domain/shared/ids.js';

/** Where answers of a provider come back to: an address for each, so that none can answer in another's place (RFC 9700 §4.4). */
export function callbackPath(id: IdentityProviderId): string {
  return `/login/idps/${encodeURIComponent(id)}/callback`;
}

/** Where a provider sends people back to who have signed out there. */
export function signedOutPath(id: IdentityProviderId): string {
  return `/login/idps/${encodeURIComponent(id)}/signed_out`;
}

/** The single logout service of SAML: for what a provider asks, and for its answers. */
function singleLogoutPath(id: IdentityProviderId): string {
  return `/login/idps/${encodeURIComponent(id)}/single_logout`;
}

/** Where a provider that speaks SAML reads who we are; it is our name there as well. */
function metadataPath(id: IdentityProviderId): string {
  return `/login/idps/${encodeURIComponent(id)}/metadata`;
}

/** Ours, as a provider knows them. */
export function addressesAt(issuer: string, id: IdentityProviderId): ServiceProviderAddresses {
  return {
    callbackUrl: `${issuer}${callbackPath(id)}`,
    entityId: `${issuer}${metadataPath(id)}`,
    logoutUrl: `${issuer}${singleLogoutPath(id)}`,
  };
}
