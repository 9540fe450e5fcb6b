import { z } from 'zod';
import type { SessionRecord } from '../../../domain/sessions/session.js';
import { answerFrom } from '../answers.js';
import { flagText } from '../pages/page-parameters.js';
import { idSchema } from './answer-schemas.js';

/** A session as its user recognises it: nothing that could be used in its place. */
const sessionAnswer = answerFrom(
  z.object({
    id: idSchema,
    // browser and system, where they were recognised
    browser: z.string().optional(),
    creationDate: z.iso.datetime(),
    authenticationDate: z.iso.datetime(),
    lastSeenDate: z.iso.datetime(),
  }),
  ({ id, device, createdAt, authenticatedAt, lastUsedAt }: SessionRecord) => ({
    id,
    browser: device,
    creationDate: createdAt.toISOString(),
    authenticationDate: authenticatedAt.toISOString(),
    lastSeenDate: lastUsedAt.toISOString(),
  }),
);

/** Answer of what lists the sessions of one user. */
export const sessionsAnswer = z.object({ result: z.array(sessionAnswer).readonly() });

/** The query of a DELETE that ends all sessions of a user. */
export const endSessionsQuery = z.strictObject({
  keepOfflineAccess: flagText(),
});

export const END_SESSIONS_DESCRIPTION =
  'Ends access tokens, unused codes and refresh tokens as well, offline access included. With ' +
  '`keepOfflineAccess=true` applications that were given offline access keep it, as after a logout. Personal access ' +
  'tokens, keys and secrets stay.';
