import type { LightMyRequestResponse } from 'fastify';
import { randomToken } from '../../src/domain/shared/random.js';
import type { TestApi } from './api.js';
import { call } from './calls.js';

/** `$pbkdf2-sha256$…` of the password `password` with enough iterations not to be weak. */
export const HASH =
  '$pbkdf2-sha256$600000$TWFya2VyLXNhbHQtMTIzNA$OoEamRMlSs8OtL0ICBiiI8vxIV8xWBgJq8/V3HZTDzk';

let counter = 0;

/** A record that imports without any message: verified e-mail and a hash. */
export function record(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  counter += 1;
  const name = `human-${counter}-${randomToken(4).toLowerCase()}`;
  return {
    userName: name,
    profile: { firstName: 'Ada', lastName: 'Lovelace' },
    email: { email: `${name}@mail.test`, isEmailVerified: true },
    hashedPassword: { value: HASH },
    ...changes,
  };
}

export function importHuman(
  api: TestApi,
  pat: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  return call(api, 'POST', 'users/human/_import', { pat, body, headers });
}
