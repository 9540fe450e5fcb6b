import { describe, expect, it } from 'vitest';
import { readHumanRecord } from '../../../src/domain/import/human-record.js';
import { ApiError } from '../../../src/domain/shared/errors.js';
import { minimalRecord } from './record.js';

function refusal(value: unknown): string {
  try {
    readHumanRecord(value);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'invalid-argument') return error.message;
    throw error;
  }
  throw new Error('the record was accepted');
}

function milliseconds(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

const profile = (changes: Record<string, unknown>): Record<string, unknown> =>
  minimalRecord({ profile: { firstName: 'Anna', lastName: 'Muster', ...changes } });

describe('keys that reach for prototypes (S006)', () => {
  it.each([
    ['__proto__', '{"__proto__":{"isAdmin":true}}'],
    ['constructor', '{"constructor":{"prototype":{"isAdmin":true}}}'],
    ['prototype', '{"prototype":{}}'],
    ['toString', '{"toString":"x"}'],
    ['profile.__proto__', '{"profile":{"__proto__":{"firstName":"A","lastName":"B"}}}'],
    ['email.constructor', '{"email":{"constructor":{}}}'],
  ])('%s is an unknown field', (name, json) => {
    expect(refusal(JSON.parse(json))).toBe(`unknown field "${name}"`);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });

  it('are never a source of values', () => {
    const inherited: unknown = Object.create(minimalRecord());
    expect(refusal(inherited)).toContain('ImportHumanUserRequest.UserName');
  });
});

describe('texts that forge or break out (S152)', () => {
  it.each([
    ['CR LF', 'Anna\r\nBcc: x@example.ch'],
    ['NUL', 'Anna\0'],
    ['tab', 'Anna\tMuster'],
    ['C1 control', 'Anna\u0085'],
    ['direction override', 'Anna\u202Egpj.exe'],
    ['direction isolate', '\u2066Anna\u2069'],
    ['line separator', 'Anna\u2028'],
    ['unpaired surrogate', 'Anna\ud83d'],
  ])('%s in a name', (_name, text) => {
    const rule =
      'must not contain control characters, line breaks or characters that override text direction';
    expect(refusal(minimalRecord({ userName: text }))).toBe(`userName ${rule}`);
    for (const field of ['firstName', 'lastName', 'nickName', 'displayName']) {
      expect(refusal(profile({ [field]: text }))).toBe(`profile.${field} ${rule}`);
    }
  });

  it('a user name whose compatibility forms would overflow an index', () => {
    expect(refusal(minimalRecord({ userName: '\uFDFA'.repeat(200) }))).toContain('userName is too long');
  });

  it.each([
    'anna@example.ch\r\nBcc: x@example.ch',
    'anna@example.ch\n',
    'anna\0@example.ch',
    'anna@example@example.ch',
    '"anna muster"@example.ch',
    '"anna"@example.ch',
    'anna@',
    '@example.ch',
    'anna@.ch',
    'anna@example..ch',
    'anna@example.ch.',
    '.anna@example.ch',
    'an..na@example.ch',
    'anna.@example.ch',
    'an na@example.ch',
    'anna@exa mple.ch',
    'anna@-example.ch',
    'anna@example-.ch',
    'anna@exam_ple.ch',
    'anna@[127.0.0.1]',
    'anna(comment)@example.ch',
    '<anna@example.ch>',
    'anna@example.ch, bert@example.ch',
    'anna@example.ch\u202E',
    'an\u200Bna@example.ch',
    'anna＠example@example.ch',
    'anna@example.ch℀evil.ch',
    `${'a'.repeat(65)}@example.ch`,
    `anna@${'a'.repeat(64)}.ch`,
  ])('the e-mail %j', (address) => {
    expect(refusal(minimalRecord({ email: { email: address } }))).toBe('Email is invalid (EMAIL-599BI)');
  });

  it.each([
    'anna@example.ch',
    "o'neil+tag@mail.example.ch",
    '!#$%&*/=?^_`{|}~-@example.ch',
    'anna@localhost',
    'änni@exämple.ch',
    'anna@xn--exmple-cua.ch',
    `${'a'.repeat(64)}@example.ch`,
  ])('but not the e-mail %j', (address) => {
    expect(readHumanRecord(minimalRecord({ email: { email: address } })).email.address).toBe(address);
  });

  it.each([
    '+',
    '+41',
    '117',
    'call +41791234567',
    '+41791234567 ext. 5',
    '+41791234567;phone-context=x',
    '+1-800-FLOWERS',
    '+41\n791234567',
    '+99999999999999',
  ])('the phone %j', (number) => {
    expect(refusal(minimalRecord({ phone: { phone: number } }))).toBe('Phone is invalid (PHONE-so0wa)');
  });
});

describe('input made to cost time (S005, S153)', () => {
  const long = `${'a'.repeat(60_000)}!`;

  it.each([
    ['userName', minimalRecord({ userName: long })],
    ['firstName', profile({ firstName: long })],
    ['nickName', profile({ nickName: `${' '.repeat(60_000)}x` })],
    ['language', profile({ preferredLanguage: long })],
    ['gender', profile({ gender: long })],
    ['e-mail', minimalRecord({ email: { email: long } })],
    ['e-mail of at-signs', minimalRecord({ email: { email: '@'.repeat(60_000) } })],
    ['e-mail of dots', minimalRecord({ email: { email: `a@${'a.'.repeat(30_000)}` } })],
    ['e-mail of blanks', minimalRecord({ email: { email: `${' '.repeat(60_000)}x${' '.repeat(60_000)}x` } })],
    ['phone', minimalRecord({ phone: { phone: '1'.repeat(60_000) } })],
    ['hash', minimalRecord({ hashedPassword: { value: `$pbkdf2-sha256$${long}` } })],
    ['hash of separators', minimalRecord({ hashedPassword: { value: '$'.repeat(60_000) } })],
    [
      'hash near its limit',
      minimalRecord({ hashedPassword: { value: `$pbkdf2-sha256${'$'.repeat(4000)}` } }),
    ],
    ['100,000 keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))],
  ])('%s is refused in less than 50 ms, in a short text', (_name, value) => {
    let message = '';
    // The better of two runs: the first may meet the garbage collector.
    const spent = [1, 2].map(() => milliseconds(() => (message = refusal(value))));
    expect(Math.min(...spent)).toBeLessThan(50);
    expect(message.length).toBeLessThan(600);
  });

  it('nothing below an unknown field is walked', () => {
    let deep: unknown = {};
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    expect(refusal({ deep })).toBe('unknown field "deep"');
    expect(refusal(minimalRecord({ idps: [deep] }))).toBe('idps is not supported');
  });
});
