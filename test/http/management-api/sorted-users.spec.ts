import { beforeAll, describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// `GET /users` in an order: pages follow each other by cursors, which belong to one order, one set of filters.

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

interface Listed {
  readonly result: readonly { readonly id: string; readonly userName: string }[];
  readonly nextCursor?: string;
  readonly total: number;
}

const call = async (query: Readonly<Record<string, string>>) =>
  await owner.call('GET', `users?${new URLSearchParams({ type: 'TYPE_HUMAN', ...query }).toString()}`);

async function page(query: Readonly<Record<string, string>>): Promise<Listed> {
  const response = await call(query);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<Listed>();
}

async function all(query: Readonly<Record<string, string>>, between?: () => Promise<void>) {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const answer: Listed = await page({ ...query, ...(cursor !== undefined && { cursor }) });
    names.push(...answer.result.map(({ userName }) => userName));
    cursor = answer.nextCursor;
    if (cursor !== undefined) await between?.();
  } while (cursor !== undefined);
  return names;
}

const add = async (userName: string, displayName: string, place = world) =>
  (
    await aUser(place, {
      userName,
      profile: { firstName: 'First', lastName: `Last ${userName}`, displayName },
      email: { address: `${userName}@mail.test`, verified: true },
    })
  ).userId;

beforeAll(async () => {
  for (const name of ['delta', 'Alpha', 'echo', 'bravo', 'Charlie'])
    await add(name, name === 'echo' ? 'Twin' : name === 'Alpha' ? 'twin' : `Shown ${name}`);
  const other = await anOrganization(api);
  await add('aardvark', 'Aardvark', other);
});

const UP = ['Alpha', 'bravo', 'Charlie', 'delta', 'echo'];
const TWINS = ['bravo', 'Charlie', 'delta', 'Alpha', 'echo'];

describe('the order of users', () => {
  it.each([
    ['USER_FIELD_NAME_USER_NAME', UP],
    ['USER_FIELD_NAME_EMAIL', UP],
    ['USER_FIELD_NAME_LAST_NAME', UP],
    // whatever the case; ids decide between two of one name
    ['USER_FIELD_NAME_DISPLAY_NAME', TWINS],
    // all are equal
    ['USER_FIELD_NAME_FIRST_NAME', ['delta', 'Alpha', 'echo', 'bravo', 'Charlie']],
    ['USER_FIELD_NAME_CREATION_DATE', ['delta', 'Alpha', 'echo', 'bravo', 'Charlie']],
  ])('is that of %s, both ways and over pages', async (sortingColumn, names) => {
    for (const limit of ['1', '2', '200']) {
      expect(await all({ sortingColumn, asc: 'true', limit })).toEqual(names);
      expect(await all({ sortingColumn, limit })).toEqual(names.toReversed());
    }
  });

  it('is the newest first where none is asked for', async () => {
    const { result, total } = await page({});
    expect(result.map(({ userName }) => userName)).toEqual(['Charlie', 'bravo', 'echo', 'Alpha', 'delta']);
    expect(total).toBe(5);
  });

  it('holds what was searched for', async () => {
    const asked = { sortingColumn: 'USER_FIELD_NAME_USER_NAME', asc: 'true', search: 'shown', limit: '1' };
    expect(await all(asked)).toEqual(['bravo', 'Charlie', 'delta']);
    expect(await all({ ...asked, state: 'USER_STATE_LOCKED' })).toEqual([]);
  });

  it('skips nobody and repeats nobody when others come and go between pages', async () => {
    let round = 0;
    const temporary: string[] = [];
    const names = await all(
      { sortingColumn: 'USER_FIELD_NAME_USER_NAME', asc: 'true', limit: '1' },
      async () => {
        round += 1;
        // before the place and behind it, by turns
        const id = await add(round % 2 === 0 ? `aa-${round}` : `zz-${round}`, `Shown Passing ${round}`);
        temporary.push(id);
        const gone = temporary.length > 2 ? temporary.shift() : undefined;
        if (gone !== undefined) await owner.call('DELETE', `users/${gone}`);
        if (round > 30) throw new Error('the list has no end');
      },
    );
    const stayed = names.filter((name) => UP.includes(name));
    expect(stayed).toEqual(UP);
    expect(new Set(names).size).toBe(names.length);
    for (const id of temporary) await owner.call('DELETE', `users/${id}`);
  });

  it('goes on behind a user who is gone', async () => {
    const id = await add('bravo-2', 'Shown passing');
    const asked = { sortingColumn: 'USER_FIELD_NAME_USER_NAME', asc: 'true', limit: '3' };
    const first = await page(asked);
    expect(first.result.map(({ userName }) => userName)).toEqual(['Alpha', 'bravo', 'bravo-2']);
    await owner.call('DELETE', `users/${id}`);
    const second = await page({ ...asked, cursor: first.nextCursor ?? '' });
    expect(second.result.map(({ userName }) => userName)).toEqual(['Charlie', 'delta', 'echo']);
  });

  it('is refused a cursor of another order, of other filters, and what is none', async () => {
    const asked = { sortingColumn: 'USER_FIELD_NAME_USER_NAME', asc: 'true', limit: '1' };
    const { nextCursor: cursor = '' } = await page(asked);
    expect((await call({ ...asked, cursor, limit: '2' })).statusCode).toBe(200);
    const others = [
      { ...asked, asc: 'false' },
      { ...asked, sortingColumn: 'USER_FIELD_NAME_EMAIL' },
      { ...asked, search: 'a' },
      { ...asked, state: 'USER_STATE_ACTIVE' },
    ];
    for (const other of others) {
      const refused = await call({ ...other, cursor });
      expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('another order')]);
    }
    const [, place = ''] = cursor.split('.');
    const encoded = (value: unknown) =>
      `${Buffer.from(JSON.stringify(value)).toString('base64url')}.${place}`;
    for (const none of ['x', '', encoded(['a']), encoded([1, 2, 3]), encoded(['a', 'b\0', 'c'])]) {
      const refused = await call({ ...asked, cursor: none });
      expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('not one that')]);
    }
  });

  it('needs the type that it is an order of', async () => {
    for (const [sortingColumn, type] of [
      ['USER_FIELD_NAME_EMAIL', 'TYPE_MACHINE'],
      ['USER_FIELD_NAME_FIRST_NAME', 'TYPE_MACHINE'],
      ['USER_FIELD_NAME_STATE', 'TYPE_HUMAN'],
      ['password', 'TYPE_HUMAN'],
    ] as const) {
      expect((await call({ sortingColumn, type })).statusCode, sortingColumn).toBe(400);
    }
    expect((await owner.call('GET', 'users?sortingColumn=USER_FIELD_NAME_DISPLAY_NAME')).statusCode).toBe(
      400,
    );
    expect((await owner.call('GET', 'users?sortingColumn=USER_FIELD_NAME_USER_NAME')).statusCode).toBe(200);
  });

  it('shows nobody of another organization, whatever the cursor says (S477)', async () => {
    const asked = { sortingColumn: 'USER_FIELD_NAME_USER_NAME', asc: 'true', limit: '1' };
    const { nextCursor = '' } = await page(asked);
    const [written = '', place = ''] = nextCursor.split('.');
    const [list] = JSON.parse(Buffer.from(written, 'base64url').toString()) as [string];
    const cursor = `${Buffer.from(JSON.stringify([list, 'aaa', ''])).toString('base64url')}.${place}`;
    const { result } = await page({ ...asked, cursor, limit: '200' });
    expect(result.map(({ userName }) => userName)).toEqual(UP);
  });
});
