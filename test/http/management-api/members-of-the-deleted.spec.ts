import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// Nobody has a role whose account is gone, whoever was first: the one who gave it or the one who deleted the user.

const { api, world: home } = useWorld();
const replica = useReplica(api);
const root = given(() => aServiceUser(home, 'IAM_OWNER'));
const world = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

type Change = readonly [how: string, place: 'organization' | 'instance', member: boolean];
const CHANGES: readonly Change[] = [
  ['added', 'organization', false],
  ['changed', 'organization', true],
  ['added', 'instance', false],
  ['changed', 'instance', true],
];

const ROLES = {
  organization: {
    members: '/management/v1/orgs/me/members',
    first: 'ORG_OWNER_VIEWER',
    next: 'ORG_USER_MANAGER',
  },
  instance: { members: '/admin/v1/members', first: 'IAM_OWNER_VIEWER', next: 'IAM_OWNER' },
} as const;

async function changeOf([, place, member]: Change): Promise<{
  userId: string;
  change: () => ReturnType<typeof call>;
}> {
  const { members, first, next } = ROLES[place];
  const pat = place === 'instance' ? root.pat : owner.pat;
  const { userId } = await aServiceUser(world, member ? first : undefined);
  const change = () =>
    member
      ? call(api, 'PUT', `${members}/${userId}`, { pat, body: { roles: [next] } })
      : call(api, 'POST', members, { pat, body: { userId, roles: [next] } });
  return { userId, change };
}

async function rolesOf(userId: string): Promise<number> {
  return (await api.sql.query('SELECT role FROM memberships WHERE user_id = $1', [userId])).rows.length;
}

async function isDeleted(userId: string): Promise<boolean> {
  const { rows } = await api.sql.query<{ state: string }>('SELECT state FROM users WHERE id = $1', [userId]);
  return rows[0]?.state === 'deleted';
}

describe('a role of somebody who is being deleted', () => {
  it.each(CHANGES)('is not %s: %s', async (...kind) => {
    const { userId, change } = await changeOf(kind);
    const deleter = await api.sql.connect();
    try {
      // what deleting a user comes to, up to its commit
      await deleter.query('BEGIN');
      await deleter.query(`SELECT pg_advisory_xact_lock_shared(hashtext('members'), hashtext(''))`);
      await deleter.query('SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
      await deleter.query('DELETE FROM memberships WHERE user_id = $1', [userId]);
      await deleter.query(`UPDATE users SET state = 'deleted' WHERE id = $1`, [userId]);
      let answered = false;
      const answer = change().finally(() => (answered = true));
      const waits = `SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
      const settled = async () => answered || (await deleter.query(waits)).rows.length > 0;
      await expect.poll(settled, { interval: 10 }).toBe(true);
      await deleter.query('COMMIT');
      expect((await answer).statusCode).toBe(404);
      expect(await rolesOf(userId)).toBe(0);
    } finally {
      await deleter.query('ROLLBACK');
      deleter.release();
    }
  });

  it.each(CHANGES)('is gone, or was never %s: %s', async (...kind) => {
    for (let round = 0; round < 5; round += 1) {
      const { userId, change } = await changeOf(kind);
      const headers = { 'x-zitadel-orgid': world.orgId };
      const [changed, deleted] = await Promise.all([
        change(),
        root.call('DELETE', `users/${userId}`, undefined, { headers, on: replica }),
      ]);
      expect([200, 404]).toContain(changed.statusCode);
      expect(deleted.statusCode).toBe(200);
      expect([await isDeleted(userId), await rolesOf(userId)]).toEqual([true, 0]);
    }
  });

  it('is given and the owner of the instance who gets it deleted, without waiting for each other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const leaving = await aServiceUser(world, 'IAM_OWNER');
      const body = { userId: leaving.userId, roles: ['ORG_USER_MANAGER'] };
      const headers = { 'x-zitadel-orgid': world.orgId };
      const answers = await Promise.all([
        root.call('POST', 'orgs/me/members', body, { headers }),
        root.call('DELETE', `users/${leaving.userId}`, undefined, { headers, on: replica }),
        root.call('PUT', `/admin/v1/members/${leaving.userId}`, { roles: ['IAM_OWNER_VIEWER'] }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode).filter((status) => status >= 500)).toEqual([]);
      expect([await isDeleted(leaving.userId), await rolesOf(leaving.userId)]).toEqual([true, 0]);
    }
  });
});
