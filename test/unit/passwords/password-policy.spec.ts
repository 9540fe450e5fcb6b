import { describe, expect, it } from 'vitest';
import {
  brokenRules,
  defaultPasswordPolicy,
  requirePasswordPolicy,
} from '../../../src/domain/passwords/password-policy.js';
import { ApiError } from '../../../src/domain/shared/errors.js';

function refusal(password: string, policy = defaultPasswordPolicy): string | undefined {
  try {
    requirePasswordPolicy(policy, password);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'invalid-argument') return error.message;
    throw error;
  }
}

describe('password policy', () => {
  it.each([
    ['', 'Password is too short (DOMAIN-HuJf6)'],
    ['Pass 1!', 'Password is too short (DOMAIN-HuJf6)'],
    ['😀😀😀aA1', 'Password is too short (DOMAIN-HuJf6)'],
    ['PASSWORD1!', 'Password must contain lower case (DOMAIN-co3Xw)'],
    ['password1!', 'Password must contain upper case (DOMAIN-VoaRj)'],
    ['Password!!', 'Password must contain number (DOMAIN-ZBv4H)'],
    ['Password11', 'Password must contain symbol (DOMAIN-ZDLwA)'],
    ['Passwört11', 'Password must contain symbol (DOMAIN-ZDLwA)'],
    [`Aa1!${'a'.repeat(1021)}`, 'Password is too long, at most 1024 characters (DOMAIN-mX7tL)'],
    ['Password1!\ud800', 'Password is not valid Unicode text (DOMAIN-uC5sr)'],
  ])('refuses %j', (password, message) => {
    expect(refusal(password)).toBe(message);
  });

  it.each(['Password1!', 'Pass 1 word', 'Größe №1 ist', 'ПарольПароль1 ', `Aa1!${'😀'.repeat(1020)}`])(
    'accepts %j',
    (password) => {
      expect(refusal(password)).toBeUndefined();
    },
  );

  it('asks only for what the policy asks, and tells all that is broken', () => {
    const lengthOnly = { minLength: 12, lowerCase: false, upperCase: false, number: false, symbol: false };
    expect(refusal('aaaaaaaaaaaa', lengthOnly)).toBeUndefined();
    expect(refusal('aaaaaaaaaaa', lengthOnly)).toContain('too short');
    expect(brokenRules(lengthOnly, '')).toEqual(['length']);
    expect(brokenRules(defaultPasswordPolicy, '')).toEqual([
      'length',
      'lower-case',
      'upper-case',
      'number',
      'symbol',
    ]);
  });
});
