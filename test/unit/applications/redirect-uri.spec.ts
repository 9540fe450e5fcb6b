import { describe, expect, it } from 'vitest';
import {
  isRegisteredRedirectUri,
  redirectUriProblem,
} from '../../../src/domain/applications/redirect-uri.js';

describe('registering a redirect URI', () => {
  it.each([
    ['https://rp.test/cb', 'web', false],
    ['https://rp.test/cb?tenant=1', 'web', false],
    ['http://rp.test/cb', 'web', true],
    ['http://127.0.0.1/cb', 'native', false],
    ['http://[::1]/cb', 'native', false],
    ['com.example.app:/cb', 'native', false],
    ['myapp:/cb', 'native', true],
  ] as const)('allows %s for a %s application (development mode %s)', (uri, appType, devMode) => {
    expect(redirectUriProblem(uri, appType, devMode)).toBeUndefined();
  });

  it.each([
    ['http://rp.test/cb', 'web', 'must use https'],
    ['http://rp.test/cb', 'native', 'must use https'],
    ['https://rp.test/cb#fragment', 'web', 'fragment'],
    ['https://user:secret@rp.test/cb', 'web', 'credentials'],
    ['https://*.rp.test/cb', 'web', 'wildcard'],
    ['javascript:alert(1)//https://rp.test/cb', 'web', 'never allowed'],
    ['javascript:alert(1)', 'native', 'never allowed'],
    ['data:text/html,x', 'native', 'never allowed'],
    ['vbscript:x', 'native', 'never allowed'],
    ['file:///etc/passwd', 'native', 'never allowed'],
    ['blob:https://rp.test/x', 'native', 'never allowed'],
    ['http://127.0.0.1/cb', 'web', 'must use https'],
    ['myapp:/cb', 'native', 'reverse domain'],
    ['com.example.app:/cb', 'web', 'must use https'],
    ['https://rp.test\\@evil.test', 'web', 'characters'],
    ['https://rp.test/c b', 'web', 'characters'],
    ['https://rp.test/\u0000', 'web', 'characters'],
    ['https://rp.test/\tcb', 'web', 'characters'],
    ['https://rp.tést/cb', 'web', 'characters'],
    ['/cb', 'web', 'absolute'],
    [`https://rp.test/${'a'.repeat(3000)}`, 'web', 'longer'],
  ] as const)('refuses %s for a %s application: %s (S023)', (uri, appType, problem) => {
    expect(redirectUriProblem(uri, appType, false)).toContain(problem);
  });
});

describe('asking for a redirect URI', () => {
  const registered = ['https://rp.test/cb'];

  // security S020, S021, S022
  it.each([
    'https://rp.test.evil.test/cb',
    'https://rp.test@evil.test/cb',
    'https://evil.test/https://rp.test/cb',
    'https://rp.test:80@evil.test',
    'https://rp.test/cb/../evil',
    'https://rp.test/cb/..%2fevil',
    'https://rp.test/cb/..;/evil',
    'https://rp.test/cb/./',
    'https://rp.test/cb/',
    'https://rp.test//cb',
    'https://rp.test\\@evil.test',
    'https:/\\evil.test',
    'https://rp.test/cb\r\nx',
    'https://rp.test/cb?x=1',
    'HTTPS://rp.test/cb',
    'https://RP.test/cb',
    'https://rp.test:443/cb',
    'https://rp.test/cb#x',
  ])('compares as an exact string: %j', (requested) => {
    expect(isRegisteredRedirectUri(requested, registered, 'web')).toBe(false);
  });

  it.each([
    ['http://localhost:5555/cb', true],
    ['http://localhost/cb', true],
    ['http://localhost:0/cb', true],
    ['http://127.0.0.1:5555/cb', false],
    ['http://localhost.evil.test/cb', false],
    ['http://evil.localhost:5555/cb', false],
    ['http://localhost:5555@evil.test/cb', false],
    ['http://localhost:5555/other', false],
    ['http://localhost:99999/cb', false],
    ['https://localhost:5555/cb', false],
  ])(
    'takes localhost by its name where that is registered (RFC 8252 §8.3): %s → %s',
    (requested, allowed) => {
      expect(isRegisteredRedirectUri(requested, ['http://localhost:3000/cb'], 'native')).toBe(allowed);
      expect(isRegisteredRedirectUri(requested, ['http://localhost:3000/cb'], 'user_agent')).toBe(false);
    },
  );

  // RFC 8252 §7.3, security S024
  it.each([
    ['http://127.0.0.1:5555/cb', true],
    ['http://127.0.0.1/cb', true],
    ['http://localhost:5555/cb', false],
    ['http://127.0.0.1.evil.test/cb', false],
    ['http://127.0.0.1:5555/cb?x', false],
    ['http://127.0.0.1:5555/other', false],
    ['http://127.0.0.1:99999/cb', false],
    ['http://127.0.0.1:5555@evil.test/cb', false],
  ])('lets a native application vary the loopback port only: %s → %s', (requested, allowed) => {
    expect(isRegisteredRedirectUri(requested, ['http://127.0.0.1/cb'], 'native')).toBe(allowed);
    expect(isRegisteredRedirectUri(requested, ['http://127.0.0.1/cb'], 'web')).toBe(
      requested === 'http://127.0.0.1/cb',
    );
  });
});
