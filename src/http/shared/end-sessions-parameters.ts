import { z } from 'zod';
import { bodyReader } from './api-fields.js';

/** The query of a DELETE that ends all sessions of a user. */
export const endSessionsParameters = bodyReader({
  keepOfflineAccess: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
});

export const END_SESSIONS_DESCRIPTION =
  'Ends access tokens, unused codes and refresh tokens as well, offline access included. With ' +
  '`keepOfflineAccess=true` applications that were given offline access keep it, as after a logout. Personal access ' +
  'tokens, keys and secrets stay.';

/** @throws ApiError invalid-argument */
export function readEndSessions(query: unknown): { readonly keepOfflineAccess: boolean } {
  return { keepOfflineAccess: endSessionsParameters(query ?? {}).keepOfflineAccess === 'true' };
}
