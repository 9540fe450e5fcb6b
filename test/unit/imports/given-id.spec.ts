import { describe, expect, it } from 'vitest';
import { givenIdProblem } from '../../../src/domain/shared/given-id.js';
import { draw } from '../../support/draw.js';

const BASE = 'https://id.test';
const PREFIX = '/management/v1/users/';

/** Where a request for the id ends up behind what stands in front of a service. */
function arrivals(id: string): string[] {
  const once = `${PREFIX}${encodeURIComponent(id)}/password`;
  const seen = (path: string): string => new URL(path, BASE).pathname;
  const decoded = (path: string): string => {
    try {
      return decodeURIComponent(path);
    } catch {
      return 'undecodable';
    }
  };
  return [
    decoded(seen(once)),
    // decodes before it resolves
    decoded(seen(decoded(once))),
    decoded(decoded(seen(once))),
    decoded(seen(once).replaceAll(/\/{2,}/g, '/')),
    decoded(seen(once)).replaceAll(/\/{2,}/g, '/'),
    decoded(seen(once)).replaceAll('\\', '/'),
    decoded(seen(once)).replaceAll(/;[^/]*/g, ''),
  ];
}

describe('S199: an id that the caller chooses', () => {
  it.each([
    'auth0|507f1f77bcf86cd799439020',
    'google-oauth2|1234',
    'ada+news@mail.example.com',
    '2f1c6f0e-4a0f-4d6e-9a55-2f0d6b1b9f3e',
    'user:1',
    '283746192837461928',
    'cn=Ada,dc=example,dc=com',
    '_a~b.c-d!e*f(g)',
    'a..b',
    '...',
    '$2b$12$xyz=',
  ])('may be %s', (id) => {
    expect(givenIdProblem(id)).toBeUndefined();
    for (const path of arrivals(id)) expect(path).toBe(`${PREFIX}${id}/password`);
  });

  it.each([
    '.',
    '..',
    'a/b',
    'a\\b',
    '/',
    'a/',
    '//',
    '../x',
    '%2e',
    '%2E%2e',
    '%2f',
    '%',
    'a%00',
    'a?b',
    'a#b',
    'a;b',
  ])('may not be %s, which a URL or a proxy would change', (id) => {
    expect(givenIdProblem(id)).toMatch(/^must not/);
  });

  it.each(['', ' ', 'a b', 'ä', 'a\n', 'a\u0000', 'x'.repeat(201)])('is no id: %j', (id) => {
    expect(givenIdProblem(id)).toMatch(/^must be 1 to 200/);
  });

  it('comes out of every URL as it went in, whatever is drawn', () => {
    const random = draw(199);
    let good = 0;
    for (let round = 0; round < 20_000; round += 1) {
      let id = '';
      for (let left = random.int(1, 6); left > 0; left -= 1) {
        id += random.bool(0.5) ? random.pick(['.', '%', '2e', '2f', '/', '\\', ';', '?', '#', '%25']) : '';
        id += String.fromCharCode(random.int(0x21, 0x7e));
      }
      if (givenIdProblem(id) !== undefined) continue;
      good += 1;
      for (const path of arrivals(id)) expect(path, id).toBe(`${PREFIX}${id}/password`);
    }
    expect(good).toBeGreaterThan(500);
  });
});
