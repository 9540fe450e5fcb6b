import { expect, it } from 'vitest';
import { wantedName } from '../../../src/domain/identity-providers/external-user.js';

// A provider whose people choose their names must not name one of them by somebody else's address (security S469).

const EMAIL = 'mallory@mail.test';

it.each(['ada', 'ada.lovelace', 'mallory@mail.test', 'Mallory@Mail.Test'])('takes %s', (userName) => {
  expect(wantedName({ userName }, EMAIL)).toBe(userName);
});

it.each([
  ['another address', 'ada@mail.test'],
  ['one with an @ of full width', 'ada\u{FF20}mail.test'],
  ['one with a small @', 'ada\u{FE6B}mail.test'],
  ['one that turns round', 'ada\u{202E}tset'],
  ['blanks', 'ada lovelace'],
  ['one that is long as it is compared', '\u{FDFA}'.repeat(120)],
])('takes the address in place of %s', (_what, userName) => {
  expect(wantedName({ userName }, EMAIL)).toBe(EMAIL);
});

it('takes the address where the provider has no name', () => {
  expect(wantedName({}, EMAIL)).toBe(EMAIL);
});
