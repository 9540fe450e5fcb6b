import { beforeEach, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

let root: ServiceUser;

// the first organization is the instance's own, which stays for another reason
const { api } = useWorld();
const replica = useReplica(api);
const home = given(() => anOrganization(api));

beforeEach(async () => {
  await api.sql.query(`DELETE FROM memberships WHERE role = 'IAM_OWNER'`);
  root = await aServiceUser(home, 'IAM_OWNER');
});

const LAST = errorBody(9, 'The last owner of the instance cannot be removed', 'COMMAND-f2Nq7');

/** What shuts a user out, as a manager asks for it. */
const WAYS = [
  ['deactivation', 'POST', '/_deactivate'],
  ['an administrator’s lock', 'POST', '/_lock'],
  ['deletion', 'DELETE', ''],
] as const;

type Way = readonly [string, 'POST' | 'DELETE', string];

async function shutOut([, method, path]: Way, who: string, by: ServiceUser, at = api) {
  const body = method === 'POST' ? {} : undefined;
  return await by.call(method, `users/${who}${path}`, body, {
    headers: { 'x-zitadel-orgid': home.orgId },
    on: at,
  });
}

async function ownersLeft(): Promise<number> {
  const { rows } = await api.sql.query<{ owners: number }>(
    `SELECT count(*)::int AS owners FROM memberships m
     JOIN users u ON u.id = m.user_id AND u.state = 'active'
     JOIN organizations o ON o.id = u.org_id AND o.state = 'active' WHERE m.role = 'IAM_OWNER'`,
  );
  return rows[0]?.owners ?? 0;
}

async function addHumanOwner(): Promise<string> {
  const { userId } = await aUser(home);
  await api.sql.query(`INSERT INTO memberships (user_id, user_org_id, role) VALUES ($1, $2, 'IAM_OWNER')`, [
    userId,
    home.orgId,
  ]);
  return userId;
}

describe('the last owner of the instance (S5.9)', () => {
  it.each(WAYS)('stays: %s of a service user', async (...way) => {
    const answer = await shutOut(way, root.userId, root);
    if (way[1] === 'DELETE') expect(answer.statusCode).toBe(400);
    else expect(answer.json()).toEqual(LAST);
    expect(await ownersLeft()).toBe(1);
  });

  it.each(WAYS)('stays: %s of a human, while the other owner goes', async (...way) => {
    const human = await addHumanOwner();
    // an owner in an organization that is shut is none
    const elsewhere = await anOrganization(api);
    await aServiceUser(elsewhere, 'IAM_OWNER');
    await api.sql.query(`UPDATE organizations SET state = 'inactive' WHERE id = $1`, [elsewhere.orgId]);
    const answers = await Promise.all([
      shutOut(way, human, root),
      shutOut(WAYS[0], root.userId, root, replica),
    ]);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(await ownersLeft()).toBe(1);
  });

  it('may go when another is left', async () => {
    const human = await addHumanOwner();
    for (const way of WAYS.slice(0, 2)) {
      expect((await shutOut(way, human, root)).statusCode).toBe(200);
      await api.sql.query(`UPDATE users SET state = 'active' WHERE id = $1`, [human]);
    }
    expect((await shutOut(WAYS[2], human, root)).statusCode).toBe(200);
    expect(await ownersLeft()).toBe(1);
  });

  it.each(WAYS)('stays when two owners shut each other out at once: %s', async (...way) => {
    for (let round = 0; round < 5; round += 1) {
      const second = await aServiceUser(home, 'IAM_OWNER');
      const answers = await Promise.all([
        shutOut(way, second.userId, root),
        shutOut(way, root.userId, second, replica),
      ]);
      expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
      expect(answers.filter(({ statusCode }) => statusCode >= 500)).toHaveLength(0);
      expect(await ownersLeft()).toBe(1);
      if (answers[1].statusCode === 200) root = second;
    }
  });

  it('stays when one loses the role while the other is shut out', async () => {
    for (let round = 0; round < 5; round += 1) {
      const second = await aServiceUser(home, 'IAM_OWNER');
      const answers = await Promise.all([
        root.call('DELETE', `/admin/v1/members/${second.userId}`),
        shutOut(WAYS[0], root.userId, second, replica),
      ]);
      expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
      expect(answers.filter(({ statusCode }) => statusCode >= 500)).toHaveLength(0);
      expect(await ownersLeft()).toBe(1);
      if (answers[1].statusCode === 200) root = second;
    }
  });

  it('is shut out with no organization by its owners, though another one is left (S515)', async () => {
    const theirs = await anOrganization(api);
    const manager = await aServiceUser(theirs, 'ORG_OWNER');
    const guest = await aServiceUser(theirs, 'IAM_OWNER');
    const refused = await manager.call('POST', 'orgs/me/_deactivate', {});
    expect(refused.json()).toEqual(
      errorBody(9, 'An owner of the instance is a user of this organisation', 'COMMAND-h4Wq8'),
    );
    const headers = { 'x-zitadel-orgid': theirs.orgId };
    expect((await root.call('POST', 'orgs/me/_deactivate', {}, { headers })).statusCode).toBe(200);
    expect((await root.call('POST', 'orgs/me/_reactivate', {}, { headers })).statusCode).toBe(200);
    expect((await root.call('DELETE', `/admin/v1/members/${guest.userId}`)).statusCode).toBe(200);
    expect((await manager.call('POST', 'orgs/me/_deactivate', {})).statusCode).toBe(200);
  });

  it('keeps its organization, too', async () => {
    const headers = { 'x-zitadel-orgid': home.orgId };
    const deactivate = () => root.call('POST', 'orgs/me/_deactivate', {}, { headers });
    const remove = () => root.call('DELETE', 'orgs/me', undefined, { headers });
    expect((await deactivate()).json()).toEqual(LAST);
    expect((await remove()).json()).toEqual(
      errorBody(9, 'An owner of the instance is a user of this organisation', 'COMMAND-h4Wq8'),
    );
    const elsewhere = await anOrganization(api);
    const second = await aServiceUser(elsewhere, 'IAM_OWNER');
    // each shuts their own organization, at once
    const answers = await Promise.all([
      deactivate(),
      second.call(
        'POST',
        'orgs/me/_deactivate',
        {},
        { headers: { 'x-zitadel-orgid': elsewhere.orgId }, on: replica },
      ),
    ]);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(await ownersLeft()).toBe(1);
  });
});
