import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { localTimeOf, universalTimeOf } from '../../../console/src/shared/local-time.js';

beforeEach(() => void vi.stubEnv('TZ', 'America/New_York'));
afterEach(() => void vi.unstubAllEnvs());

it.each([
  ['2026-11-30T09:15', '2026-11-30T14:15Z'],
  ['2026-07-01T23:30', '2026-07-02T03:30Z'],
  // typed on the way to 2026
  ['0002-11-30T09:15', '0002-11-30T14:11:02.000Z'],
])('a field with %s stands for %s in an address, and shows it so again', (local, universal) => {
  expect(universalTimeOf(local)).toBe(universal);
  expect(localTimeOf(new Date(universal))).toBe(local);
});

it('leaves out what is no time', () => {
  expect(['', 'yesterday', '2026-13-01T00:00'].map(universalTimeOf)).toEqual(['', '', '']);
});
