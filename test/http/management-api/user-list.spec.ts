import { beforeAll, describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
let ada: string;
let abroad: string;
beforeAll(async () => {
  const add = async (userName: string) =>
    (await aUser(world, { userName, email: { address: `${userName}@mail.test`, verified: true } })).userId;
  ada = await add('ada');
  await add('granada');
  const other = await anOrganization(api);
  await aUser(other, { userName: 'ada' });
  abroad = `ada@${other.domain}`;
});

interface Listed {
  readonly result: readonly { readonly id: string; readonly preferredLoginName: string }[];
  readonly total: number;
}

async function found(search: string): Promise<Listed> {
  const response = await owner.call('GET', `users?${new URLSearchParams({ search }).toString()}`);
  expect(response.statusCode).toBe(200);
  return response.json<Listed>();
}

describe('the list of users', () => {
  it('finds one by the login name that they sign in with', async () => {
    for (const loginName of [`ada@${world.domain}`, `ADA@${world.domain}`, ` ada@${world.domain} `]) {
      const { result, total } = await found(loginName);
      expect(result.map(({ id }) => id)).toEqual([ada]);
      expect(result[0]?.preferredLoginName).toBe(`ada@${world.domain}`);
      expect(total).toBe(1);
    }
  });

  it('finds one while the login name is typed', async () => {
    const { result } = await found(`ada@${world.domain.slice(0, 3)}`);
    expect(result.map(({ id }) => id)).toContain(ada);
  });

  it('finds one by a whole address and by a whole id, and nobody else', async () => {
    for (const search of ['ada@mail.test', ada]) {
      expect((await found(search)).result.map(({ id }) => id)).toEqual([ada]);
    }
  });

  it('finds nobody of another organization by a login name', async () => {
    expect(await found(abroad)).toMatchObject({ result: [], total: 0 });
  });
});
