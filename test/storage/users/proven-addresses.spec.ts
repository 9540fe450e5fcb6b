import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnowWhoProvedAddresses1763703100000 } from '../../../migrations/1763703100000-know-who-proved-addresses.js';
import type { EventType } from '../../../src/domain/events/event-types.js';
import { EventsStore } from '../../../src/domain/events/events.store.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { ownerUrl } from '../../support/databases.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

let source: DataSource;

const { api, world } = useWorld();
beforeAll(async () => {
  source = createDataSource({
    url: ownerUrl(api.config.postgres.url),
    applicationName: 'test',
    poolSize: 1,
    statementTimeoutMs: 30_000,
  });
  await source.initialize();
});
afterAll(async () => {
  await source.destroy();
});

const word = (): string => randomBytes(4).toString('hex');

interface Told {
  readonly type: EventType;
  readonly by?: 'user';
  readonly fields?: readonly string[];
}

/** A user with a verified address, and what the event log says of it, oldest first. */
async function userWith(events: readonly Told[], address = `${word()}@mail.test`): Promise<UserId> {
  const { userId, orgId } = await aUser(world, {
    email: { address: address.toLowerCase(), verified: true },
  });
  for (const [index, { type, by, fields = [] }] of events.entries()) {
    await api.app.get(UnitOfWork).run((tx) =>
      api.app.get(EventsStore).append(tx, {
        orgId,
        aggregateType: 'user',
        aggregateId: userId,
        sequence: String(index + 1),
        type,
        actorId: by === 'user' ? userId : 'somebody',
        fields: [...fields],
      }),
    );
  }
  return userId;
}

describe('addresses that were verified before it was known how', () => {
  it('S191: are proven where the event log says so last, else vouched for', async () => {
    const imported = { type: 'user.human.imported' } as const;
    const registered = { type: 'user.human.registered', by: 'user' } as const;
    const verified = { type: 'user.human.email.verified', by: 'user' } as const;
    const reset = { type: 'user.human.password.reset', by: 'user' } as const;
    const byAdministrator = { type: 'user.human.email.changed', fields: ['email'] } as const;
    const cases: readonly [readonly Told[], boolean][] = [
      [[], false],
      [[imported], false],
      [[registered], true],
      [[imported, verified], true],
      [[imported, { type: 'user.human.initialised', by: 'user' }], true],
      [[imported, reset], true],
      [[registered, byAdministrator], false],
      [[registered, byAdministrator, reset], true],
      // a change of their own waits for its code beside the verified one
      [[registered, { type: 'user.human.email.changed', by: 'user', fields: ['email'] }], true],
      [[registered, { type: 'user.human.changed', fields: ['email'] }], false],
      [[registered, { type: 'user.human.changed', fields: ['nickName'] }], true],
      [[registered, { type: 'user.human.profile.changed' }], true],
    ];
    const users: (readonly [UserId, boolean])[] = [];
    for (const [events, expected] of cases) users.push([await userWith(events), expected]);
    const local = word();
    users.push([await userWith([registered], `${local}@straße-${local}.test`), false]);

    const migration = new KnowWhoProvedAddresses1763703100000();
    const runner = source.createQueryRunner();
    await runner.startTransaction();
    await migration.down(runner);
    await migration.up(runner);
    await runner.commitTransaction();
    await runner.release();

    const { rows } = await api.sql.query<{ user_id: UserId; proven: boolean }>(
      "SELECT user_id, proven FROM login_identifiers WHERE kind = 'email'",
    );
    const found = new Map(rows.map(({ user_id: id, proven }) => [id, proven]));
    expect(users.map(([id]) => found.get(id))).toEqual(users.map(([, expected]) => expected));
  });
});
