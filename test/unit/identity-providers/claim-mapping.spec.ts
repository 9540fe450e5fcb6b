import { describe, expect, it } from 'vitest';
import {
  claimAt,
  mapClaims,
  NO_MAPPING,
  OIDC_FIELDS,
} from '../../../src/domain/identity-providers/claim-mapping.js';
import type { ProjectId } from '../../../src/domain/shared/ids.js';

const PROJECT = '1' as ProjectId;

describe('the mapping of claims', () => {
  it('takes the usual claims where it says nothing else, and no user name from elsewhere', () => {
    const claims = {
      email: 'ada@example.com',
      given_name: 'Ada',
      locale: 'de-CH',
      preferred_username: 'admin',
    };
    expect(mapClaims(claims, NO_MAPPING, OIDC_FIELDS)).toEqual({
      email: 'ada@example.com',
      emailVerified: false,
      profile: { firstName: 'Ada', preferredLanguage: 'de' },
      roles: [],
      metadata: [],
    });
  });

  it.each([
    [true, true],
    ['true', false],
    [1, false],
    [undefined, false],
    [{}, false],
  ])('email_verified %j proves: %j', (said, proves) => {
    expect(mapClaims({ email_verified: said }, NO_MAPPING, OIDC_FIELDS).emailVerified).toBe(proves);
  });

  it('finds members, and claims whose name has dots', () => {
    const claims = { 'https://acme.test/id': 7, deep: { er: { still: 'x' } } };
    expect(claimAt(claims, 'https://acme.test/id')).toBe(7);
    expect(claimAt(claims, 'deep.er.still')).toBe('x');
    for (const path of ['deep.nothing', 'toString', '__proto__.polluted', 'deep.er.still.length'])
      expect(claimAt(claims, path)).toBeUndefined();
  });

  it('leaves out what is too long, and breaks no line', () => {
    const claims = { name: 'x'.repeat(201), given_name: 'A\u0000d\na', family_name: { no: 'text' } };
    expect(mapClaims(claims, NO_MAPPING, OIDC_FIELDS).profile).toEqual({ firstName: 'A d a' });
  });

  it('says of each role whether somebody has it, and takes metadata as text', () => {
    const rule = (value: string) => ({ claim: 'groups', value, projectId: PROJECT, roleKey: value });
    const mapping = {
      fields: {},
      roles: [rule('admins'), rule('others')],
      metadata: [
        { claim: 'groups', key: 'groups' },
        { claim: 'level', key: 'level' },
        { claim: 'none', key: 'none' },
      ],
    };
    const mapped = mapClaims({ groups: ['admins'], level: 3 }, mapping, OIDC_FIELDS);
    expect(mapped.roles.map(({ holds }) => holds)).toEqual([true, false]);
    expect(mapped.metadata).toEqual([
      { key: 'groups', value: '["admins"]' },
      { key: 'level', value: '3' },
    ]);
  });
});
