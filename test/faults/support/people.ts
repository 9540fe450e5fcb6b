import { randomBytes } from 'node:crypto';
import { BCRYPT } from '../../support/import-engine.js';

/** What no job, log line or event may hold (security I6). */
export const PASSWORD = 'Marker-Secret-Passw0rd!';
export const MARKERS = [PASSWORD, BCRYPT, 'Markerfirst', 'Markerlast', '@marker.test'];

/** Of so many people one has an address that is not verified yet, and gets a mail. */
export const MAILED_OF = 50;

export interface Person {
  readonly userName: string;
  readonly [field: string]: unknown;
}

/**
 * People that one import brings. Those with plain passwords make chunks of a hundred, and each takes its time to be
 * hashed: an import of them is long enough to be disturbed.
 */
export function people(count: number, passwords: 'plain' | 'hashed' = 'plain'): Person[] {
  const file = randomBytes(4).toString('hex');
  return Array.from({ length: count }, (_, index) => {
    const userName = `person-${file}-${index}`;
    return {
      userName,
      profile: { firstName: 'Markerfirst', lastName: 'Markerlast' },
      email: { email: `${userName}@marker.test`, isEmailVerified: index % MAILED_OF !== 0 },
      ...(passwords === 'plain' ? { password: PASSWORD } : { hashedPassword: { value: BCRYPT } }),
    };
  });
}

export function ndjson(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
