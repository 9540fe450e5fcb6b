import { z } from 'zod';
import {
  humanRecordSchema,
  readHumanRecord,
  readNewHuman,
  unsupported,
} from '../../../domain/imports/records/human-record.js';
import type { ImportedHumanUser } from '../../../domain/imports/records/import-human-user.js';
import type { PasskeyLink } from '../../../domain/passkeys/links/make-passkey-link.js';
import type { ServiceUser, User, UserState } from '../../../domain/users/user.js';
import type { CreatedUser } from '../../../domain/users/users.store.js';
import { answerFrom, detailsOfChange, detailsOfCreation, detailsOfRecord } from '../answers.js';
import { bodyOfReader } from '../body-of-reader.js';
import { idSchema } from './answer-schemas.js';
import { shownDuration } from './duration.js';
import { humanAnswer } from './human.schemas.js';

/** Somebody who has not chosen a password yet, and gets a message about it. */
const EXAMPLE = {
  examples: [
    {
      userName: 'ada',
      profile: { firstName: 'Ada', lastName: 'Lovelace', preferredLanguage: 'en' },
      email: { email: 'ada@example.com' },
    },
  ],
};

/** Body of `_import`. */
export const importedHumanBody = bodyOfReader(readHumanRecord, humanRecordSchema.meta(EXAMPLE));

/** Body of `users/human`. */
export const addedHumanBody = bodyOfReader(
  readNewHuman,
  humanRecordSchema
    .omit({ hashedPassword: true })
    .extend({
      requestPasswordlessRegistration: unsupported(z.boolean()),
      otpCode: unsupported(z.string()),
      recoveryCodes: unsupported(z.array(z.unknown())),
      codeFactors: unsupported(z.array(z.unknown())),
    })
    .meta(EXAMPLE),
);

/** Answer of what makes a user of either kind. */
export const createdUserAnswer = answerFrom(
  z.object({ userId: idSchema, details: detailsOfCreation }),
  ({ id, details }: CreatedUser) => ({ userId: id, details }),
);

/** A link that adds a passkey. `expiration` says the same as `lifetime` under its newer name. */
const passkeyLinkFields = { link: z.url(), lifetime: shownDuration, expiration: shownDuration };

function shownLink({ url, lifetimeSeconds }: PasskeyLink) {
  return { link: url, lifetime: lifetimeSeconds, expiration: lifetimeSeconds };
}

/** Answer of `_import`. */
export const importedUserAnswer = answerFrom(
  z.object({
    userId: idSchema,
    details: detailsOfCreation,
    passwordlessRegistration: z.object(passkeyLinkFields).optional().meta({
      description: 'Only where `requestPasswordlessRegistration` asked for it.',
    }),
  }),
  ({ id, details, passkeyLink }: ImportedHumanUser) => ({
    userId: id,
    details,
    passwordlessRegistration: passkeyLink && shownLink(passkeyLink),
  }),
);

/** Answer of what makes such a link for a user who is there already. */
export const passkeyLinkAnswer = answerFrom(
  z.object({ details: detailsOfChange, ...passkeyLinkFields }),
  (link: PasskeyLink) => ({ details: link.details, ...shownLink(link) }),
);

const STATES = {
  initial: 'USER_STATE_INITIAL',
  active: 'USER_STATE_ACTIVE',
  inactive: 'USER_STATE_INACTIVE',
  locked: 'USER_STATE_LOCKED',
} as const satisfies Readonly<Record<UserState, string>>;

export const userState = answerFrom(z.enum(Object.values(STATES)), (state: UserState) => STATES[state]);

const text = z.string().min(1);

const machine = answerFrom(
  z.object({
    name: z.string(),
    description: text.optional(),
    accessTokenType: z.literal('ACCESS_TOKEN_TYPE_JWT').optional(),
  }),
  ({ name: called, description, accessTokenType }: ServiceUser) => ({
    name: called,
    description: description || undefined,
    accessTokenType: accessTokenType === 'jwt' ? ('ACCESS_TOKEN_TYPE_JWT' as const) : undefined,
  }),
);

/** A user as it is read. Zero values are left out (protocol §0.1), passwords do not exist here. */
export const userAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    state: userState,
    userName: text,
    loginNames: z.array(text),
    preferredLoginName: text,
    human: humanAnswer.optional(),
    machine: machine.optional(),
  }),
  (user: User) => ({
    ...user,
    loginNames: [user.loginName],
    preferredLoginName: user.loginName,
    ...(user.type === 'human' ? { human: user } : { machine: user }),
  }),
);

/** Answer of what finds one. */
export const foundUserAnswer = z.object({ user: userAnswer });
