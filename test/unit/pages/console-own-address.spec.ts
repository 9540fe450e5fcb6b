import { expect, it } from 'vitest';
import { ownAddress } from '../../../console/src/app/own-address.js';

// Where the console goes after a sign-in: what was kept of the address is read again, and may have been forged meanwhile.

const ORIGIN = 'https://id.example';

it.each([
  '/console',
  '/console/',
  '/console/orgs/1/users?search=a%20b&page=2#row-3',
  // as it stands in the address, which is of the console
  '/console/orgs/1/users?next=https://evil.example/',
  '/console//evil.example/',
  '/console/%2e%2e%2fevil',
])('is at %s again', (address) => {
  expect(ownAddress(address, ORIGIN)).toBe(address);
  expect(ownAddress(ORIGIN + address, ORIGIN)).toBe(address);
});

it.each([
  'https://evil.example/console/',
  'https://id.example.evil.example/console/',
  'https://id.example@evil.example/console/',
  'http://id.example/console/',
  'https://id.example:8443/console/',
  '//evil.example/console/',
  String.raw`/\evil.example/console/`,
  String.raw`\\evil.example\console`,
  '/\t/evil.example/console/',
  'javascript:alert(1)//console/',
  'data:text/html,/console/',
  'blob:https://id.example/console/',
  '/',
  '/login?returnTo=/console/',
  '/consoles',
  '/CONSOLE/',
  '/console/../login',
  '/console/%2e%2e/login',
  '/console/..//evil.example',
  String.raw`/console/..\..\evil.example`,
  '',
  '/console\u0000x',
  // no address at all
  'https://',
  '//',
  'https://[evil',
])('is at the start instead of %j', (address) => {
  expect(ownAddress(address, ORIGIN)).toBe('/console/');
});

it('never leaves the origin, whoever reads it', () => {
  const marks = ['/', '\\', '.', '..', '%2e', '%2f', '%5c', '@', ':', '?', '#', 'console', 'evil.example'];
  for (const a of marks)
    for (const b of marks)
      for (const c of marks)
        for (const before of ['', '/console', '/console/', '//', 'https:']) {
          const address = ownAddress(before + a + b + c, ORIGIN);
          const { origin, pathname } = new URL(ORIGIN + address);
          expect([before + a + b + c, origin, pathname.split('/')[1]]).toEqual([
            before + a + b + c,
            ORIGIN,
            'console',
          ]);
          expect(new URL(address, ORIGIN).origin).toBe(ORIGIN);
        }
});
