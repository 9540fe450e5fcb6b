import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { localTimeOf, typedMoment, universalTimeOf } from '../../../console/src/shared/local-time.js';

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

it.each([
  ['2026-01-31 12:00', '2026-01-31T17:00:00.000Z'],
  [' 2026-01-31T12:00:30 ', '2026-01-31T17:00:30.000Z'],
  ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00+01:00', '2026-01-31T11:00:00.000Z'],
])('reads %j as it is typed', (typed, moment) => {
  expect(typedMoment(typed)?.toISOString()).toBe(moment);
});

it.each([
  '',
  'yesterday',
  '01.12.2026',
  '1/2/2026 12:00',
  '2026-01-31',
  '2026-02-31x12:00',
  '2026-13-01 12:00',
])('reads %j as no moment, whatever browsers make of it', (typed) => {
  expect(typedMoment(typed)).toBeUndefined();
});
