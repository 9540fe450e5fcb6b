import { describe, expect, it } from 'vitest';
import { HashingBill } from '../../../src/domain/passwords/hashing/hashing-bill.js';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { PasswordStrength } from '../../../src/domain/passwords/strength/password-strength.js';

const hashing = new PasswordHashing({
  memoryKib: 8,
  iterations: 1,
  parallelism: 1,
  slots: 1,
  queueLimit: 10,
  schemesOff: [],
});
const strength = new PasswordStrength(hashing);
const anna = ['anna.schmidt@acme.example', 'anna@acme.example', 'Anna', 'Schmidt', 'Anna Schmidt'];

const isGuessable = (password: string, about: readonly string[] = anna): Promise<boolean> =>
  strength.isGuessable(password, about, HashingBill.setUp());

describe('password strength', () => {
  it.each([
    ['a common password in the clothes of a policy', 'Password1!'],
    ['signs in place of letters', 'P@ssw0rd123'],
    ['a row of the alphabet', 'Abcdefg1!'],
    ['one word and a number', 'Secret-1'],
    ['its own parts again and again', 'Ab1!Ab1!Ab1!Ab1!'],
    ['the same, past what is looked at', 'Ab1!'.repeat(200)],
    ['the name of its user', 'Anna-Schmidt-1'],
    ['the name with a year', 'AnnaSchmidt2026!'],
    ['the name with a year and a sign', 'Anna-2026!'],
    ['the address with a date', 'anna.schmidt@acme.example-1.2.1990!A'],
    ['the name of the organization', 'Acme2026!'],
  ])('finds %s', async (_what, password) => {
    expect(await isGuessable(password)).toBe(true);
  });

  it.each([
    'Correct-Horse-7',
    'Zürich-Käse-7',
    'Xk9!qwer-Tulip',
    'Anna-mag-7-Tulpen',
    'パスワード管理者-Aa1',
  ])('lets %j pass', async (password) => {
    expect(await isGuessable(password)).toBe(false);
  });

  it('holds a name against its own user alone', async () => {
    expect(await isGuessable('Lindqvist-2026', ['Lindqvist'])).toBe(true);
    expect(await isGuessable('Lindqvist-2026', [])).toBe(false);
  });

  it('takes the part of an address before the @ as one, however short its own parts', async () => {
    expect(await isGuessable('user-q7_zk-A1!', ['user-q7_zk@acme.example'])).toBe(true);
    expect(await isGuessable('user-q7_zk-A1!', [])).toBe(false);
  });

  it('leaves the event loop alone while it looks at the worst that can be typed', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    await isGuessable('aB3$'.repeat(256));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });
});
