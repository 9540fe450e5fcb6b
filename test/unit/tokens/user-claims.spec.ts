import { describe, expect, it } from 'vitest';
import { isReserved } from '../../../src/domain/claims-webhook/added-claims.js';
import { USER_CLAIMS } from '../../../src/domain/shared/user-claim-names.js';
import {
  claimsOfScopes,
  type HumanClaims,
  type Subject,
} from '../../../src/domain/tokens/claims/user-claims.js';

const everything: HumanClaims = {
  kind: 'human',
  displayName: 'Ada Lovelace',
  firstName: 'Ada',
  lastName: 'Lovelace',
  middleName: 'King',
  nickName: 'ada',
  preferredLanguage: 'en',
  gender: 'female',
  profile: 'https://example.com/ada',
  picture: 'https://example.com/ada.png',
  website: 'https://ada.example.com',
  birthdate: '1815-12-10',
  zoneinfo: 'Europe/London',
  email: 'ada@example.com',
  emailVerified: true,
  phone: '+41791234567',
  phoneVerified: false,
  address: {
    formatted: '12 St James Square, London',
    streetAddress: '12 St James Square',
    locality: 'London',
    region: 'Greater London',
    postalCode: 'SW1Y 4JH',
    country: 'United Kingdom',
  },
};
const nothing: HumanClaims = {
  ...everything,
  middleName: null,
  nickName: null,
  preferredLanguage: null,
  gender: null,
  profile: null,
  picture: '',
  website: null,
  birthdate: null,
  zoneinfo: null,
  emailVerified: false,
  phone: null,
  address: {
    formatted: null,
    streetAddress: null,
    locality: null,
    region: null,
    postalCode: null,
    country: null,
  },
};

function subject(claims: Subject['claims']): Subject {
  return {
    id: '1',
    orgId: '2',
    userName: 'u',
    loginName: 'ada@acme.example.com',
    changedAt: 1_763_700_000,
    claims,
  };
}

describe('claims of a scope', () => {
  it('profile gives all fourteen', () => {
    expect(Object.keys(claimsOfScopes(subject(everything), ['openid', 'profile'])).toSorted()).toEqual(
      (
        'birthdate family_name gender given_name locale middle_name name nickname picture preferred_username ' +
        'profile updated_at website zoneinfo'
      ).split(' '),
    );
  });

  it('email, phone and address give theirs, false included', () => {
    expect(claimsOfScopes(subject(everything), ['openid', 'email', 'phone', 'address'])).toEqual({
      email: 'ada@example.com',
      email_verified: true,
      phone_number: '+41791234567',
      phone_number_verified: false,
      address: {
        formatted: '12 St James Square, London',
        street_address: '12 St James Square',
        locality: 'London',
        region: 'Greater London',
        postal_code: 'SW1Y 4JH',
        country: 'United Kingdom',
      },
    });
  });

  it('leave out what is empty instead of sending null or ""', () => {
    const claims = claimsOfScopes(subject(nothing), ['openid', 'profile', 'email', 'phone', 'address']);
    expect(claims).toEqual({
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      preferred_username: 'ada@acme.example.com',
      updated_at: 1_763_700_000,
      email: 'ada@example.com',
      email_verified: false,
    });
  });

  it('are those that can be asked for one by one, and no claims webhook adds any of them', () => {
    const scopes = ['profile', 'email', 'phone', 'address'];
    const given = Object.keys(claimsOfScopes(subject(everything), scopes));
    expect(given.toSorted()).toEqual(USER_CLAIMS.toSorted());
    expect(given.filter((name) => !isReserved(name))).toEqual([]);
  });

  it('openid alone gives none', () => {
    expect(claimsOfScopes(subject(everything), ['openid'])).toEqual({});
  });

  it('a service user has a name and nothing personal', () => {
    const claims = claimsOfScopes(subject({ kind: 'machine', name: 'Importer' }), [
      'profile',
      'email',
      'phone',
    ]);
    expect(Object.keys(claims).toSorted()).toEqual(['name', 'preferred_username', 'updated_at']);
  });
});
