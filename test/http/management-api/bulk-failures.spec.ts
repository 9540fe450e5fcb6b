// SQL by hand: an action that failed for more users than are named at once
import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const viewer = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));
const other = given(() => anOrganization(api));

const named = (name: string) => ({
  nameQuery: { name, method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' },
});

interface Listed {
  readonly details: { readonly totalResult: string };
  readonly result?: readonly { readonly userId: string; readonly name: string; readonly message: string }[];
  readonly nextCursor?: string;
}

describe('an action on all that fit', () => {
  const begin = async (body: object) =>
    await owner.call('POST', 'users/_bulk', { action: 'sign_out', ...body });
  const matching = { search: 'bandicoot', type: 'TYPE_HUMAN' };

  it('is refused where another number of users fits by now than was expected', async () => {
    await aUser(world, { userName: 'bandicoot-one' });
    await aUser(world, { userName: 'bandicoot-two' });
    const refused = await begin({ matching, expected: 1 });
    expect(refused.statusCode).toBe(412);
    expect(refused.json()).toEqual(errorBody(10, 'Users who fit by now: 2, expected: 1', 'COMMAND-bA3ex'));
    expect((await begin({ matching: { ...matching, search: 'nobody' }, expected: 1 })).statusCode).toBe(412);
    expect((await begin({ matching, expected: 2 })).statusCode).toBe(200);
    expect((await begin({ matching })).statusCode).toBe(200);
  });

  it('takes a number for a search alone', async () => {
    const { userId } = await aUser(world);
    const refused = await begin({ userIds: [userId], expected: 1 });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('expected goes with matching');
  });
});

describe('for whom an action on many users failed', () => {
  const MANY = 120;
  const begun = given(async () => {
    const { userId } = await aUser(world);
    const { id } = (await owner.call('POST', 'users/_bulk', { action: 'unlock', userIds: [userId] })).json<{
      id: string;
    }>();
    await api.sql.query(
      `WITH person AS (
         INSERT INTO users (org_id, kind, state, user_name, created_at)
         SELECT $1, 'human', 'active', 'many-' || lpad(n::text, 3, '0'), now() - n * interval '1 minute'
         FROM generate_series(1, ${MANY}) n RETURNING id, org_id, user_name),
       human AS (
         INSERT INTO user_humans (org_id, user_id, first_name, last_name, display_name, email)
         SELECT org_id, id, 'F', 'L', 'Many ' || right(user_name, 3), user_name || '@example.org' FROM person)
       INSERT INTO bulk_action_users (bulk_action_id, user_id, outcome, reason)
       SELECT $2, id, 'failed', 'because of ' || user_name FROM person
       UNION ALL SELECT $2, 'gone-user', 'failed', 'it is gone' UNION ALL SELECT $2, 'done-user', 'done', NULL`,
      [world.orgId, id],
    );
    return { id };
  });

  async function page(search: object): Promise<Listed> {
    const answer = await viewer.call('POST', `users/_bulk/${begun.id}/failures/_search`, search);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json<Listed>();
  }

  it('is paged in the order of names, both ways, without those for whom it was done', async () => {
    const listed = async (query: object) =>
      await page({ query, sortingColumn: 'BULK_FAILURE_FIELD_NAME_NAME' });
    const first = await listed({ limit: 100, asc: true });
    expect(first.details.totalResult).toBe(String(MANY + 1));
    expect(first.result?.[0]).toEqual({ userId: 'gone-user', name: '', message: 'it is gone' });
    expect(first.result?.[1]).toMatchObject({ name: 'Many 001', message: 'because of many-001' });
    const rest = await listed({ limit: 100, asc: true, cursor: first.nextCursor });
    expect(rest.result?.map(({ name }) => name).at(-1)).toBe('Many 120');
    expect(rest.result).toHaveLength(MANY + 1 - 100);
    expect(rest.nextCursor).toBeUndefined();
    expect((await listed({ limit: 100, asc: false })).result?.[0]?.name).toBe('Many 120');
    const oldest = await page({ query: { limit: 1, asc: true }, queries: [named('many')] });
    expect(oldest.result?.[0]?.name).toBe('Many 120');
  });

  it('is found by the name', async () => {
    const found = await page({ queries: [named('MANY 007')] });
    expect(found.result?.map(({ name }) => name)).toEqual(['Many 007']);
    expect(found.details.totalResult).toBe('1');
  });

  it('is nothing for another organization, nor for whoever may not read users (S427)', async () => {
    const stranger = await aServiceUser(other, 'ORG_OWNER');
    const path = `users/_bulk/${begun.id}/failures/_search`;
    expect((await stranger.call('POST', path, {})).statusCode).toBe(404);
    expect((await (await aServiceUser(world)).call('POST', path, {})).statusCode).toBe(403);
  });
});
