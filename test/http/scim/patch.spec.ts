import { describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aDirectory, aPerson, USER, type Resource } from '../../support/scim.js';
import { useWorld } from '../../support/world.js';

// RFC 7644 §3.5.2, and what Entra ID and Okta make of it.

const { api, world } = useWorld();
const directory = given(() => aDirectory(world));

async function patched(changes: object, ...operations: readonly object[]): Promise<Resource> {
  const { id } = await directory.create('Users', aPerson(changes));
  const response = await directory.patch(`Users/${id}`, ...operations);
  expect({ status: response.statusCode, body: response.body }).toMatchObject({ status: 200 });
  return response.json<Resource>();
}

const values = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `v${index}` }));

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe('PATCH /Users/{id}', () => {
  it('does what Entra ID sends', async () => {
    const user = await patched(
      { phoneNumbers: undefined },
      { op: 'Replace', path: 'displayName', value: 'Augusta' },
      { op: 'Add', path: 'name.familyName', value: 'King' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'augusta@corp.test' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+41 79 123 45 67' },
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'CH' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Bern' },
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Add', path: 'title', value: 'Countess' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Engines' },
    );
    expect(user).toMatchObject({
      displayName: 'Augusta',
      name: { givenName: 'Ada', familyName: 'King' },
      emails: [{ value: 'augusta@corp.test', type: 'work' }],
      phoneNumbers: [{ value: '+41791234567' }],
      addresses: [{ country: 'CH', locality: 'Bern' }],
      active: false,
    });
  });

  it('does what Entra ID sends without a path, with dotted names and booleans as texts', async () => {
    const user = await patched(
      {},
      {
        op: 'replace',
        value: {
          active: 'False',
          'name.givenName': 'Grace',
          [`${USER}:displayName`]: 'Grace King',
          'emails[type eq "work"].value': 'grace@corp.test',
          [`${ENTERPRISE}:employeeNumber`]: '7',
        },
      },
    );
    expect(user).toMatchObject({
      active: false,
      displayName: 'Grace King',
      name: { givenName: 'Grace', familyName: 'Lovelace' },
      emails: [{ value: 'grace@corp.test' }],
    });
  });

  it('does what Okta sends', async () => {
    const user = await patched(
      {},
      { op: 'replace', value: { active: false, id: 'read-only', nickName: 'Ada' } },
    );
    expect(user).toMatchObject({ active: false, nickName: 'Ada' });
    const back = await directory.patch(`Users/${user.id}`, { op: 'replace', path: 'active', value: true });
    expect(back.json()).toMatchObject({ active: true });
  });

  it('deactivates whoever leaves, also with attributes beside it that are not kept', async () => {
    const user = await patched(
      {},
      {
        op: 'replace',
        value: {
          active: false,
          locale: 'en-US',
          'name.honorificPrefix': 'Lady',
          [ENTERPRISE]: { division: 'Engines' },
        },
      },
    );
    expect(user).toMatchObject({ active: false });
    expect(user).not.toHaveProperty('locale');
    const { rows } = await api.sql.query(`SELECT state FROM users WHERE id = $1`, [user.id]);
    expect(rows).toEqual([{ state: 'inactive' }]);
  });

  it('adds, replaces and removes as the RFC has it', async () => {
    const user = await patched(
      { nickName: 'Ada', addresses: [{ type: 'work', locality: 'Bern' }] },
      { op: 'add', value: { name: { middleName: 'Byron' } } },
      { op: 'replace', path: 'name', value: { familyName: 'King' } },
      { op: 'remove', path: 'nickName' },
      { op: 'remove', path: 'addresses[type eq "work"]' },
      {
        op: 'replace',
        path: 'emails',
        value: [{ value: 'one@corp.test', primary: true }, { value: 'two@corp.test' }],
      },
    );
    expect(user).toMatchObject({
      name: { givenName: 'Ada', middleName: 'Byron', familyName: 'King' },
      emails: [{ value: 'one@corp.test' }],
    });
    expect(user).not.toHaveProperty('nickName');
    expect(user).not.toHaveProperty('addresses');
  });

  it('adds an address as the primary one in place of the one before', async () => {
    const user = await patched(
      {},
      { op: 'add', path: 'emails', value: { value: 'later@corp.test', primary: true } },
    );
    expect(user).toMatchObject({ emails: [{ value: 'later@corp.test' }] });
  });

  it('takes no address away where a filter means none', async () => {
    const user = await patched({}, { op: 'remove', path: 'emails[type eq "other"]' });
    expect(user).toMatchObject({ emails: [{ type: 'work' }] });
  });

  it('sets a password, which ends what the one before had opened', async () => {
    const { id } = await directory.create('Users', aPerson());
    const weak = await directory.patch(`Users/${id}`, { op: 'replace', path: 'password', value: 'short' });
    expect(weak.json()).toMatchObject({ status: '400', scimType: 'invalidValue' });
    const set = await directory.patch(`Users/${id}`, {
      op: 'replace',
      path: 'password',
      value: 'Seven-Tulips-of-1637!',
    });
    expect(set.statusCode).toBe(200);
    const { rows } = await api.sql.query(
      `SELECT count(*)::int AS passwords FROM user_passwords WHERE user_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ passwords: 1 }]);
  });

  it('does all or nothing', async () => {
    const { id } = await directory.create('Users', aPerson());
    const response = await directory.patch(
      `Users/${id}`,
      { op: 'replace', path: 'displayName', value: 'Half' },
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'no address' },
    );
    expect(response.statusCode).toBe(400);
    expect((await directory.call('GET', `Users/${id}`)).json()).toMatchObject({
      displayName: 'Ada Lovelace',
    });
  });

  it.each([
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'shoeSize', value: 44 }, 'invalidPath'],
    [{ op: 'replace', path: 'name.shoe', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq "work"', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'displayName[type eq "work"]', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'replace', path: 'groups', value: [] }, 'mutability'],
    [{ op: 'remove', path: 'userName' }, 'mutability'],
    [{ op: 'remove', path: 'emails' }, 'mutability'],
    [{ op: 'remove', path: 'emails[type eq "work"]' }, 'mutability'],
    [{ op: 'remove', path: 'emails[type eq "work"].value' }, 'mutability'],
    [{ op: 'replace', value: 'text' }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: { a: 1 } }, 'invalidValue'],
    [{ op: 'replace', path: 'emails[type sw "h"].value', value: 'x@corp.test' }, 'noTarget'],
    [{ op: 'move', path: 'displayName', value: 'x' }, 'invalidSyntax'],
    [{ path: 'displayName', value: 'x' }, 'invalidSyntax'],
  ])('refuses %j', async (operation, scimType) => {
    const { id } = await directory.create('Users', aPerson());
    const response = await directory.patch(`Users/${id}`, operation);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ status: '400', scimType });
  });

  it.each<[string, object[]]>([
    ['many values', [{ op: 'add', path: 'emails', value: values(40_000) }]],
    [
      'many paths in one value',
      [{ op: 'add', value: Object.fromEntries(values(20_000).map(({ value }) => [`emails.${value}`, 'x'])) }],
    ],
  ])('refuses %s', async (_, operations) => {
    const { id } = await directory.create('Users', aPerson());
    const response = await directory.patch(`Users/${id}`, ...operations);
    expect(response.json()).toMatchObject({ status: '400', detail: expect.stringContaining('at most') });
  });

  it('refuses many values, bit by bit', async () => {
    const { id } = await directory.create('Users', aPerson());
    const bits = values(150).map((value) => ({ op: 'add', path: 'phoneNumbers', value: [value] }));
    const response = await directory.patch(`Users/${id}`, ...bits);
    expect(response.json()).toMatchObject({ status: '400', detail: expect.stringContaining('at most') });
  });

  it('keeps an address that waits for its code, without another mail for every round', async () => {
    const trusting = await aDirectory(world);
    const doubting = await aDirectory(world, { trustsEmails: false });
    const person = aPerson({ password: 'Seven-Tulips-of-1637!' });
    const { id } = await trusting.create('Users', person);
    const asked = { op: 'replace', path: 'emails[type eq "work"].value', value: 'elsewhere@corp.test' };
    for (let round = 0; round < 3; round += 1) {
      const response = await doubting.patch(`Users/${id}`, asked);
      expect(response.json()).toMatchObject({ emails: [{ value: person.userName }] });
    }
    const { rows } = await api.sql.query(
      `SELECT count(*)::int AS mails FROM notifications WHERE user_id = $1 AND template = 'verify_email'`,
      [id],
    );
    expect(rows).toEqual([{ mails: 1 }]);
  });
});
