import path from 'node:path';

// What can be set for a run of the benchmark, all in one place. A short run: BENCH_USERS=1000 BENCH_ONLY=userinfo
// BENCH_SECONDS=1 BENCH_ROUNDS=1.

/** Seconds of one measurement. */
export const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
/** Measurements of each figure; the middle one counts. */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Users in each database, smallest first: every figure is taken on each of them. */
export const USERS = (process.env.BENCH_USERS ?? '1000,1000000').split(',').map(Number);
/**
 * Folders of the built checkouts that are measured in turn: this one, and the one that BENCH_AGAINST names. What a change
 * costs is told best by many short rounds: BENCH_AGAINST=../before BENCH_USERS=1000 BENCH_SECONDS=1 BENCH_ROUNDS=15.
 */
export const CHECKOUTS = ['.', process.env.BENCH_AGAINST]
  .filter((folder) => folder !== undefined)
  .map((folder) => path.resolve(folder));
/** Requests under way at a time, of programs and of people. */
export const CONNECTIONS = 32;
export const BROWSERS = 16;
/** Where CPU profiles of the API processes go, if anywhere. */
export const PROFILES = process.env.BENCH_PROFILES;

const ONLY = (process.env.BENCH_ONLY ?? '')
  .split(',')
  .map((part) => part.trim())
  .filter((part) => part !== '');

/** Whether a figure is asked for: its name contains one of BENCH_ONLY, or there is no such filter. */
export function wanted(...names) {
  return ONLY.length === 0 || names.some((name) => ONLY.some((part) => name.includes(part)));
}
