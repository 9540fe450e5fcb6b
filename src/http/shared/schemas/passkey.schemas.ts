import { z } from 'zod';
import { LONGEST_PASSKEY_NAME, type Passkey } from '../../../domain/passkeys/passkey.js';
import { registrationResponse } from '../../../domain/passkeys/webauthn.js';
import { name } from '../../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from '../answers.js';
import { idSchema } from './answer-schemas.js';

/** Body of `passkeys/_begin` POST. */
export const beginPasskeyBody = z
  .strictObject({
    passwordless: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Asks for one that signs in without a password: kept by its authenticator, which verifies its user. ' +
          'Otherwise that is preferred, and a key that only knows that somebody touches it is taken as well.',
      }),
  })
  .meta({ examples: [{ passwordless: true }] })
  .prefault({});

/** Members that are not asked for are left out: browsers add some with every version. */
const credential = registrationResponse.meta({
  description: '`RegistrationResponseJSON` of the browser: `credential.toJSON()` (WebAuthn Level 3 §5.1).',
});

const passkeyName = name(LONGEST_PASSKEY_NAME);

/** Body of `passkeys/_finish` POST. */
export const finishPasskeyBody = z
  .strictObject({ name: passkeyName.optional(), passwordless: z.boolean().default(false), credential })
  .meta({
    examples: [
      {
        name: 'Work laptop',
        credential: {
          id: 'AQIDBA',
          rawId: 'AQIDBA',
          type: 'public-key',
          response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['internal'] },
          clientExtensionResults: { credProps: { rk: true } },
        },
      },
    ],
  });

/** Body of `passkeys/{id}` PUT. */
export const passkeyNameBody = z
  .strictObject({ name: passkeyName })
  .meta({ examples: [{ name: 'Work laptop' }] });

const descriptor = z.object({ type: z.string(), id: z.string(), transports: z.array(z.string()) });

/** Answer of what begins: the argument of `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const passkeyOptionsAnswer = z.object({
  publicKey: z.object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.string(), alg: z.number() })),
    timeout: z.number(),
    attestation: z.string(),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.object({
      residentKey: z.string(),
      requireResidentKey: z.boolean(),
      userVerification: z.string(),
    }),
    extensions: z.object({ credProps: z.boolean() }),
  }),
});

/** A passkey as its user and managers see it. */
const passkeyAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    name: z.string(),
    // signs in without a password
    passwordless: z.boolean(),
    // may be copied to other devices of its user, and was, when it was last used
    backupEligible: z.boolean(),
    backedUp: z.boolean(),
    lastUsedDate: z.iso.datetime().optional(),
    // its counter went back then: there may be a copy of it
    counterWentBackDate: z.iso.datetime().optional(),
  }),
  ({ lastUsedAt, counterWentBackAt, ...passkey }: Passkey) => ({
    ...passkey,
    lastUsedDate: lastUsedAt?.toISOString(),
    counterWentBackDate: counterWentBackAt?.toISOString(),
  }),
);

/** Answer of what lists the passkeys of one user. */
export const passkeysAnswer = z.object({ result: z.array(passkeyAnswer).readonly() });

/** Answer of what adds one. */
export const addedPasskeyAnswer = answerFrom(
  z.object({ id: idSchema, details: detailsOfCreation }),
  ({ id, details }: Passkey) => ({ id, details }),
);
