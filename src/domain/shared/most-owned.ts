import { ApiError } from './errors.js';

/**
 * What one owner may have of a thing that every call could add another of: far more than anybody needs, so that a script
 * that has run wild, or a tenant, does not grow tables, lists and exports without end. Owners that have more from before
 * keep it.
 */
export const MOST_OWNED = {
  personal_access_tokens: { most: 1_000, text: 'A service user can have 1,000 personal access tokens' },
  service_user_keys: { most: 1_000, text: 'A service user can have 1,000 keys' },
  application_keys: { most: 1_000, text: 'An application can have 1,000 keys' },
  organization_domains: { most: 1_000, text: 'An organization can have 1,000 domains' },
  passkeys: { most: 50, text: 'A user can have 50 passkeys' },
  // enough for a change of tokens without a gap, for more than one directory
  scim_tokens: { most: 5, text: 'An organization can have 5 SCIM tokens' },
  initial_access_tokens: { most: 100, text: 'An organization can have 100 initial access tokens' },
  identity_providers: { most: 50, text: 'An organization can have 50 identity providers' },
  // each is asked about every second or so
  webhooks: { most: 20, text: 'An organization can have 20 webhooks' },
  project_roles: { most: 5_000, text: 'A project can have 5,000 roles' },
} as const;

export type OwnedThing = keyof typeof MOST_OWNED;

const TOO_MANY = 'LIMITS-6Mo2w';

/** The refusal of another one. */
export function tooManyOwned(thing: OwnedThing): ApiError {
  return new ApiError('failed-precondition', `${MOST_OWNED[thing].text}: remove one first`, TOO_MANY);
}

export function isTooManyOwned(error: ApiError): boolean {
  return error.id === TOO_MANY;
}
