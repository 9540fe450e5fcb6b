import { sign, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { readJwt } from '../../../src/domain/signing-keys/read-jwt.js';
import { makeSigner } from '../../support/assertions.js';

const signers = new Map(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'].map((alg) => [alg, makeSigner(alg)]));

function keysOf(alg: string): { privateKey: KeyObject; publicKey: KeyObject } {
  const signer = signers.get(alg);
  if (signer === undefined) throw new Error(`no key for ${alg}`);
  return signer;
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function signed(alg: string, header: object = {}): Promise<string> {
  return await new SignJWT({ sub: 'somebody' })
    .setProtectedHeader({ alg, ...header })
    .sign(keysOf(alg).privateKey);
}

describe('a JWT of a well-known library', () => {
  it.each([...signers.keys()])('signed with %s is that of its key, and of no other', async (alg) => {
    const jwt = readJwt(await signed(alg));
    expect(jwt?.payload.sub).toBe('somebody');
    expect(jwt?.isSignedBy(keysOf(alg).publicKey, [alg])).toBe(true);
    expect(jwt?.isSignedBy(makeSigner(alg).publicKey, [alg])).toBe(false);
  });

  it.each([...signers.keys()])('signed with %s is not taken where it was changed', async (alg) => {
    const [head = '', , signature = ''] = (await signed(alg)).split('.');
    const changed = readJwt(`${head}.${part({ sub: 'somebody else' })}.${signature}`);
    expect(changed?.payload.sub).toBe('somebody else');
    expect(changed?.isSignedBy(keysOf(alg).publicKey, [alg])).toBe(false);
  });

  it.each([...signers.keys()])(
    'signed with %s is not taken with half a signature, or too much',
    async (alg) => {
      const [head = '', body = '', signature = ''] = (await signed(alg)).split('.');
      for (const other of [signature.slice(0, signature.length / 2), `${signature}AAAA`, 'AA']) {
        expect(readJwt(`${head}.${body}.${other}`)?.isSignedBy(keysOf(alg).publicKey, [alg])).toBe(false);
      }
    },
  );
});

describe('the record of a key decides', () => {
  it.each([
    ['RS256', ['PS256']],
    ['PS256', ['RS256']],
    ['ES256', ['RS256']],
    ['RS256', []],
  ])('not a header that says %s where the key may do %j', async (alg, allowed) => {
    expect(readJwt(await signed(alg))?.isSignedBy(keysOf(alg).publicKey, allowed)).toBe(false);
  });

  it('a key of another kind than the algorithm is no key for it', async () => {
    const jwt = readJwt(await signed('ES256'));
    expect(jwt?.isSignedBy(keysOf('RS256').publicKey, ['ES256', 'RS256'])).toBe(false);
    expect(jwt?.isSignedBy(keysOf('EdDSA').publicKey, ['ES256', 'EdDSA'])).toBe(false);
  });

  it.each(['none', 'HS256', 'constructor', '', 7, null])(
    'alg %j is never one, even where it is allowed',
    (alg) => {
      const jwt = readJwt(`${part({ alg })}.${part({ sub: 'somebody' })}.AAAA`);
      expect(jwt?.isSignedBy(keysOf('RS256').publicKey, [String(alg)])).toBe(false);
    },
  );

  it('an extension that must be understood is not (RFC 7515 §4.1.11)', () => {
    const input = `${part({ alg: 'RS256', crit: ['b64'], b64: false })}.${part({ sub: 'somebody' })}`;
    const signature = sign('sha256', Buffer.from(input), keysOf('RS256').privateKey).toString('base64url');
    expect(readJwt(`${input}.${signature}`)?.isSignedBy(keysOf('RS256').publicKey, ['RS256'])).toBe(false);
  });

  it('an ECDSA signature in DER is none of a JWS (RFC 7518 §3.4)', () => {
    const input = `${part({ alg: 'ES256' })}.${part({ sub: 'somebody' })}`;
    const der = sign('sha256', Buffer.from(input), keysOf('ES256').privateKey).toString('base64url');
    expect(readJwt(`${input}.${der}`)?.isSignedBy(keysOf('ES256').publicKey, ['ES256'])).toBe(false);
  });
});

describe('what is no JWT', () => {
  const head = part({ alg: 'RS256' });
  it.each([
    ['nothing', ''],
    ['two parts', `${head}.${part({})}`],
    ['four parts', `${head}.${part({})}.AA.AA`],
    ['an empty signature', `${head}.${part({})}.`],
    ['padding', `${head}.${part({})}.AAA=`],
    ['base64 of the other alphabet', `${head}.${part({})}.A+/A`],
    ['a line break at the end', `${head}.${part({})}.AAAA\n`],
    ['a list for a header', `${part([])}.${part({})}.AAAA`],
    ['a text for claims', `${head}.${part('claims')}.AAAA`],
    ['null for claims', `${head}.${part(null)}.AAAA`],
    ['a time in words', `${head}.${part({ exp: 'tomorrow' })}.AAAA`],
    ['a time as text', `${head}.${part({ nbf: '1' })}.AAAA`],
    ['a time that is null', `${head}.${part({ iat: null })}.AAAA`],
    ['no JSON', `${head}.${Buffer.from('{').toString('base64url')}.AAAA`],
  ])('%s', (_what, token) => {
    expect(readJwt(token)).toBeUndefined();
  });
});
