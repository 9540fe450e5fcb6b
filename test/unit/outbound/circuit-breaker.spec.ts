import { expect, it } from 'vitest';
import { CircuitBreaker, CircuitOpen } from '../../../src/outbound/circuit-breaker.js';

const outage = new Error('away');
const fail = async (): Promise<never> => await Promise.reject(outage);

it('leaves a server alone after five failures in a row, lets one try after a while, and forgets with a success', async () => {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  const run = async (work: () => Promise<string>): Promise<string> =>
    await breaker.run('a', () => true, work);
  const well = async (): Promise<string> => await Promise.resolve('well');
  for (let failure = 0; failure < 5; failure += 1) await expect(run(fail)).rejects.toBe(outage);
  await expect(run(well)).rejects.toThrow(CircuitOpen);
  expect(await breaker.run('another', () => true, well)).toBe('well');
  now = 30_000;
  await expect(run(fail)).rejects.toBe(outage);
  await expect(run(well)).rejects.toThrow(CircuitOpen);
  now = 60_000;
  expect(await run(well)).toBe('well');
  await expect(run(fail)).rejects.toBe(outage);
  expect(await run(well)).toBe('well');
});

it('counts no answer that is merely no good one', async () => {
  const breaker = new CircuitBreaker();
  for (let failure = 0; failure < 10; failure += 1)
    await expect(breaker.run('a', () => false, fail)).rejects.toBe(outage);
});

it('counts failures of one asker once, and lets the next one try where that one tried', async () => {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  const run = async (asker: string, work: () => Promise<string>): Promise<string> =>
    await breaker.run('a', () => true, work, asker);
  const well = async (): Promise<string> => await Promise.resolve('well');
  for (let failure = 0; failure < 20; failure += 1) await expect(run('mallory', fail)).rejects.toBe(outage);
  for (const asker of ['bob', 'carol', 'dan']) await expect(run(asker, fail)).rejects.toBe(outage);
  expect(breaker.isOpen('a')).toBe(false);
  await expect(run('erin', fail)).rejects.toBe(outage);
  await expect(run('ada', well)).rejects.toThrow(CircuitOpen);
  now = 30_000;
  await expect(run('mallory', fail)).rejects.toBe(outage);
  expect(await run('ada', well)).toBe('well');
});

it('learns nothing from a circuit within that was open', async () => {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  const run = async (work: () => Promise<string>): Promise<string> =>
    await breaker.run('a', () => true, work);
  for (let failure = 0; failure < 4; failure += 1) await expect(run(fail)).rejects.toBe(outage);
  await expect(run(async () => await Promise.reject(new CircuitOpen()))).rejects.toThrow(CircuitOpen);
  expect(breaker.isOpen('a')).toBe(false);
  await expect(run(fail)).rejects.toBe(outage);
  expect(breaker.isOpen('a')).toBe(true);
  now = 30_000;
  await expect(run(async () => await Promise.reject(new CircuitOpen()))).rejects.toThrow(CircuitOpen);
  expect(breaker.isOpen('a')).toBe(false);
});
