import { z } from 'zod';
import { readHumanRecord, readNewHuman } from '../../domain/imports/records/human-record.js';
import type { ImportedHumanUser } from '../../domain/imports/records/import-human-user.js';
import type { PasskeyLink } from '../../domain/passkeys/make-passkey-link.js';
import { CODE_FACTOR_KINDS } from '../../domain/policies/factor-policy.js';
import type { ServiceUser, User, UserState } from '../../domain/users/user.js';
import type { CreatedUser } from '../../domain/users/users.store.js';
import { idSchema } from './answer-schemas.js';
import { answerFrom, detailsOfChange, detailsOfCreation, detailsOfRecord } from './answers.js';
import { shownDuration } from './duration.js';
import { humanAnswer, importedProfileSchema } from './human.schemas.js';
import { readBy } from './read-by.js';

const name = z.string().min(1).max(200);

const unsupported = (type: z.ZodType) =>
  type.optional().meta({ description: 'Not supported: must be left out or empty.' });

/** For the OpenAPI document: the reader of import records is made for a million of them. */
const humanRecordSchema = z.strictObject({
  userName: name.meta({ description: 'Unique in the organization, without regard to case.' }),
  profile: importedProfileSchema,
  email: z.strictObject({
    email: z.string().min(1).max(200),
    isEmailVerified: z.boolean().optional(),
  }),
  phone: z
    .strictObject({ phone: z.string().min(1).max(50), isPhoneVerified: z.boolean().optional() })
    .optional(),
  password: z.string().optional().meta({ description: 'In plain text; held against the password policy.' }),
  hashedPassword: z
    .strictObject({ value: z.string(), algorithm: z.unknown().optional().meta({ description: 'Ignored.' }) })
    .optional()
    .meta({ description: 'An encoded hash; wins over `password`.' }),
  passwordChangeRequired: z.boolean().optional(),
  requestPasswordlessRegistration: z.boolean().optional().meta({
    description: 'The answer has a one-time link by which whoever holds it adds a passkey to the account.',
  }),
  otpCode: z.string().optional().meta({
    description:
      'TOTP secret: base32, or an `otpauth://totp` address. Its code is asked for from the first sign-in on.',
  }),
  idps: unsupported(z.array(z.unknown())),
  recoveryCodes: z
    .array(
      z.union([z.strictObject({ raw: z.string().max(200) }), z.strictObject({ hash: z.string().max(200) })]),
    )
    .max(10)
    .optional()
    .meta({
      description: 'Each stands in for the second factor once: in clear, or as a hash of a known scheme.',
    }),
  codeFactors: z.array(z.enum(CODE_FACTOR_KINDS)).optional().meta({
    description: 'Codes are sent there as a second factor, while the address or number is verified.',
  }),
});

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
export const importedHumanBody = readBy(readHumanRecord, humanRecordSchema.meta(EXAMPLE));

/** Body of `users/human`. */
export const addedHumanBody = readBy(
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
