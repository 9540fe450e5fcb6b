import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { ApiError } from '../../shared/errors.js';
import type { AppleSettings } from './oauth-kinds.js';

/** Apple takes up to half a year; the shorter it lives, the less it is worth to whoever finds it. */
const LIFETIME_SECONDS = 600;

/** The key of a developer's account, as Apple hands it out: PKCS #8 in PEM, on P-256. */
function appleKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    const { namedCurve } = key.asymmetricKeyDetails ?? {};
    return key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** @throws ApiError invalid-argument */
export function requireAppleKey(pem: string): void {
  if (appleKey(pem) !== undefined) return;
  throw new ApiError(
    'invalid-argument',
    'clientSecret must be the key file of Apple: -----BEGIN PRIVATE KEY----- and what follows',
  );
}

/** Apple's client secret is a JWT that we sign for each call. */
export async function makeAppleClientSecret(
  { teamId, keyId, clientId }: AppleSettings,
  pem: string,
  nowSeconds: number,
): Promise<string> {
  const key = appleKey(pem);
  if (key === undefined) throw new Error('the key of Apple on file is none');
  return await new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setSubject(clientId)
    .setAudience('https://appleid.apple.com')
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + LIFETIME_SECONDS)
    .sign(key);
}
