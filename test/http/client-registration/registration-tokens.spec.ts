import { describe, expect, it } from 'vitest';
import {
  anInitialToken,
  aRegistered,
  metadata,
  registering,
  type Registered,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { expectOAuthError } from '../oidc/support/answers.js';

// A registration access token that leaked is replaced or ended by those who look after the application (security S301).

const { api, world } = useWorld({ CLIENT_REGISTRATION: 'token', RATE_LIMIT_REGISTRATION: '0' });
const initial = given(() => anInitialToken(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

async function idOf({ client_id }: Registered): Promise<string> {
  const { rows } = await api.sql.query<{ id: string }>(`SELECT id FROM applications WHERE client_id = $1`, [
    client_id,
  ]);
  return rows[0]?.id ?? '';
}

/** Its path for the management API. */
async function pathOf(client: Registered): Promise<string> {
  return `projects/${world.projectId}/apps/${await idOf(client)}`;
}

async function read({ registration_client_uri: url }: Registered, token: string) {
  return await registering(api, 'GET', url, token);
}

async function eventsOf(id: string) {
  const { rows } = await api.sql.query<{ type: string; actorId: string; text: string }>(
    `SELECT type, actor_id AS "actorId", e::text AS text FROM events e
     WHERE aggregate_id = $1 AND type LIKE 'application.registration_token.%' ORDER BY sequence`,
    [id],
  );
  return rows;
}

describe('a registration access token', () => {
  it('is replaced at once by an owner, which is recorded without it', async () => {
    const client = await aRegistered(api, initial.token);
    const response = await owner.call('POST', `${await pathOf(client)}/_generate_registration_token`);
    expect(response.statusCode).toBe(200);
    const { registrationAccessToken: next, details } = response.json<{
      registrationAccessToken: string;
      details: object;
    }>();
    expect(next).toMatch(/^reg_[A-Za-z0-9_-]{43}$/);
    expect(details).toHaveProperty('sequence');
    expectOAuthError(await read(client, client.registration_access_token), 401, 'invalid_token');
    expect((await read(client, next)).statusCode).toBe(200);
    const [event, ...others] = await eventsOf(await idOf(client));
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'application.registration_token.changed',
      actorId: owner.userId,
    });
    expect(event?.text).not.toContain(next);
  });

  it('is ended, while the application goes on, and another can be made later', async () => {
    const client = await aRegistered(api, initial.token);
    const path = await pathOf(client);
    expect((await owner.call('DELETE', `${path}/registration_token`)).statusCode).toBe(200);
    expectOAuthError(await read(client, client.registration_access_token), 401, 'invalid_token');
    expect((await owner.call('GET', path)).json()).toMatchObject({ app: { state: 'APP_STATE_ACTIVE' } });
    const again = await owner.call('POST', `${path}/_generate_registration_token`);
    const { registrationAccessToken } = again.json<{ registrationAccessToken: string }>();
    expect((await read(client, registrationAccessToken)).statusCode).toBe(200);
    expect((await eventsOf(await idOf(client))).map(({ type }) => type)).toEqual([
      'application.registration_token.removed',
      'application.registration_token.changed',
    ]);
  });

  it('makes no change any more that began before it ended', async () => {
    const client = await aRegistered(api, initial.token);
    const { client_id, registration_client_uri: url, registration_access_token: token } = client;
    const path = await pathOf(client);
    // whoever changes it waits until this one is through
    const blocker = await api.sql.connect();
    const waiting = async () => {
      const { rows } = await blocker.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length;
    };
    try {
      await blocker.query('BEGIN');
      await blocker.query(`SELECT FROM applications WHERE client_id = $1 FOR UPDATE`, [client_id]);
      const ended = owner.call('DELETE', `${path}/registration_token`);
      await expect.poll(waiting, { interval: 10 }).toBe(1);
      const evil = { client_id, ...metadata({ client_name: 'Evil' }) };
      const changed = registering(api, 'PUT', url, token, evil);
      await expect.poll(waiting, { interval: 10 }).toBe(2);
      await blocker.query('COMMIT');
      expect((await ended).statusCode).toBe(200);
      expectOAuthError(await changed, 401, 'invalid_token');
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect((await owner.call('GET', path)).json()).toMatchObject({ app: { name: 'Editor' } });
  });

  it('is nobody else’s to replace, and an application that somebody made has none', async () => {
    const client = await aRegistered(api, initial.token);
    const path = await pathOf(client);
    const viewer = await aServiceUser(world, 'ORG_OWNER_VIEWER');
    const elsewhere = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    for (const [caller, status] of [
      [viewer, 403],
      [elsewhere, 404],
    ] as const) {
      const made = await caller.call('POST', `${path}/_generate_registration_token`);
      expect(made.statusCode).toBe(status);
      expect((await caller.call('DELETE', `${path}/registration_token`)).statusCode).toBe(status);
    }
    expect((await read(client, client.registration_access_token)).statusCode).toBe(200);
    const apps = `projects/${world.projectId}/apps`;
    const { appId } = (await owner.call('POST', `${apps}/api`, { name: 'Orders' })).json<{ appId: string }>();
    const response = await owner.call('POST', `${apps}/${appId}/_generate_registration_token`);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 9 });
  });
});
