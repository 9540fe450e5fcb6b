// SQL by hand: more messages and imports than a test can make by calls
import { describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

// Lists that grow without end are counted up to 10,000, and say that there are more.

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

type Answer = { readonly details: Readonly<Record<string, unknown>> };

const LISTS = {
  messages: {
    insert: `INSERT INTO notifications (org_id, user_id, channel, template, state, finished_at)
      SELECT $1, $2, 'email', 'password_changed', 'sent', app_now() FROM generate_series(1, $3::int)`,
    find: () => owner.call('POST', 'notifications/_search', { userId: owner.userId, query: { limit: 1 } }),
  },
  imports: {
    insert: `INSERT INTO imports (id, org_id, created_by, format, mode, notify, state, finished_at, expires_at)
      SELECT new_id(), $1, $2, 'ndjson', 'insert', 'none', 'done', app_now(), app_now() FROM generate_series(1, $3::int)`,
    find: () => owner.call('GET', 'imports?limit=1'),
  },
} as const;

describe.each(Object.entries(LISTS))('a list of %s', (_, { insert, find }) => {
  const add = (count: number) => api.sql.query(insert, [world.orgId, owner.userId, count]);
  const details = async () => (await find()).json<Answer>().details;

  it('is counted to its end up to 10,000, and no further', async () => {
    await add(10_000);
    const whole = await details();
    expect(whole).toMatchObject({ totalResult: '10000' });
    expect(whole).not.toHaveProperty('hasMoreThanTotal');
    await add(2);
    expect(await details()).toMatchObject({ totalResult: '10000', hasMoreThanTotal: true });
  });
});
