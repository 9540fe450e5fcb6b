import { describe, expect, it } from 'vitest';
import {
  addressToTell,
  isVerifiedNumberReplaced,
  mergeEmail,
  mergePhone,
} from '../../../src/domain/imports/write/merge-addresses.js';
import type { HumanUser } from '../../../src/domain/users/user.js';

const vouched = (address: string): HumanUser['email'] => ({ address, verified: true });
const unverified = (address: string) => ({ address, verified: false });

describe('the address of a user whom a file updates', () => {
  it.each([
    ['another case', unverified('anna@example.ch'), vouched('Anna@Example.ch')],
    ['another spelling that nobody vouches for', unverified('ａnna@example.ch'), vouched('Anna@Example.ch')],
    ['a spelling that is vouched for', vouched('anna@example.ch'), vouched('anna@example.ch')],
    [
      'another address that nobody vouches for',
      unverified('eve@example.ch'),
      { ...vouched('Anna@Example.ch'), pending: 'eve@example.ch' },
    ],
    ['another address that is vouched for', vouched('eve@example.ch'), vouched('eve@example.ch')],
    [
      'one that waits',
      { ...vouched('anna@example.ch'), pending: 'eve@example.ch' },
      { ...vouched('anna@example.ch'), pending: 'eve@example.ch' },
    ],
  ])('S441: stays verified, or waits for its code: %s', (_name, given, after) => {
    const merged = mergeEmail('active', vouched('Anna@Example.ch'), given);
    expect(merged).toEqual(after);
    expect(mergeEmail('active', merged, given)).toEqual(after);
  });

  it('keeps one that waits, and replaces what nobody has verified', () => {
    const waiting = { ...vouched('anna@example.ch'), pending: 'new@example.ch' };
    expect(mergeEmail('active', waiting, unverified('ANNA@example.ch'))).toEqual(waiting);
    const respelt = { ...vouched('Anna@example.ch'), pending: 'anna@example.ch' };
    expect(mergeEmail('active', respelt, vouched('anna@example.ch'))).toEqual(vouched('anna@example.ch'));
    expect(mergeEmail('active', unverified('a@example.ch'), unverified('b@example.ch'))).toEqual(
      unverified('b@example.ch'),
    );
    expect(mergeEmail('active', unverified('a@example.ch'), vouched('A@example.ch'))).toEqual(
      vouched('A@example.ch'),
    );
    expect(mergeEmail('initial', vouched('a@example.ch'), unverified('b@example.ch'))).toEqual(
      unverified('b@example.ch'),
    );
  });

  it.each([
    ['another address', vouched('eve@example.ch'), true],
    ['one that waits', { ...vouched('anna@example.ch'), pending: 'eve@example.ch' }, true],
    ['another mailbox that looks the same', vouched('ａnna@example.ch'), true],
    ['another case', vouched('ANNA@example.ch'), false],
    ['the same', vouched('anna@example.ch'), false],
  ])('S440: is told of %s where it was verified', (_name, after, told) => {
    const before = 'anna@example.ch';
    expect(addressToTell(vouched(before), after)).toBe(told ? before : undefined);
    expect(addressToTell(unverified(before), after)).toBeUndefined();
    expect(addressToTell({ ...vouched(before), pending: 'eve@example.ch' }, after)).toBe(
      told && after.pending === undefined ? before : undefined,
    );
  });
});

describe('the number of a user whom a file updates', () => {
  const own = { number: '+41791234567', verified: true };
  const other = { number: '+41791234568', verified: false };

  it('stays as verified as it was', () => {
    expect(mergePhone(own, { ...own, verified: false })).toEqual(own);
    expect(mergePhone(own, other)).toEqual(other);
    expect(mergePhone(own, undefined)).toEqual(own);
    expect(mergePhone(undefined, other)).toEqual(other);
  });

  it('S440: is told of where it was verified', () => {
    expect(isVerifiedNumberReplaced(own, other)).toBe(true);
    expect(isVerifiedNumberReplaced(own, own)).toBe(false);
    expect(isVerifiedNumberReplaced(other, own)).toBe(false);
    expect(isVerifiedNumberReplaced(undefined, own)).toBe(false);
  });
});
