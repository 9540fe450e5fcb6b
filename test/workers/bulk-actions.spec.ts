import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.js';
import { anOwnApplication } from '../support/applications.js';
import { obtainTokens } from '../support/browser-flow.js';
import { call } from '../support/calls.js';
import { human } from '../support/import-engine.js';
import { redisUrl } from '../support/redis.js';
import { aServiceUser, type ServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { anOrganization, type World } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { WorkersOfApi } from './support/workers-of-api.js';

class Organization extends WorkersOfApi {
  private constructor(
    api: TestApi,
    readonly world: World,
    readonly owner: ServiceUser,
  ) {
    super(api, { WORKER_QUEUES: 'imports,maintenance' });
  }

  static async build(): Promise<Organization> {
    const api = await startTestApi({ REDIS_URL: redisUrl() });
    // the default organization comes first
    await anOrganization(api);
    const world = await anOrganization(api);
    return new Organization(api, world, await aServiceUser(world, 'ORG_OWNER'));
  }

  async users(count: number): Promise<readonly string[]> {
    const made = [];
    for (let n = 0; n < count; n += 1) made.push((await aUser(this.world)).userId);
    return made;
  }

  async begin(action: string, who: object, by = this.owner): Promise<string> {
    const response = await by.call('POST', 'users/_bulk', { action, ...who });
    if (response.statusCode !== 200) throw new Error(response.body);
    return response.json<{ id: string }>().id;
  }

  async find(id: string): Promise<Told> {
    const response = await this.owner.call('GET', `users/_bulk/${id}`);
    return response.json<{ bulkAction: Told }>().bulkAction;
  }

  async untilOver(id: string, withinMs = 60_000): Promise<Told> {
    return await eventually('the end of the action', withinMs, async () => {
      const told = await this.find(id);
      return told.state === 'running' ? undefined : told;
    });
  }

  /** What the audit log says of the action as a whole. */
  async told(id: string): Promise<readonly object[]> {
    const { rows } = await this.api.sql.query<{ type: string; actor: string; data: object }>(
      `SELECT type, actor_id AS actor, data FROM events
       WHERE aggregate_type = 'bulk_action' AND aggregate_id = $1 ORDER BY position`,
      [id],
    );
    return rows;
  }

  /** How often an event of this type happened to each user. */
  async events(type: string, userIds: readonly string[]): Promise<readonly number[]> {
    const { rows } = await this.api.sql.query<{ count: number }>(
      `SELECT count(e.aggregate_id)::int AS count FROM unnest($2::text[]) u
       LEFT JOIN events e ON e.aggregate_id = u AND e.type = $1 AND e.actor_id = $3 GROUP BY u`,
      [type, userIds, this.owner.userId],
    );
    return rows.map(({ count }) => count);
  }
}

interface Told {
  readonly state: string;
  readonly counts: { readonly total: number; readonly done: number; readonly failed: number };
  readonly failures: readonly { readonly userId: string; readonly message: string }[];
}

/** As the audit log has them. */
function counted({ counts: { total, ...rest } }: Told): object {
  return { users: total, ...rest };
}

let organization: Organization;
beforeAll(async () => {
  organization = await Organization.build();
}, 120_000);
afterAll(async () => {
  await organization.tearDown();
});

describe('an action on many users', { timeout: 300_000 }, () => {
  it('is done to each of them once, though workers die in the middle of it', async () => {
    const users = await organization.users(130);
    const id = await organization.begin('lock', { userIds: users });
    // the user that is at work then is not done: the transaction went with the process
    for (const number of [3, 57]) {
      const doomed = organization.spawnWorker({ CRASH_AT: `bulk-action-at-user-${number}` });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    }
    expect((await organization.find(id)).state).toBe('running');
    organization.spawnWorker();
    const told = await organization.untilOver(id, 200_000);
    expect(told).toMatchObject({ state: 'done', counts: { total: 130, done: 130, failed: 0 }, failures: [] });
    expect(await organization.events('user.locked', users)).toEqual(users.map(() => 1));
    const actor = organization.owner.userId;
    expect(await organization.told(id)).toEqual([
      { type: 'bulk_action.begun', actor, data: { action: 'lock', users: 130 } },
      { type: 'bulk_action.done', actor, data: { action: 'lock', users: 130, done: 130, failed: 0 } },
    ]);
    await expect.poll(() => organization.count('outbox', `job_name = 'run-bulk-action'`)).toBe(0);
  });

  it('has the rules of the single calls, and says for whom it failed', async () => {
    const { world, owner } = organization;
    const [first = '', locked = ''] = await organization.users(2);
    await owner.call('POST', `users/${locked}/_lock`, {});
    const stranger = await aUser(await anOrganization(organization.api));
    const lead = await aServiceUser(world, 'IAM_OWNER');
    const userIds = [first, locked, stranger.userId, lead.userId, owner.userId];
    const told = await organization.untilOver(await organization.begin('lock', { userIds }));
    expect(told.counts).toEqual({ total: 5, done: 1, failed: 4 });
    const reasons = new Map(told.failures.map(({ userId, message }) => [userId, message]));
    expect(reasons.get(locked)).toContain('COMMAND-3NN8v');
    expect(reasons.get(stranger.userId)).toContain('could not be found');
    expect(reasons.get(lead.userId)).toContain('AUTH-3jknH');
    expect(reasons.get(owner.userId)).toContain('COMMAND-bA5me');
  });

  it('asks again for the right to it with every user', async () => {
    const { world, api } = organization;
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    const users = await organization.users(2);
    const id = await organization.begin('deactivate', { userIds: users }, manager);
    await api.sql.query(`DELETE FROM memberships WHERE user_id = $1`, [manager.userId]);
    const told = await organization.untilOver(id);
    // the worker may have been quicker than the loss
    expect(told.counts.done + told.counts.failed).toBe(2);
    for (const { message } of told.failures) expect(message).toContain('AUTH-5mWD2');
  });

  it('S370: stops for whoever was shut out, and with the token that it was asked for with', async () => {
    const own = await Organization.build();
    try {
      const { world, api } = own;
      const users = await own.users(2);
      const shutOut = async (sql: string, home = world): Promise<string> => {
        const manager = await aServiceUser(home, home === world ? 'ORG_OWNER' : 'IAM_OWNER');
        const response = await manager.call(
          'POST',
          'users/_bulk',
          { action: 'delete', userIds: users },
          { headers: { 'x-zitadel-orgid': world.orgId } },
        );
        await api.sql.query(sql, [manager.userId]);
        return response.json<{ id: string }>().id;
      };
      const ids = [
        await shutOut(`UPDATE users SET state = 'locked' WHERE id = $1`),
        await shutOut(`UPDATE users SET state = 'inactive' WHERE id = $1`),
        await shutOut(`UPDATE personal_access_tokens SET revoked_at = app_now() WHERE user_id = $1`),
        await shutOut(
          `UPDATE organizations SET state = 'inactive' WHERE id = (SELECT org_id FROM users WHERE id = $1)`,
          await anOrganization(api),
        ),
      ];
      await own.startWorker();
      for (const id of ids) {
        const told = await own.untilOver(id);
        expect(told).toMatchObject({ state: 'done', counts: { total: 2, done: 0, failed: 2 } });
        for (const { message } of told.failures) expect(message).toContain('AUTH-5mWD2');
      }
    } finally {
      await own.tearDown();
    }
  });

  it('S472: stops with the access token that it was asked for with, as an import does', async () => {
    const own = await Organization.build();
    try {
      const { world, api, owner } = own;
      const users = await own.users(2);
      const manager = await aUser(world);
      const member = { userId: manager.userId, roles: ['ORG_OWNER'] };
      expect((await owner.call('POST', 'orgs/me/members', member)).statusCode).toBe(200);
      const { access_token: token } = await obtainTokens(api, await anOwnApplication(world), manager, {
        scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
      });
      const body = { action: 'delete', userIds: users };
      const begun = await call(api, 'POST', 'users/_bulk', { pat: token, body });
      const uploaded = await api.app.inject({
        method: 'POST',
        url: '/management/v1/imports',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        payload: JSON.stringify(human('newcomer')),
      });
      expect([begun.statusCode, uploaded.statusCode], uploaded.body).toEqual([200, 202]);
      const password = { password: 'Marker-Fr3sh!' };
      expect((await owner.call('POST', `users/${manager.userId}/password`, password)).statusCode).toBe(200);
      await own.startWorker();
      const told = await own.untilOver(begun.json<{ id: string }>().id);
      expect(told).toMatchObject({ state: 'done', counts: { total: 2, done: 0, failed: 2 } });
      for (const { message } of told.failures) expect(message).toContain('AUTH-5mWD2');
      const { id } = uploaded.json<{ id: string }>();
      const job = await eventually('the end of the import', 60_000, async () => {
        const found = (await owner.call('GET', `imports/${id}`)).json<{ state: string }>();
        return ['queued', 'running', 'cancelling'].includes(found.state) ? undefined : found;
      });
      expect(job).toMatchObject({ state: 'cancelled', reason: 'token_revoked' });
    } finally {
      await own.tearDown();
    }
  });

  it('finds whom a search finds, and does each of the actions', async () => {
    const { world } = organization;
    const tagged = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        aUser(world, { profile: { firstName: 'Quokka', lastName: name, displayName: `Quokka ${name}` } }),
      ),
    );
    const userIds = tagged.map(({ userId }) => userId);
    const matching = { search: 'quokka', type: 'TYPE_HUMAN' };
    for (const [action, type] of [
      ['lock', 'user.locked'],
      ['unlock', 'user.unlocked'],
      ['deactivate', 'user.deactivated'],
      ['reactivate', 'user.reactivated'],
      ['sign_out', 'user.access_ended'],
      ['delete', 'user.removed'],
    ] as const) {
      const told = await organization.untilOver(await organization.begin(action, { matching }));
      expect(told.counts, action).toEqual({ total: 3, done: 3, failed: 0 });
      expect(await organization.events(type, userIds)).toEqual([1, 1, 1]);
    }
    const nobody = await organization.owner.call('POST', 'users/_bulk', { action: 'lock', matching });
    expect(nobody.json<{ message: string }>().message).toBe('No user fits (COMMAND-bA1no)');
  });

  it('is cancelled, and then over', async () => {
    const { owner } = organization;
    const users = await organization.users(2);
    const id = await organization.begin('lock', { userIds: users });
    const cancelled = await owner.call('POST', `users/_bulk/${id}/_cancel`, {});
    // a worker that was quicker has done it
    expect([200, 400]).toContain(cancelled.statusCode);
    const told = await organization.untilOver(id);
    expect(told.state).toBe(cancelled.statusCode === 200 ? 'cancelled' : 'done');
    expect(await organization.told(id)).toMatchObject([
      { type: 'bulk_action.begun' },
      { type: `bulk_action.${told.state}`, data: { action: 'lock', ...counted(told) } },
    ]);
    expect((await owner.call('POST', `users/_bulk/${id}/_cancel`, {})).statusCode).toBe(400);
  });
});

describe('whose action it is', () => {
  it('is told to nobody of another organization', async () => {
    const id = await organization.begin('sign_out', { userIds: await organization.users(1) });
    const stranger = await aServiceUser(await anOrganization(organization.api), 'ORG_OWNER');
    expect((await stranger.call('GET', `users/_bulk/${id}`)).statusCode).toBe(404);
    expect((await stranger.call('POST', `users/_bulk/${id}/_cancel`, {})).statusCode).toBe(404);
    const viewer = await aServiceUser(organization.world, 'ORG_OWNER_VIEWER');
    const refused = await viewer.call('POST', 'users/_bulk', { action: 'lock', matching: {} });
    expect(refused.statusCode).toBe(403);
  });

  it.each([
    [{ action: 'lock' }, 'either userIds or matching is required'],
    [{ action: 'lock', userIds: ['1'], matching: {} }, 'either userIds or matching is required'],
    [{ action: 'praise', userIds: ['1'] }, 'action must be one of'],
    [{ action: 'lock', userIds: [] }, 'userIds must not be empty'],
  ])('refuses %j', async (body, message) => {
    const response = await organization.owner.call('POST', 'users/_bulk', body);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(message);
  });
});
