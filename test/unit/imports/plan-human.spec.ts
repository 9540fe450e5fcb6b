import { describe, expect, it } from 'vitest';
import { readHumanRecord } from '../../../src/domain/imports/records/human-record.js';
import { planHuman, type HumanPlan } from '../../../src/domain/imports/records/plan-human.js';
import { defaultPasswordPolicy } from '../../../src/domain/passwords/password-policy.js';
import { minimalRecord, PBKDF2 } from './record.js';

function plan(changes: Record<string, unknown>): HumanPlan {
  return planHuman(readHumanRecord(minimalRecord(changes)), defaultPasswordPolicy);
}

const verified = { email: { email: 'anna@example.ch', isEmailVerified: true } };
const unverified = { email: { email: 'Anna@Example.ch', isEmailVerified: false } };
const hash = { hashedPassword: { value: PBKDF2 } };
const passkey = { requestPasswordlessRegistration: true };
const plain = { password: 'Passw0rd!' };

describe('plan of an imported human', () => {
  it.each([
    ['verified, hash', { ...verified, ...hash }, 'active', undefined],
    ['unverified, hash', { ...unverified, ...hash }, 'active', 'verify-email'],
    ['verified, plain password', { ...verified, ...plain }, 'active', undefined],
    ['unverified, plain password', { ...unverified, ...plain }, 'active', 'verify-email'],
    ['verified, no password', verified, 'initial', 'init'],
    ['unverified, no password', unverified, 'initial', 'init'],
    ['verified, passkey', { ...verified, ...passkey }, 'active', undefined],
    ['unverified, passkey', { ...unverified, ...passkey }, 'initial', 'init'],
    ['unverified, passkey, hash', { ...unverified, ...passkey, ...hash }, 'active', 'verify-email'],
  ])('%s', (_name, changes, state, mail) => {
    expect(plan(changes)).toMatchObject({ state, mail });
  });

  it.each([
    ['no phone', {}, undefined],
    ['unverified phone', { phone: { phone: '+41791234567' } }, 'verify-phone'],
    ['verified phone', { phone: { phone: '+41791234567', isPhoneVerified: true } }, undefined],
  ])('%s', (_name, changes, sms) => {
    expect(plan(changes).sms).toBe(sms);
  });

  it('has the display name, by default from first and last name', () => {
    expect(plan({}).displayName).toBe('Anna Muster');
    const profile = { firstName: 'Anna', lastName: 'Muster', displayName: 'A. M.' };
    expect(plan({ profile }).displayName).toBe('A. M.');
  });

  it('lets an e-mail identify only when it is verified, both names in their canonical form', () => {
    const userName = { kind: 'user_name', canonical: 'anna' };
    expect(plan({ userName: 'ＡNNA', ...unverified }).identifiers).toEqual([userName]);
    const email = { email: 'Anna@Example.CH', isEmailVerified: true };
    expect(plan({ userName: 'ANNA', email }).identifiers).toEqual([
      userName,
      { kind: 'email', canonical: 'anna@example.ch' },
    ]);
  });

  it('hashes a plain password only when there is no hash, and holds only that one against the policy', () => {
    expect(plan(plain).password).toEqual({ kind: 'plain', plain: 'Passw0rd!', changeRequired: false });
    expect(plan({ ...hash, password: 'weak' }).password).toMatchObject({ kind: 'hash', hash: PBKDF2 });
    expect(() => plan({ password: 'weak' })).toThrow('Password is too short');
    expect(() => plan({ password: 'P1!a'.repeat(20_000) })).toThrow('Password is too long');
  });

  it('asks for a change of the password only when it came in plain', () => {
    const changeRequired = { passwordChangeRequired: true };
    expect(plan({ ...plain, ...changeRequired }).password).toMatchObject({ changeRequired: true });
    expect(plan({ ...hash, ...changeRequired }).password).not.toHaveProperty('changeRequired');
    expect(plan(changeRequired).password).toBeUndefined();
  });
});
