import { describe, expect, it } from 'vitest';
import { amrOf, hasTwoFactors, kindsOf, type ProofKind } from '../../../src/domain/sessions/proof.js';

describe('what was shown', () => {
  it.each<[ProofKind[], string, boolean]>([
    [[], '', false],
    [['password'], 'pwd', false],
    [['totp'], 'otp', false],
    [['passkey'], 'user', false],
    [['passkey-verified'], 'user mfa', true],
    [['password', 'totp'], 'pwd otp mfa', true],
    [['totp', 'password'], 'pwd otp mfa', true],
    [['password', 'email-code'], 'pwd otp mfa', true],
    [['password', 'sms-code'], 'pwd otp sms mfa', true],
    [['password', 'recovery-code'], 'pwd otp mfa', true],
    [['password', 'passkey'], 'pwd user mfa', true],
    [['passkey', 'totp'], 'otp user', false],
    [['email-code', 'sms-code'], 'otp sms', false],
    [['password', 'password'], 'pwd', false],
  ])('%j is %s', (kinds, amr, two) => {
    expect(amrOf(kinds).join(' ')).toBe(amr);
    expect(hasTwoFactors(kinds)).toBe(two);
  });

  it('is told by the times that are on file', () => {
    expect(kindsOf({ totp: 2, password: 1 })).toEqual(['password', 'totp']);
    expect(kindsOf({})).toEqual([]);
  });
});
