import { describe, expect, it } from 'vitest';
import { isRegisteredRedirectUri, redirectUriProblem } from '../../../src/domain/clients/redirect-uri.js';

describe('what may be registered', () => {
  it.each([
    ['https://rp.test/cb', 'web', false],
    ['https://rp.test/cb?a=b', 'user_agent', false],
    ['http://localhost:9080/cb', 'web', true],
    ['http://127.0.0.1/cb', 'native', false],
    ['http://[::1]/cb', 'native', false],
    ['com.example.app:/cb', 'native', false],
    ['app:/cb', 'native', true],
  ] as const)('%s for %s', (uri, appType, devMode) => {
    expect(redirectUriProblem(uri, appType, devMode)).toBeUndefined();
  });

  it.each([
    ['http://rp.test/cb', 'web'],
    ['http://rp.test/cb', 'native'],
    ['http://127.0.0.1/cb', 'web'],
    ['com.example.app:/cb', 'web'],
    ['app:/cb', 'native'],
    ['https://rp.test/cb#', 'web'],
    ['https://*.rp.test/cb', 'web'],
    ['https://user@rp.test/cb', 'web'],
    ['https://rp.test\\@evil.test', 'web'],
    ['https://rp.test/ cb', 'web'],
    ['https://rp.test/\tcb', 'web'],
    ['https://rp.tést/cb', 'web'],
    ['javascript:alert(1)', 'native'],
    ['JavaScript:alert(1)//https://rp.test', 'native'],
    ['data:text/html,x', 'native'],
    ['vbscript:x', 'native'],
    ['file:///etc/passwd', 'native'],
    ['blob:https://rp.test/x', 'native'],
    ['/cb', 'web'],
    ['', 'web'],
    [`https://rp.test/${'x'.repeat(2048)}`, 'web'],
  ] as const)('not %s for %s', (uri, appType) => {
    expect(redirectUriProblem(uri, appType, false)).toBeTypeOf('string');
  });
});

describe('what may be asked for', () => {
  const registered = ['https://rp.test/cb'];

  it.each([
    'https://rp.test.evil.test/cb',
    'https://rp.test@evil.test/cb',
    'https://evil.test/https://rp.test/cb',
    'https://rp.test:80@evil.test',
    'https://rp.test/cb/../evil',
    'https://rp.test/cb/..%2fevil',
    'https://rp.test/cb/',
    'https://rp.test//cb',
    'https://rp.test/cb?x',
    'https://rp.test/cb#x',
    'https://RP.test/cb',
    'https://rp.test:443/cb',
    'http://rp.test/cb',
    '',
  ])('not %s', (uri) => {
    expect(isRegisteredRedirectUri(uri, registered, 'web')).toBe(false);
    expect(isRegisteredRedirectUri(uri, registered, 'native')).toBe(false);
  });

  it('lets only the port of a native application’s loopback URI differ', () => {
    const loopback = ['http://127.0.0.1/cb', 'http://[::1]:1/cb'];
    const ask = (uri: string) => isRegisteredRedirectUri(uri, loopback, 'native');
    expect(ask('http://127.0.0.1:5555/cb')).toBe(true);
    expect(ask('http://[::1]:5555/cb')).toBe(true);
    expect(ask('http://localhost:5555/cb')).toBe(false);
    expect(ask('http://127.0.0.1.evil.test/cb')).toBe(false);
    expect(ask('http://127.0.0.1:5555/cb?x')).toBe(false);
    expect(ask('http://127.0.0.1:5555/')).toBe(false);
    expect(ask('http://127.0.0.1:99999/cb')).toBe(false);
    expect(ask('https://127.0.0.1:5555/cb')).toBe(false);
    expect(isRegisteredRedirectUri('http://127.0.0.1:5555/cb', loopback, 'web')).toBe(false);
  });
});
