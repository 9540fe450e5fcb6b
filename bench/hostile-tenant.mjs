import { WaitingForms } from './browsers.mjs';
import { call } from './instances.mjs';
import { drive, requestBytes } from './load.mjs';

// A tenant at its worst: people imported with the dearest hash that is taken, wrong passwords for them from three
// addresses through somebody else's application, and all the while forty new passwords by API.

const ADDRESSES = ['127.0.0.11', '127.0.0.12', '127.0.0.13'];
/** bcrypt of cost 15 of nobody's password: two to three seconds of a core. */
const DEAREST = `$2b$15$${'.'.repeat(22)}${'a'.repeat(30)}u`;
const GUESSERS = 12;
/** So that they come three times a second when they are refused at once. */
const GUESSERS_PAUSE_MS = 4000;
const PARALLEL_CALLS = 40;

/**
 * Makes the tenant on an instance.
 * @param {number} seconds how long it will attack in all
 * @returns {Promise<(seconds: number) => Promise<void>>} attacks for so long
 */
export async function makeHostileTenant(instance, seconds) {
  const { issuer, port, api, opaqueApplication } = instance;
  const { pat } = instance.credentials.adminServiceUser;
  const { id: orgId } = await call(instance, pat, 'POST', '/admin/v1/orgs', { name: 'Hostile' });
  const inTenant = { 'x-zitadel-orgid': orgId };
  const { org } = await call(instance, pat, 'GET', '/management/v1/orgs/me', undefined, inTenant);
  const forms = Math.ceil((seconds * 1000) / GUESSERS_PAUSE_MS) * 4;
  const names = [];
  let userId;
  // each is guessed at a few times only: whoever has to wait after wrong passwords costs an ordinary hash
  for (let number = 0; number < Math.ceil((forms * GUESSERS) / 4); number += 1) {
    const userName = `victim-${number}`;
    const answer = await call(
      instance,
      pat,
      'POST',
      '/management/v1/users/human/_import',
      {
        userName,
        profile: { firstName: 'Bench', lastName: 'Victim' },
        email: { email: `${userName}@hostile.example`, isEmailVerified: true },
        hashedPassword: { value: DEAREST },
      },
      inTenant,
    );
    userId = answer.userId;
    names.push(`${userName}@${org.primaryDomain}`);
  }
  let turn = 0;
  const nextName = () => names[turn++ % names.length];
  const guessers = [];
  for (let guesser = 0; guesser < GUESSERS; guesser += 1) {
    guessers.push(await WaitingForms.open(issuer, opaqueApplication, nextName, forms, 'Wrong-Passw0rd!', 4));
  }
  const headers = { Authorization: `Bearer ${pat}`, 'Content-Type': 'application/json', ...inTenant };
  const body = JSON.stringify({ password: 'Another-Passw0rd!' });
  const path = `/management/v1/users/${userId}/password`;
  const newPassword = requestBytes(port, 'POST', path, headers, body);
  return async (during) => {
    const all = { server: api, seconds: during };
    await Promise.all([
      drive({
        ...all,
        connections: GUESSERS,
        pauseMs: GUESSERS_PAUSE_MS,
        from: ADDRESSES,
        next: (caller) => guessers[caller].next(),
        seen: (caller, answer) => guessers[caller].seen(answer),
      }),
      drive({ ...all, connections: PARALLEL_CALLS, next: () => newPassword }),
    ]);
  };
}
