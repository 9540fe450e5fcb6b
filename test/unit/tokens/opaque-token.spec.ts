import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AccessTokenContent } from '../../../src/domain/tokens/access-token/access-token.js';
import {
  openOpaqueToken,
  readOpaqueHeader,
  sealOpaqueToken,
} from '../../../src/domain/tokens/access-token/opaque-token.js';

const ring = { id: 7, key: randomBytes(32) };
const content: AccessTokenContent = {
  jti: 'grant.0.0.abcdefghijkl',
  subject: '249800568283856896',
  clientId: '249800568283856897',
  sessionId: 'session',
  scopes: ['openid', 'profile'],
  audience: ['1', '2'],
  issuedAt: 1_763_700_000,
  expiresAt: 1_763_743_200,
};

function open(token: string): AccessTokenContent | undefined {
  const header = readOpaqueHeader(token);
  return header === undefined ? undefined : openOpaqueToken(ring, header.bytes);
}

describe('opaque access tokens', () => {
  it('open to what was sealed and name their key', () => {
    const token = sealOpaqueToken(ring, content);
    expect(readOpaqueHeader(token)?.keyId).toBe(7);
    expect(open(token)).toEqual(content);
  });

  it('differ although they say the same', () => {
    expect(sealOpaqueToken(ring, content)).not.toBe(sealOpaqueToken(ring, content));
  });

  it('do not show what they say', () => {
    const bytes = Buffer.from(sealOpaqueToken(ring, content).slice(3), 'base64url').toString('latin1');
    expect(bytes).not.toContain(content.subject);
  });

  it('fail to open when any character is changed', () => {
    const token = sealOpaqueToken(ring, content);
    for (let index = 3; index < token.length; index += 1) {
      const changed = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
      expect(open(changed), `character ${index}`).toBeUndefined();
    }
  });

  it('fail to open when truncated, extended or spelled differently', () => {
    const token = sealOpaqueToken(ring, content);
    for (let cut = 1; cut <= 20; cut += 1) expect(open(token.slice(0, -cut))).toBeUndefined();
    expect(open(`${token}A`)).toBeUndefined();
    expect(open(`${token}=`)).toBeUndefined();
    expect(open(token.replaceAll('-', '+').replaceAll('_', '/'))).toSatisfy(
      (opened) => opened === undefined || !/[-_]/.test(token.slice(3)),
    );
    expect(open(token.toUpperCase())).toBeUndefined();
    expect(open(`at_${'A'.repeat(100_000)}`)).toBeUndefined();
  });

  it('do not open with another key', () => {
    const header = readOpaqueHeader(sealOpaqueToken({ id: 7, key: randomBytes(32) }, content));
    expect(header && openOpaqueToken(ring, header.bytes)).toBeUndefined();
  });
});
