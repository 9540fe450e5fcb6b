import { describe, expect, it } from 'vitest';
import { calledUriProblem } from '../../../src/domain/applications/called-uri.js';

describe('registering a back-channel logout URI', () => {
  it.each([
    ['https://rp.test/out', false],
    ['https://rp.test:8443/out?tenant=1', false],
    ['http://127.0.0.1:9/out', false],
    ['http://localhost/out', false],
    ['http://[::1]/out', false],
    ['http://rp.test/out', true],
  ] as const)('allows %s (development mode %s)', (uri, devMode) => {
    expect(calledUriProblem(uri, devMode)).toBeUndefined();
  });

  it.each([
    ['http://rp.test/out', 'must use https'],
    ['http://127.0.0.1.rp.test/out', 'must use https'],
    ['https://rp.test/out#x', 'fragment'],
    ['https://rp.test/out#', 'fragment'],
    ['https://user:secret@rp.test/out', 'credentials'],
    ['https://user@rp.test/out', 'credentials'],
    ['file:///etc/passwd', 'must use https'],
    ['gopher://rp.test/', 'must use https'],
    ['javascript:alert(1)', 'must use https'],
    ['com.example.app:/out', 'must use https'],
    ['https://rp.test\\@evil.test', 'characters'],
    ['https://rp.test/o ut', 'characters'],
    ['https://rp.test/\r\nHost: evil.test', 'characters'],
    ['/out', 'absolute'],
    [`https://rp.test/${'a'.repeat(2048)}`, 'longer'],
  ] as const)('refuses %s: %s', (uri, problem) => {
    expect(calledUriProblem(uri, false)).toContain(problem);
  });
});
