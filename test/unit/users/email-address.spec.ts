import { describe, expect, it } from 'vitest';
import { isEmailAddress, isPlainAddress } from '../../../src/domain/users/email-address.js';

describe('an address whose mailbox a code proves', () => {
  it.each(['ada@example.com', 'Ada.Lovelace+shop@Example.COM', 'jürgen@example.com', 'zoë@example.com'])(
    'is %s',
    (address) => {
      expect(isEmailAddress(address)).toBe(true);
      expect(isPlainAddress(address)).toBe(true);
    },
  );

  it.each([
    ['letters of full width', 'ａda@example.com'],
    ['a letter that is folded to two', 'ada@straße.example'],
    ['the Kelvin sign for a K', '\u212Aim@example.com'],
    ['the Ångström sign for an Å', '\u212Bse@example.com'],
    ['the Ohm sign for an Ω', '\u2126mega@example.com'],
    ['an ideographic full stop', 'ada@acme\u3002test'],
  ])('is none with %s', (_what, address) => {
    expect(isPlainAddress(address)).toBe(false);
  });
});
