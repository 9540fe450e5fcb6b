import { describe, expect, it } from 'vitest';
import { useReplica, type TestApi } from '../../support/api.js';
import { anApplication, anOwnApplication } from '../../support/applications.js';
import { obtainTokens, refreshTokens, userinfo } from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { aPasskey } from '../../support/passkeys.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const change = (id: string, to: '_deactivate' | '_reactivate', body?: unknown) =>
  owner.call('POST', `users/${id}/${to}`, body);

async function stateOf(id: string): Promise<unknown> {
  const response = await owner.call('GET', `users/${id}`);
  return response.json<{ user: { state: string } }>().user.state;
}

describe('deactivating a user', () => {
  it('answers with the details of the change and records an event', async () => {
    const { userId } = await aUser(world);
    const response = await change(userId, '_deactivate', {});
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      details: {
        sequence: '2',
        changeDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        resourceOwner: world.orgId,
      },
    });
    expect(await stateOf(userId)).toBe('USER_STATE_INACTIVE');
    const rows = await eventsOf(api, userId, 'org_id', 'sequence', 'type', 'actor_id');
    expect(rows).toEqual([
      { org_id: world.orgId, sequence: '2', type: 'user.deactivated', actor_id: owner.userId },
    ]);
  });

  it('is refused for one that is inactive already, and for a body with anything in it', async () => {
    const { userId } = await aUser(world);
    expect((await change(userId, '_deactivate', { reason: 'x' })).json()).toEqual({
      code: 3,
      message: 'unknown field "reason"',
    });
    expect((await change(userId, '_deactivate', '[]')).statusCode).toBe(400);
    await change(userId, '_deactivate');
    const again = await change(userId, '_deactivate');
    expect(again.statusCode).toBe(400);
    expect(again.json()).toEqual(errorBody(9, 'User already inactive', 'COMMAND-5M0sf'));
  });

  it('does not reach somebody who runs the instance, from below', async () => {
    const { userId, orgId } = await aUser(world);
    await api.sql.query(`INSERT INTO memberships (user_id, user_org_id, role) VALUES ($1, $2, 'IAM_OWNER')`, [
      userId,
      orgId,
    ]);
    expect((await change(userId, '_deactivate')).statusCode).toBe(403);
    expect(await stateOf(userId)).toBe('USER_STATE_ACTIVE');
  });

  it('happens once when asked for 20 times at once', async () => {
    const { userId } = await aUser(world);
    const answers = await Promise.all(Array.from({ length: 20 }, () => change(userId, '_deactivate')));
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.statusCode === 400)).toHaveLength(19);
  });

  it('ends the tokens on every replica, for good', async () => {
    const client = await anApplication(world);
    const user = await aUser(world);
    const tokens = await obtainTokens(api, client, user);
    const refresh = (at: TestApi) => refreshTokens(at, client, tokens);
    expect((await userinfo(replica, tokens.access_token)).statusCode).toBe(200);

    await change(user.userId, '_deactivate');
    for (const at of [api, replica]) {
      expect((await userinfo(at, tokens.access_token)).statusCode).toBe(401);
      expect((await refresh(at)).json()).toMatchObject({ error: 'invalid_grant' });
    }

    await change(user.userId, '_reactivate');
    for (const at of [api, replica]) {
      expect((await userinfo(at, tokens.access_token)).statusCode).toBe(401);
      expect((await refresh(at)).json()).toMatchObject({ error: 'invalid_grant' });
    }
    const anew = await obtainTokens(replica, client, user);
    expect((await userinfo(api, anew.access_token)).statusCode).toBe(200);
  });
});

describe('reactivating a user', () => {
  it('answers with the details of the change', async () => {
    const { userId } = await aUser(world);
    await change(userId, '_deactivate');
    const response = await change(userId, '_reactivate', {});
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ details: { sequence: '3', resourceOwner: world.orgId } });
    expect(await stateOf(userId)).toBe('USER_STATE_ACTIVE');
  });

  it('gives one without a password back as initial', async () => {
    const body = record({ hashedPassword: undefined });
    const { userId } = (await importHuman(api, owner.pat, body)).json<{ userId: string }>();
    await change(userId, '_deactivate');
    await change(userId, '_reactivate');
    expect(await stateOf(userId)).toBe('USER_STATE_INITIAL');
  });

  it('is refused for one that is not inactive', async () => {
    const { userId } = await aUser(world);
    const response = await change(userId, '_reactivate');
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual(errorBody(9, 'User is not inactive', 'COMMAND-6M0sf'));
  });
});

describe('reading a user', () => {
  it('shows a service user', async () => {
    const response = await owner.call('GET', `users/${owner.userId}`);
    const { user } = response.json<{ user: { userName: string } }>();
    expect(user).toEqual({
      id: owner.userId,
      details: {
        sequence: '1',
        creationDate: expect.any(String) as string,
        changeDate: expect.any(String) as string,
        resourceOwner: world.orgId,
      },
      state: 'USER_STATE_ACTIVE',
      userName: user.userName,
      loginNames: [`${user.userName}@${world.domain}`],
      preferredLoginName: `${user.userName}@${world.domain}`,
      machine: { name: 'Service' },
    });
  });
});

describe('somebody who signs in with a passkey alone', () => {
  it('is active again after a time of being inactive', async () => {
    const user = await aUser(world);
    await aPasskey(api, await anOwnApplication(world), user);
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    await change(user.userId, '_deactivate');
    expect((await change(user.userId, '_reactivate')).statusCode).toBe(200);
    expect(await stateOf(user.userId)).toBe('USER_STATE_ACTIVE');
  });
});
