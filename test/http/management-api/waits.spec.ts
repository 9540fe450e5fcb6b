// SQL by hand: a second connection holds rows, as a request that is not over yet does
import { expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { untilSomebodyWaits } from '../../support/lock-waits.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, aProject, useWorld } from '../../support/world.js';

const { api } = useWorld();
const home = given(() => anOrganization(api));
const owner = given(() => aServiceUser(home, 'ORG_OWNER'));
const words = () => Math.random().toString(36).slice(2);

/** What a request answers that waits for rows of somebody else, who commits then. */
async function afterWait<T>(
  held: readonly (readonly [text: string, values: readonly unknown[]])[],
  request: () => Promise<T>,
): Promise<T> {
  const holder = await api.sql.connect();
  try {
    await holder.query('BEGIN');
    for (const [text, values] of held) await holder.query(text, [...values]);
    const answer = request();
    await untilSomebodyWaits(api.sql);
    await holder.query('COMMIT');
    return await answer;
  } finally {
    holder.release();
  }
}

async function aDomain(): Promise<string> {
  const domain = `${words()}.test`;
  await api.sql.query(
    `INSERT INTO organization_domains (org_id, domain, is_verified) VALUES ($1, $2, true)`,
    [home.orgId, domain],
  );
  return domain;
}

const namesOf = async (userId: string) =>
  (
    await api.sql.query<{ user_name: string; canonical: string }>(
      `SELECT u.user_name, i.canonical FROM users u JOIN login_identifiers i ON i.user_id = u.id AND i.kind = 'user_name'
       WHERE u.id = $1`,
      [userId],
    )
  ).rows;

it('S404: a user who is renamed while a domain becomes the primary one keeps the new name whole', async () => {
  const domain = await aDomain();
  const { userId } = await aUser(home, { userName: `${words()}@${domain}` });
  const next = `${words()}@elsewhere.test`;
  const answer = await afterWait(
    [
      [`UPDATE users SET user_name = $2 WHERE id = $1`, [userId, next]],
      [
        `UPDATE login_identifiers SET canonical = $2 WHERE user_id = $1 AND kind = 'user_name'`,
        [userId, next],
      ],
    ],
    async () => await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`, {}),
  );
  expect(answer.statusCode).toBe(200);
  expect(await namesOf(userId)).toEqual([{ user_name: next, canonical: next }]);
});

it('S404: a user who is just being added with a domain that becomes the primary one loses it as all others do', async () => {
  const domain = await aDomain();
  const [id, name] = [words(), words()];
  const answer = await afterWait(
    [
      [
        `INSERT INTO users (id, org_id, kind, user_name) VALUES ($1, $2, 'human', $3)`,
        [id, home.orgId, `${name}@${domain}`],
      ],
      [
        `INSERT INTO login_identifiers (org_id, kind, canonical, user_id) VALUES ($1, 'user_name', $2, $3)`,
        [home.orgId, `${name}@${domain}`, id],
      ],
    ],
    async () => await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`, {}),
  );
  expect(answer.statusCode).toBe(200);
  expect(await namesOf(id)).toEqual([{ user_name: name, canonical: name }]);
});

it('S404: a user who becomes a member while a domain becomes the primary one does not wait for it in a circle', async () => {
  const domain = await aDomain();
  const { userId } = await aUser(home, { userName: `${words()}@${domain}` });
  const holder = await api.sql.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE`, [userId]);
    const answer = owner.call('POST', `orgs/me/domains/${domain}/_set_primary`, {});
    await untilSomebodyWaits(api.sql);
    // refers to the organization, as a logout notice of the user would
    await holder.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER_VIEWER', $2)`,
      [userId, home.orgId],
    );
    await holder.query('COMMIT');
    expect((await answer).statusCode).toBe(200);
  } finally {
    holder.release();
  }
});

it('S404: a user who is just being deleted gets no role of a project', async () => {
  const { userId } = await aUser(home);
  const projectId = await aProject(home);
  const answer = await afterWait(
    [[`UPDATE users SET state = 'deleted' WHERE id = $1`, [userId]]],
    async () => await owner.call('POST', `users/${userId}/grants`, { projectId, roleKeys: [] }),
  );
  expect(answer.statusCode).toBe(404);
  const { rows } = await api.sql.query('SELECT FROM role_assignments WHERE user_id = $1', [userId]);
  expect(rows).toEqual([]);
});

it('S404: a member who is just being deleted is none', async () => {
  const { userId } = await aUser(home);
  const added = await owner.call('POST', 'orgs/me/members', { userId, roles: ['ORG_OWNER_VIEWER'] });
  expect(added.statusCode).toBe(200);
  const answer = await afterWait(
    [
      [`UPDATE users SET state = 'deleted' WHERE id = $1`, [userId]],
      [`DELETE FROM memberships WHERE user_id = $1`, [userId]],
    ],
    async () => await owner.call('DELETE', `orgs/me/members/${userId}`),
  );
  expect(answer.statusCode).toBe(404);
});
