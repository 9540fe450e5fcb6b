import { expect, it } from 'vitest';
import { makeClientSecret } from '../../../src/domain/applications/client-secret.js';

it('makes secrets of 64 letters and digits, none twice, every character in use', () => {
  const secrets = Array.from({ length: 200 }, makeClientSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9]{64}$/);
  expect(new Set(secrets).size).toBe(200);
  expect(new Set(secrets.join('')).size).toBe(62);
});
