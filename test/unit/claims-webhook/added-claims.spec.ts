import { describe, expect, it } from 'vitest';
import { claimsIn, isReserved } from '../../../src/domain/claims-webhook/added-claims.js';
import { claimsServed } from '../../../src/domain/tokens/claims/user-claims.js';

const answer = (claims: unknown): string => JSON.stringify({ claims });

// S246

describe('claims that a webhook adds', () => {
  it('are taken as they are', () => {
    const claims = {
      'https://example.com/tier': 'gold',
      department: { name: 'Sales', cost: [1, 2] },
      vip: true,
    };
    expect(claimsIn(answer(claims))).toEqual(claims);
    expect(claimsIn(answer({}))).toEqual({});
  });

  it.each([
    ['no JSON', 'claims', 'not_json'],
    ['a list', '[]', 'not_json'],
    ['nothing', '', 'not_json'],
    ['no claims', '{}', 'no_claims'],
    ['a list of claims', '{"claims":[]}', 'no_claims'],
    ['no object', '{"claims":null}', 'no_claims'],
    ['too much', answer({ a: 'x'.repeat(4_100) }), 'claims_too_large'],
    [
      'too many',
      answer(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`c${n}`, n]))),
      'claims_too_large',
    ],
    ['a blank in a name', answer({ 'a b': 1 }), 'claim_name'],
    ['a name that is empty', answer({ '': 1 }), 'claim_name'],
    ['what goes deep', answer({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }), 'claim_too_deep'],
    [
      'what goes so deep that nothing could write it out',
      `{"claims":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`,
      'claim_too_deep',
    ],
    ['a prototype', '{"claims":{"__proto__":{"sub":"root"}}}', 'claim_reserved'],
  ])('are refused with %s', (_case, body, reason) => {
    expect(() => claimsIn(body)).toThrow(expect.objectContaining({ reason }) as Error);
  });

  it.each([
    ...claimsServed({ hybrid: true }),
    'jti',
    'nbf',
    'cnf',
    'act',
    'scope',
    'client_id',
    'roles',
    'groups',
    'active',
    'SUB',
    'urn:zitadel:iam:org:project:roles',
    'URN:ZITADEL:iam:user:metadata',
    'urn:service:roles',
    'sub_id',
    'verified_claims',
  ])('are never %s', (name) => {
    expect(isReserved(name)).toBe(true);
    expect(() => claimsIn(answer({ tier: 'gold', [name]: 'x' }))).toThrow(
      expect.objectContaining({ reason: 'claim_reserved' }) as Error,
    );
  });
});
