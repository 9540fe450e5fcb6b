import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { useApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import { codeRequest, TestBrowser } from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';

let hashing: PasswordHashing;

/** Of nobody's password: a second each. */
const DEAR = `$2b$14$${'.'.repeat(22)}${'a'.repeat(30)}u`;
const SIGN_INS = 16;
/** More than may wait however fast the machine: a lane never thinks it more than twice as fast as the estimate. */
const PASSWORDS = 160;

/**
 * The attack: one tenant has imported hashes of the highest cost, and sends wrong passwords for them and
 * new ones by API, all at once. Seen by what is still waiting when somebody else has their answer, not by a clock.
 */

// one slot: where nothing can be held back for others
const api = useApi({
  PASSWORD_SLOTS: '1',
  PASSWORD_MEMORY_KIB: '19456',
  PASSWORD_ITERATIONS: '8',
  TRUSTED_PROXIES: '127.0.0.1',
});
beforeAll(async () => {
  hashing = api.app.get(PasswordHashing);
});
const people = given(() => anOrganization(api));
const peopleClient = given(() => anApplication(people));
const hostile = given(() => anOrganization(api));
const hostileClient = given(() => anApplication(hostile));
const hostileOwner = given(() => aServiceUser(hostile, 'ORG_OWNER'));

async function openForm(client: TestClient) {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  return (loginName: string, password: string, address: string) =>
    browser.post('/login', { ...fields, loginName, password }, { 'x-forwarded-for': address });
}

interface Flood {
  readonly answers: LightMyRequestResponse[];
  readonly all: Promise<unknown>;
}

function flood(requests: readonly (() => Promise<LightMyRequestResponse>)[]): Flood {
  const answers: LightMyRequestResponse[] = [];
  const all = Promise.all(requests.map(async (send) => answers.push(await send())));
  return { answers, all };
}

/** All of them run, wait or were refused: whoever comes now is behind them in time. */
async function allIn(count: number, ...floods: readonly Flood[]): Promise<void> {
  const seen = (): number => hashing.waiting + floods.reduce((sum, { answers }) => sum + answers.length, 0);
  await expect.poll(seen, { interval: 1 }).toBeGreaterThanOrEqual(count - 1);
}

async function wrongSignIns(victims: readonly TestUser[], client: TestClient): Promise<Flood> {
  const forms = await Promise.all(victims.map(() => openForm(client)));
  return flood(
    victims.map(
      ({ loginName }, index) =>
        async () =>
          (await forms[index]?.(loginName, 'wrong', `198.51.100.${index % 3}`)) ??
          Promise.reject(new Error()),
    ),
  );
}

describe('S186: one tenant floods the service', () => {
  it('with the dearest hashes and three addresses, is overtaken by the sign-ins of others', async () => {
    const victims: TestUser[] = [];
    for (let count = 0; count < SIGN_INS; count += 1) victims.push(await aUser(hostile));
    await api.sql.query(`UPDATE user_passwords SET hash = $2, scheme = 'bcrypt' WHERE org_id = $1`, [
      hostile.orgId,
      DEAR,
    ]);
    const person = await aUser(people);
    const form = await openForm(peopleClient);
    const unknown = await openForm(peopleClient);
    // by whatever application: who pays is whose hash it is
    const half = SIGN_INS / 2;
    const ours = await wrongSignIns(victims.slice(0, half), hostileClient);
    const theirs = await wrongSignIns(victims.slice(half), peopleClient);
    await allIn(SIGN_INS, ours, theirs);

    expect((await form(person.loginName, PASSWORD, '192.0.2.1')).statusCode).toBe(303);
    expect((await unknown(`nobody@${people.domain}`, PASSWORD, '192.0.2.2')).statusCode).toBe(400);
    expect(hashing.waiting).toBeGreaterThan(0);

    await Promise.all([ours.all, theirs.all]);
    const answers = [...ours.answers, ...theirs.answers];
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(SIGN_INS - refused.length);
    for (const { body, headers } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      // the form again, with what was typed
      expect(body).toContain('we did not check your password');
      expect(body).toContain('name="password"');
      expect(body).toMatch(/name="loginName"[^>]*value="[^"]+@/);
    }
    const { rows } = await api.sql.query(
      `SELECT count(*)::int AS counted FROM password_attempts a JOIN users u ON u.id = a.user_id
       WHERE u.org_id = $1 AND attempts > forgiven`,
      [hostile.orgId],
    );
    expect(rows).toEqual([{ counted: SIGN_INS - refused.length }]);
  });

  it('with new passwords set by API, all at once, is overtaken too, and refused alone', async () => {
    const [victim, person] = [await aUser(hostile), await aUser(people)];
    const form = await openForm(peopleClient);
    const { pat } = hostileOwner;
    const set = flood(
      Array.from({ length: PASSWORDS }, (_, number) => async () => {
        const body = { password: `Another-Passw0rd-${number}!` };
        return await call(api, 'POST', `users/${victim.userId}/password`, { pat, body });
      }),
    );
    await allIn(PASSWORDS, set);
    expect((await form(person.loginName, PASSWORD, '192.0.2.1')).statusCode).toBe(303);
    expect(hashing.waiting).toBeGreaterThan(0);
    await set.all;
    const refused = set.answers.filter(({ statusCode }) => statusCode === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.json()).toMatchObject({ code: 14 });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    const done = set.answers.filter(({ statusCode }) => statusCode === 200);
    expect(done).toHaveLength(PASSWORDS - refused.length);
  });
});
