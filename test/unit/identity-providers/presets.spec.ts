import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  makeAppleClientSecret,
  requireAppleKey,
} from '../../../src/domain/identity-providers/oauth/apple-client-secret.js';
import { protocolOf } from '../../../src/domain/identity-providers/oauth/presets.js';

const client = { clientId: 'c', scopes: ['openid'], requiredClaims: {} };

describe('presets', () => {
  it.each([
    ['organizations', true],
    ['common', true],
    ['6babcaad-604b-40ac-a9d7-9fd97c0b779f', false],
  ])('of Microsoft: the tenant %s is many: %s', (tenant, multiTenant) => {
    expect(protocolOf({ kind: 'microsoft', settings: { ...client, tenant } })).toMatchObject({
      issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
      multiTenant,
    });
  });

  it('sends LinkedIn no PKCE and no nonce, and has Apple post its answer', () => {
    expect(protocolOf({ kind: 'linkedin', settings: client })).toMatchObject({ pkce: false, nonce: false });
    expect(protocolOf({ kind: 'apple', settings: { ...client, teamId: 'T', keyId: 'K' } })).toMatchObject({
      responseMode: 'form_post',
      authentication: 'apple',
      nonce: true,
    });
  });
});

describe('the client secret of Apple', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it('is a token of ten minutes that the key signs', async () => {
    const now = 1_800_000_000;
    const settings = { ...client, teamId: 'TEAM123456', keyId: 'KEY1234567' };
    const token = await makeAppleClientSecret(settings, pem, now);
    const { protectedHeader } = await jwtVerify(token, publicKey, { currentDate: new Date(now * 1000) });
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'KEY1234567' });
    expect(decodeJwt(token)).toEqual({
      iss: 'TEAM123456',
      sub: 'c',
      aud: 'https://appleid.apple.com',
      iat: now,
      exp: now + 600,
    });
  });

  it('needs a key of Apple', () => {
    expect(() => requireAppleKey(pem)).not.toThrow();
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
    const wrong = other.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => requireAppleKey(wrong)).toThrow('must be the key file of Apple');
  });
});
