import { describe, expect, it } from 'vitest';
import { readHumanRecord } from '../../../src/domain/imports/records/human-record.js';
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

function endless(length: number): string {
  return `${'a'.repeat(length)}!`;
}

/** Of ten runs, in milliseconds: what else runs on the machine, and the garbage collector, meet some of them only. */
function quickest(work: () => void): number {
  let least = Infinity;
  for (let run = 0; run < 10; run += 1) {
    const started = performance.now();
    work();
    least = Math.min(least, performance.now() - started);
  }
  return least;
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
  const control = 'a control character or line break';
  const turns = 'which turns the direction of text';
  const hidden = 'which cannot be seen';
  it.each([
    ['CR LF', 'Anna\r\nBcc: x@example.ch', 'U+000D', control],
    ['NUL', 'Anna\0', 'U+0000', control],
    ['tab', 'Anna\tMuster', 'U+0009', control],
    ['C1 control', 'Anna\u0085', 'U+0085', control],
    ['line separator', 'Anna\u2028', 'U+2028', control],
    ['unpaired surrogate', 'Anna\ud83d', 'U+D83D', 'which is half a character'],
    ['direction override', 'Anna\u202Egpj.exe', 'U+202E', turns],
    ['direction embedding', '\u202AAnna\u202C', 'U+202A', turns],
    ['direction isolate', '\u2066Anna\u2069', 'U+2066', turns],
    ['left-to-right mark', 'Anna\u200E', 'U+200E', turns],
    ['right-to-left mark', 'Anna\u200F', 'U+200F', turns],
    ['Arabic letter mark', 'Anna\u061C', 'U+061C', turns],
    ['zero width space', 'An\u200Bna', 'U+200B', hidden],
    ['word joiner', 'An\u2060na', 'U+2060', hidden],
    ['byte order mark', 'An\uFEFFna', 'U+FEFF', hidden],
    ['soft hyphen', 'An\u00ADna', 'U+00AD', hidden],
    ['tag', 'Anna\u{E0041}', 'U+E0041', hidden],
  ])('%s in a name (S205)', (_name, text, code, reason) => {
    const rule = `must not contain ${code}, ${reason}`;
    expect(refusal(minimalRecord({ userName: text }))).toBe(`userName ${rule}`);
    for (const field of ['firstName', 'lastName', 'nickName', 'displayName']) {
      expect(refusal(profile({ [field]: text }))).toBe(`profile.${field} ${rule}`);
    }
  });

  it.each(['نامه\u200Cها', 'क्\u200Dष', '👩\u200D💻', 'משה', 'محمد', '葛\u{E0100}城', 'ᠮᠣᠩᠭᠣᠯ\u180Eᠠ'])(
    'but not %s, which needs its joiners',
    (text) => {
      expect(readHumanRecord(profile({ firstName: text })).profile.firstName).toBe(text);
    },
  );

  it.each([
    '=?utf-8?q?anna=40evil.ch=3e=00?=@example.ch',
    '=?UTF-8?B?YW5uYUBldmlsLmNo?=@example.ch',
    '=?x?q?anna?=x@example.ch',
    'anna.=?iso-8859-1*en?q?x?=@example.ch',
    '=?utf-7?q?&AEA-?=@example.ch',
    '=?utf-8?q?=41@example.ch',
    '＝？utf-8？q？=41？＝@example.ch',
  ])('an encoded word: %s (S204)', (address) => {
    expect(refusal(minimalRecord({ email: { email: address } }))).toBe(
      'Email must not contain an encoded word (=?…?=), which mail programs read as another address (EMAIL-Ew47d)',
    );
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
  const LONG = 60_000;

  it.each<[string, (length: number) => unknown]>([
    ['userName', (length) => minimalRecord({ userName: endless(length) })],
    ['firstName', (length) => profile({ firstName: endless(length) })],
    ['nickName', (length) => profile({ nickName: `${' '.repeat(length)}x` })],
    ['language', (length) => profile({ preferredLanguage: endless(length) })],
    ['gender', (length) => profile({ gender: endless(length) })],
    ['e-mail', (length) => minimalRecord({ email: { email: endless(length) } })],
    ['e-mail of at-signs', (length) => minimalRecord({ email: { email: '@'.repeat(length) } })],
    ['e-mail of dots', (length) => minimalRecord({ email: { email: `a@${'a.'.repeat(length / 2)}` } })],
    [
      'e-mail of blanks',
      (length) => minimalRecord({ email: { email: `${' '.repeat(length)}x `.repeat(2) } }),
    ],
    ['phone', (length) => minimalRecord({ phone: { phone: '1'.repeat(length) } })],
    ['hash', (length) => minimalRecord({ hashedPassword: { value: `$pbkdf2-sha256$${endless(length)}` } })],
    ['hash of separators', (length) => minimalRecord({ hashedPassword: { value: '$'.repeat(length) } })],
    [
      'hash near its limit',
      (length) =>
        minimalRecord({ hashedPassword: { value: `$pbkdf2-sha256${'$'.repeat((length / LONG) * 4000)}` } }),
    ],
    ['keys', (length) => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, index]))],
  ])(
    '%s is refused at a cost that grows no quicker than its length, in a short text',
    async (_name, make) => {
      const [short, long] = [make(LONG / 10), make(LONG)];
      expect(refusal(long).length).toBeLessThan(600);
      // quadratic would be a hundred times, whenever it is measured; below a twentieth of a millisecond the clock decides
      const growth = (): number =>
        quickest(() => refusal(long)) /
        Math.max(
          0.05,
          quickest(() => refusal(short)),
        );
      await expect.poll(growth).toBeLessThan(50);
    },
  );

  it('nothing below an unknown field is walked', () => {
    let deep: unknown = {};
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    expect(refusal({ deep })).toBe('unknown field "deep"');
    expect(refusal(minimalRecord({ idps: [deep] }))).toBe('idps[0]: unknown field "deep"');
  });
});
