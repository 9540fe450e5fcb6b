import { describe, expect, it } from 'vitest';
import {
  confirmationOfCertificate,
  confirmationOfKey,
} from '../../../src/domain/authorizations/confirmation.js';
import { makeTokenId, parseTokenId } from '../../../src/domain/tokens/token-id.js';

describe('the id of a token', () => {
  it('says what ends it, and is another one each time', () => {
    const id = { authorizationId: 'AbC-_123', subjectEpoch: 0, clientEpoch: 123_456_789, pairwise: false };
    expect(parseTokenId(makeTokenId(id))).toEqual(id);
    expect(makeTokenId(id)).not.toBe(makeTokenId(id));
  });

  it('says whether the token has pairwise names', () => {
    const id = { authorizationId: 'AbC-_123', subjectEpoch: 0, clientEpoch: 1, pairwise: true };
    expect(parseTokenId(makeTokenId(id))).toEqual(id);
  });

  it.each([
    ['a key', confirmationOfKey('k'.repeat(43)), false],
    ['a certificate', confirmationOfCertificate('_'.repeat(43)), true],
  ])('says that the token is bound to %s', (_name, confirmation, pairwise) => {
    const id = { authorizationId: 'AbC-_123', subjectEpoch: 0, clientEpoch: 1, pairwise, confirmation };
    expect(parseTokenId(makeTokenId(id))).toEqual(id);
  });

  it.each([
    'a.1.2.k.short.AAAAAAAAAAAA',
    `a.1.2.x.${'k'.repeat(43)}.AAAAAAAAAAAA`,
    `a.1.2.k.${'k'.repeat(43)}.p.AAAAAAAAAAAA`,
    '',
    'a.1.2',
    'a.1.2.short',
    'a.-1.2.AAAAAAAAAAAA',
    'a.1.2.AAAAAAAAAAAA.x',
    'a.1.2.q.AAAAAAAAAAAA',
    'a.1.2.p.p.AAAAAAAAAAAA',
    'a\u0000.1.2.AAAAAAAAAAAA',
    '.1.2.AAAAAAAAAAAA',
  ])('%j is none', (jti) => {
    expect(parseTokenId(jti)).toBeUndefined();
  });
});
