import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';

/** The Redis of this test run. Files keep apart by their prefix. */
export function redisUrl(): string {
  const url = inject('services').redisUrl;
  if (url === undefined)
    throw new Error('No Redis: none on the PATH and none could be fetched; set TEST_REDIS_URL.');
  return url;
}

/** A prefix of one's own for BullMQ and for our own keys. */
export function randomPrefix(): string {
  return `t${randomBytes(8).toString('hex')}`;
}
