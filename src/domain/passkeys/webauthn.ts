import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { sha256 } from '../shared/random.js';
import type { PasskeyCredential, PasskeySettings, VerifiedCredential } from './passkey.js';

/**
 * What browsers answer, and whether it is good (WebAuthn Level 3 §7). The library is loaded with the first answer of a
 * process: it costs 0.9 s and 28 MB, and processes in which nobody shows a passkey never pay.
 */

/** EdDSA, ES256, RS256, as COSE numbers them. What else the library takes depends on the version of Node. */
export const ALGORITHMS = [-8, -7, -257];

const bytes = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/, 'must be base64url');

export const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

const credential = {
  id: bytes(1400),
  rawId: bytes(1400),
  type: z.literal('public-key'),
  // unread by us, sent by browsers, and more of it with every version
  authenticatorAttachment: z.string().max(50).nullish(),
};

/** `RegistrationResponseJSON` as far as it is read. Unknown members are left out: browsers add some with every version. */
export const registrationResponse = z.object({
  ...credential,
  clientExtensionResults: z
    .object({ credProps: z.object({ rk: z.boolean().optional() }).optional() })
    .optional(),
  response: z.object({
    clientDataJSON: bytes(4_000),
    attestationObject: bytes(16_000),
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});
export type RegistrationResponse = z.output<typeof registrationResponse>;

/** `AuthenticationResponseJSON` as far as it is read. */
export const authenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4_000),
    authenticatorData: bytes(4_000),
    signature: bytes(4_000),
    userHandle: bytes(100).nullish(),
  }),
});
export type AuthenticationResponse = z.output<typeof authenticationResponse>;

const clientData = z.object({ challenge: bytes(100) });

/** Hash of the challenge that an answer is for, as it is on file; undefined for what names none. */
export function challengeHashOf({
  response,
}: Pick<RegistrationResponse | AuthenticationResponse, 'response'>): Buffer | undefined {
  try {
    const json = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as unknown;
    const read = clientData.safeParse(json);
    return read.success ? sha256(read.data.challenge) : undefined;
  } catch {
    return undefined;
  }
}

/** Thrown for an answer that is not good; why is for the log alone. */
export class BadCeremony extends Error {}

/**
 * The challenge is looked at by whoever takes it from file. No certificate is ever followed: nobody is asked for one
 * (`attestation: 'none'`), and the library would fetch what a stranger's names.
 *
 * @throws BadCeremony
 */
export async function verifyRegistration(
  answer: RegistrationResponse,
  { rpId, origin }: PasskeySettings,
  userVerification: 'required' | 'preferred',
): Promise<VerifiedCredential> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  return await asCeremony(async () => {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(answer.response.attestationObject));
    const format = attestation.get('fmt');
    const statement = attestation.get('attStmt');
    // what is left where none was asked for: nothing, or the key's own signature (WebAuthn §5.4.7)
    if (format !== 'none' && (format !== 'packed' || statement.get('x5c') !== undefined)) {
      throw new BadCeremony(`an attestation of the format ${format} with a certificate`);
    }
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: answer as RegistrationResponseJSON,
      expectedChallenge: () => true,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: userVerification === 'required',
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new BadCeremony('the attestation is not good');
    const { credential: made, userVerified, credentialDeviceType, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(made.id, 'base64url'),
      publicKey: Buffer.from(made.publicKey),
      signCount: made.counter,
      transports: TRANSPORTS.filter((one) => answer.response.transports?.includes(one)),
      passwordless: userVerified && answer.clientExtensionResults?.credProps?.rk === true,
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
    };
  });
}

/** An assertion whose signature is good. */
export interface VerifiedAssertion {
  /** By PIN, finger or face; else the user was only there. */
  readonly userVerified: boolean;
  readonly signCount: number;
  readonly backedUp: boolean;
}

/** Challenge and counter are looked at by whoever takes the one from file and notes the other. @throws BadCeremony */
export async function verifyAssertion(
  answer: AuthenticationResponse,
  { rpId, origin }: PasskeySettings,
  known: Pick<PasskeyCredential, 'credentialId' | 'publicKey'>,
  userVerification: 'required' | 'preferred',
): Promise<VerifiedAssertion> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  return await asCeremony(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge: () => true,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: {
        id: known.credentialId.toString('base64url'),
        publicKey: new Uint8Array(known.publicKey),
        // what is on file may have risen meanwhile: the statement that notes the use decides
        counter: 0,
      },
      requireUserVerification: userVerification === 'required',
    });
    if (!verified) throw new BadCeremony('the signature is not good');
    return {
      userVerified: authenticationInfo.userVerified,
      signCount: authenticationInfo.newCounter,
      backedUp: authenticationInfo.credentialBackedUp,
    };
  });
}

/** What the library throws is about what a stranger sent: none of it is an error of ours. */
async function asCeremony<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    throw error instanceof BadCeremony ? error : new BadCeremony('not good', { cause: error });
  }
}
