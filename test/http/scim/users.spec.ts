import { describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aDirectory, aPerson, USER, type Resource } from '../../support/scim.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// RFC 7644 §3.3 to 3.6: people of an organization, made and changed by a directory.

const { api, world } = useWorld();
const directory = given(() => aDirectory(world));

const found = async (filter: string) => {
  const response = await directory.call('GET', `Users?filter=${encodeURIComponent(filter)}`);
  expect(response.statusCode).toBe(200);
  return response.json<{ totalResults: number; Resources: Resource[] }>();
};

describe('POST /Users', () => {
  it('makes a person who signs in by userName, and answers 201 with location and version', async () => {
    const person = aPerson({
      nickName: 'Countess',
      preferredLanguage: 'de',
      timezone: 'Europe/Zurich',
      phoneNumbers: [
        { value: '044 123 45 67', type: 'work' },
        { value: '+41 79 123 45 67', type: 'mobile' },
      ],
      addresses: [{ type: 'work', locality: 'Zürich', country: 'CH' }],
    });
    const response = await directory.call('POST', 'Users', person);
    expect(response.statusCode).toBe(201);
    const user = response.json<Resource>();
    expect(response.headers['content-type']).toBe('application/scim+json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers.location).toBe(`https://id.test/scim/v2/${world.orgId}/Users/${user.id}`);
    expect(response.headers.etag).toBe(user.meta.version);
    expect(user).toMatchObject({
      schemas: [USER],
      userName: person.userName,
      externalId: person['externalId'],
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      displayName: 'Ada Lovelace',
      nickName: 'Countess',
      preferredLanguage: 'de',
      timezone: 'Europe/Zurich',
      active: true,
      emails: [{ value: person.userName, type: 'work', primary: true }],
      phoneNumbers: [{ value: '+41791234567', type: 'mobile', primary: true }],
      addresses: [{ locality: 'Zürich', country: 'CH', type: 'work', primary: true }],
      meta: { resourceType: 'User' },
    });
    expect(user).not.toHaveProperty('password');
    const { rows } = await api.sql.query(
      `SELECT kind, canonical, proven FROM login_identifiers WHERE user_id = $1 ORDER BY kind`,
      [user.id],
    );
    expect(rows).toEqual([
      { kind: 'email', canonical: person.userName, proven: false },
      { kind: 'user_name', canonical: person.userName, proven: false },
    ]);
  });

  it('sends nobody a text message, and keeps a number unverified', async () => {
    const { id } = await directory.create('Users', aPerson({ phoneNumbers: [{ value: '+41791234567' }] }));
    const { rows } = await api.sql.query(
      `SELECT phone, phone_verified, (SELECT count(*)::int FROM notifications n WHERE n.user_id = h.user_id AND n.channel = 'sms') AS sms
       FROM user_humans h WHERE user_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ phone: '+41791234567', phone_verified: false, sms: 0 }]);
  });

  it('verifies an address only where the token trusts those of the directory', async () => {
    const doubtful = await aDirectory(world, { trustsEmails: false });
    const trusted = await directory.create('Users', aPerson());
    const doubted = await doubtful.create('Users', aPerson());
    const { rows } = await api.sql.query(
      `SELECT user_id, email_verified FROM user_humans WHERE user_id = ANY($1)`,
      [[trusted.id, doubted.id]],
    );
    expect(rows).toContainEqual({ user_id: trusted.id, email_verified: true });
    expect(rows).toContainEqual({ user_id: doubted.id, email_verified: false });
  });

  it('is a user whose name ends with the own domain, found by either name', async () => {
    const name = `lin-${Date.now()}`;
    const person = aPerson({ userName: `${name}@${world.domain}` });
    const { id, userName } = await directory.create('Users', person);
    expect(userName).toBe(`${name}@${world.domain}`);
    for (const asked of [name, `${name}@${world.domain}`, `${name}@${world.domain}`.toUpperCase()]) {
      expect((await found(`userName eq "${asked}"`)).Resources.map((one) => one.id)).toEqual([id]);
    }
  });

  it('holds a password against the policy, and never shows it', async () => {
    const weak = await directory.call('POST', 'Users', aPerson({ password: 'short' }));
    expect(weak.statusCode).toBe(400);
    expect(weak.json()).toMatchObject({ status: '400', scimType: 'invalidValue' });
    const strong = await directory.call('POST', 'Users', aPerson({ password: 'Seven-Tulips-of-1637!' }));
    expect(strong.statusCode).toBe(201);
    expect(strong.body).not.toContain('Tulips');
    const { rows } = await api.sql.query(`SELECT state FROM users WHERE id = $1`, [
      strong.json<Resource>().id,
    ]);
    expect(rows).toEqual([{ state: 'active' }]);
  });

  it('refuses a name, an address or an external id that is another user’s', async () => {
    const person = aPerson();
    await directory.create('Users', person);
    const others = [
      aPerson({ userName: person.userName.toUpperCase() }),
      aPerson({ emails: person['emails'] }),
      aPerson({ externalId: person['externalId'] }),
    ];
    for (const other of others) {
      const response = await directory.call('POST', 'Users', other);
      expect(response.statusCode).toBe(409);
      expect(response.json()).toMatchObject({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '409',
        scimType: 'uniqueness',
      });
    }
  });

  it('passes over what is not kept, and reads names in any case', async () => {
    const person = aPerson({
      title: 'Countess',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Engines' },
      DISPLAYNAME: 'Augusta',
      id: 'mine',
      groups: [{ value: 'owners' }],
    });
    const user = await directory.create('Users', person);
    expect(user).toMatchObject({ displayName: 'Augusta' });
    expect(user.id).not.toBe('mine');
    expect(user).not.toHaveProperty('title');
  });

  it.each([
    ['no JSON', '{', 'invalidSyntax'],
    ['a list', '[]', 'invalidSyntax'],
    ['a number for a name', JSON.stringify(aPerson({ displayName: 7 })), 'invalidValue'],
    ['no address at all', JSON.stringify(aPerson({ userName: 'plain', emails: undefined })), 'invalidValue'],
    ['a name twice', '{"userName":"a","USERNAME":"b"}', 'invalidSyntax'],
    ['an address that is none', JSON.stringify(aPerson({ emails: [{ value: 'nobody' }] })), 'invalidValue'],
    ['active as a word', JSON.stringify(aPerson({ active: 'perhaps' })), 'invalidValue'],
  ])('refuses %s', async (_, body, scimType) => {
    const response = await directory.call('POST', 'Users', body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ status: '400', scimType });
  });
});

describe('GET /Users', () => {
  it('shows people alone: service users are nobody', async () => {
    const service = await aServiceUser(world);
    expect((await directory.call('GET', `Users/${service.userId}`)).statusCode).toBe(404);
    expect((await found(`id eq "${service.userId}"`)).totalResults).toBe(0);
    for (const method of ['DELETE', 'PUT'] as const) {
      const body = method === 'PUT' ? aPerson() : undefined;
      expect((await directory.call(method, `Users/${service.userId}`, body)).statusCode).toBe(404);
    }
  });

  it('shows somebody whom no directory made by the login name', async () => {
    const user = await aUser(world);
    const response = await directory.call('GET', `Users/${user.userId}`);
    expect(response.json()).toMatchObject({ userName: user.loginName });
    expect((await found(`userName eq "${user.loginName}"`)).Resources).toHaveLength(1);
  });

  it('pages by startIndex and count, which are brought into range', async () => {
    await directory.create('Users', aPerson());
    await directory.create('Users', aPerson());
    const page = async (query: string) =>
      (await directory.call('GET', `Users?${query}`)).json<{
        totalResults: number;
        itemsPerPage: number;
        startIndex: number;
        Resources: Resource[];
      }>();
    const first = await page('startIndex=1&count=1');
    const second = await page('startIndex=2&count=1');
    expect(first).toMatchObject({ itemsPerPage: 1, startIndex: 1 });
    expect(second.startIndex).toBe(2);
    expect(first.Resources[0]?.id).not.toBe(second.Resources[0]?.id);
    expect(await page('count=0')).toMatchObject({
      itemsPerPage: 0,
      Resources: [],
      totalResults: first.totalResults,
    });
    expect(await page('startIndex=-5&count=-1')).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
    const all = await page('count=100000');
    expect(all.itemsPerPage).toBeLessThanOrEqual(200);
    expect((await directory.call('GET', 'Users?count=many')).json()).toMatchObject({
      scimType: 'invalidValue',
    });
  });

  it('answers what is asked for, by attributes or but for excludedAttributes', async () => {
    const { id } = await directory.create('Users', aPerson());
    const read = async (query: string) =>
      (await directory.call('GET', `Users/${id}?${query}`)).json<Resource>();
    expect(Object.keys(await read('attributes=userName,name.familyName')).sort()).toEqual([
      'id',
      'name',
      'schemas',
      'userName',
    ]);
    expect((await read('attributes=name.familyName'))['name']).toEqual({ familyName: 'Lovelace' });
    expect((await read(`attributes=${USER}:emails.value`))['emails']).toEqual([
      { value: expect.any(String) },
    ]);
    const less = await read('excludedAttributes=emails,name.givenName,id');
    expect(less).not.toHaveProperty('emails');
    expect(less['name']).toEqual({ familyName: 'Lovelace' });
    expect(less.id).toBe(id);
  });

  it('S367 refuses more names of attributes than there can be, and longer ones, before anything is done', async () => {
    const { id } = await directory.create('Users', aPerson());
    const group = await directory.create('Groups', { displayName: 'Named' });
    const person = aPerson();
    const many = Array.from({ length: 101 }, (_, index) => `name${index}`);
    const refused: readonly (readonly [
      method: 'GET' | 'POST' | 'PUT' | 'PATCH',
      path: string,
      body?: object,
    ])[] = [
      ...[many, many.join(','), ['x'.repeat(201)], 'x'.repeat(201), ','.repeat(1_000_000)].flatMap(
        (names) => [
          ['POST', 'Users/.search', { attributes: names }] as const,
          ['POST', 'Groups/.search', { excludedAttributes: names }] as const,
          ['POST', '.search', { excludedAttributes: names }] as const,
        ],
      ),
      ['POST', 'Users/.search', { attributes: [7] }],
      ['GET', `Users?attributes=${many.join(',')}`],
      ['GET', `Users?${many.map((name) => `attributes=${name}`).join('&')}`],
      ['GET', `Users/${id}?excludedAttributes=${many.join(',')}`],
      ['GET', `Groups/${group.id}?attributes=${'x'.repeat(201)}`],
      ['POST', `Users?attributes=${many.join(',')}`, person],
      ['PUT', `Groups/${group.id}?attributes=${many.join(',')}`, { displayName: 'Renamed' }],
      ['PATCH', `Groups/${group.id}?attributes=${many.join(',')}`, {}],
    ];
    for (const [method, path, body] of refused) {
      const response = await directory.call(method, path, body);
      expect(response.statusCode, `${method} ${path}`).toBe(400);
      expect(response.json()).toMatchObject({ scimType: 'invalidValue' });
    }
    expect(await found(`externalId eq "${String(person['externalId'])}"`)).toMatchObject({ totalResults: 0 });
    expect((await directory.call('GET', `Groups/${group.id}`)).json()).toMatchObject({
      displayName: 'Named',
    });
    const most = await directory.call('POST', 'Users/.search', { attributes: many.slice(1) });
    expect(most.statusCode).toBe(200);
  });

  it('takes the same by POST to .search', async () => {
    const person = aPerson();
    const { id } = await directory.create('Users', person);
    const body = { filter: `externalId eq "${String(person['externalId'])}"`, attributes: ['userName'] };
    const response = await directory.call('POST', 'Users/.search', body);
    expect(response.json()).toMatchObject({
      totalResults: 1,
      Resources: [{ id, userName: person.userName }],
    });
  });
});

describe('POST /.search', () => {
  it('finds users and groups, those of the type that the filter is of', async () => {
    const { id } = await directory.create('Groups', { displayName: 'Searched' });
    const search = async (body: object) =>
      (await directory.call('POST', '.search', body)).json<{ totalResults: number; Resources: Resource[] }>();
    const all = await search({});
    expect(all.totalResults).toBe(all.Resources.length);
    expect(all.Resources.at(-1)?.id).toBe(id);
    const last = await search({ startIndex: all.totalResults, count: 5 });
    expect(last.Resources.map((one) => one.id)).toEqual([id]);
    expect((await search({ filter: 'displayName eq "searched"' })).Resources.map((one) => one.id)).toEqual([
      id,
    ]);
    expect(await search({ filter: 'userName eq "nobodys"' })).toMatchObject({ totalResults: 0 });
    expect(await search({ filter: 'title eq "x"' })).toMatchObject({ scimType: 'invalidFilter' });
  });
});

describe('filters', () => {
  it('find by what there is an index for', async () => {
    const person = aPerson({
      name: { givenName: 'Grace', familyName: 'Hopper' },
      displayName: 'Amazing Grace',
    });
    const { id } = await directory.create('Users', person);
    const address = person.userName;
    const filters = [
      `id eq "${id}"`,
      `userName eq "${address.toUpperCase()}"`,
      `USERNAME Eq "${address}"`,
      `userName sw "${address.slice(0, 8)}"`,
      `externalId eq "${String(person['externalId'])}"`,
      `emails eq "${address}"`,
      `emails.value eq "${address}"`,
      `emails[type eq "work"].value eq "${address}"`,
      `emails[type eq "work" and value eq "${address}"]`,
      `${USER}:userName eq "${address}"`,
      `displayName sw "amaz" and name.givenName eq "grace" and name.familyName eq "hopper" and active eq true`,
      `(displayName eq "Amazing Grace") and (userName eq "${address}")`,
    ];
    for (const filter of filters) {
      expect({ filter, ids: (await found(filter)).Resources.map((one) => one.id) }).toEqual({
        filter,
        ids: [id],
      });
    }
    expect((await found(`userName eq "${address}" and active eq false`)).totalResults).toBe(0);
    expect((await found(`externalId eq "${String(person['externalId']).toUpperCase()}x"`)).totalResults).toBe(
      0,
    );
  });

  it('find by alternatives, by what is not so, and in groups', async () => {
    const nickName = `Filtered ${Date.now()}`;
    const people = await Promise.all(
      [
        { displayName: 'Ada', active: true, nickName },
        { displayName: 'Bob', active: false, nickName },
        { displayName: 'Cleo', active: true, nickName },
      ].map((changes) => directory.create('Users', aPerson(changes))),
    );
    const [ada, bob, cleo] = people.map(({ id, userName, externalId }) => ({
      id,
      userName: String(userName),
      externalId: String(externalId),
    }));
    const among = `nickName eq "${nickName}"`;
    const namesOf = async (filter: string) =>
      (await found(filter)).Resources.map((one) => String(one['displayName'])).sort();
    const cases: readonly (readonly [string, string])[] = [
      [`userName eq "${ada?.userName}" or userName eq "${bob?.userName}"`, 'Ada Bob'],
      [
        `id eq "${ada?.id}" or externalId eq "${bob?.externalId}" OR emails eq "${cleo?.userName}"`,
        'Ada Bob Cleo',
      ],
      // the same person by more than one way is there once
      [`id eq "${ada?.id}" or userName eq "${ada?.userName}"`, 'Ada'],
      [`${among} and (displayName eq "ada" or displayName sw "cl")`, 'Ada Cleo'],
      // `and` binds closer
      [`id eq "${ada?.id}" or ${among} and active eq false`, 'Ada Bob'],
      [`(id eq "${ada?.id}" or ${among}) and active eq false`, 'Bob'],
      [`${among} and not (active eq false)`, 'Ada Cleo'],
      [`${among} and not (displayName eq "Ada" or displayName eq "Bob")`, 'Cleo'],
      [`${among} and not (displayName sw "A" and active eq true)`, 'Bob Cleo'],
      [`${among} and not (not (displayName eq "Bob"))`, 'Bob'],
      [`${among} and not(externalId eq "${ada?.externalId}") and not (id eq "${bob?.id}")`, 'Cleo'],
      [`${among} and emails[type eq "work" and not (value eq "${ada?.userName}")]`, 'Bob Cleo'],
      [`${among} and (emails[type eq "work"] or active eq false)`, 'Ada Bob Cleo'],
      [`${among} and not (emails[type eq "work"])`, ''],
      [`${among} and (not (active eq true) or not (${among}))`, 'Bob'],
      [`${USER}:nickName eq "${nickName}" and (${USER}:displayName eq "Bob" or title eq "x")`, 'refused'],
    ];
    for (const [filter, names] of cases) {
      if (names === 'refused') {
        const refused = await directory.call('GET', `Users?filter=${encodeURIComponent(filter)}`);
        expect(refused.json()).toMatchObject({ scimType: 'invalidFilter' });
      } else expect({ filter, names: (await namesOf(filter)).join(' ') }).toEqual({ filter, names });
    }
    const everybody = (await directory.call('GET', 'Users?count=0')).json<{ totalResults: number }>();
    const others = await found(`not (id eq "${ada?.id}")`);
    expect(others.totalResults).toBe(everybody.totalResults - 1);
    // who has no nick name has not this one either
    expect((await found(`not (${among})`)).totalResults).toBe(everybody.totalResults - 3);
  });

  it('page through alternatives', async () => {
    const people = await Promise.all([1, 2, 3].map(() => directory.create('Users', aPerson())));
    const filter = encodeURIComponent(people.map(({ id }) => `id eq "${id}"`).join(' or '));
    const pages = [];
    for (const start of [1, 2, 3, 4]) {
      const page = await directory.call('GET', `Users?filter=${filter}&startIndex=${start}&count=1`);
      const { totalResults, Resources: resources } = page.json<{
        totalResults: number;
        Resources: Resource[];
      }>();
      pages.push([totalResults, ...resources.map(({ id }) => id)]);
    }
    expect(pages).toEqual([
      ...people
        .map(({ id }) => id)
        .sort()
        .map((id) => [3, id]),
      [3],
    ]);
  });

  it.each([
    'userName',
    'userName eq',
    'userName eq ada',
    'userName is "ada"',
    'userName eq "ada',
    '(userName eq "ada"',
    'userName eq "a" userName eq "b"',
    'userName co "ada"',
    'userName eq "a" or title eq "b"',
    'not (userName co "a")',
    'userName eq "a" or',
    'userName eq "a" or (userName eq "b"',
    'not userName eq "a"',
    `${'not ('.repeat(12)}userName eq "a"${')'.repeat(12)}`,
    // more comparisons, and more alternatives, than one statement should have
    Array.from({ length: 41 }, (_, n) => `id eq "${n}"`).join(' and '),
    Array.from({ length: 21 }, (_, n) => `id eq "${n}"`).join(' or '),
    Array.from({ length: 5 }, (_, n) => `(id eq "${n}" or userName eq "${n}")`).join(' and '),
    `not (${Array.from({ length: 21 }, (_, n) => `id eq "${n}"`).join(' and ')})`,
    'title eq "Countess"',
    'meta.lastModified gt "2020-01-01T00:00:00Z"',
    'password eq "x"',
    'userName pr',
    'urn:else:userName eq "x"',
    'userName eq "\\u0000"',
    `${'('.repeat(40)}userName eq "a"${')'.repeat(40)}`,
    `userName eq "${'a'.repeat(3_000)}"`,
    `active eq "perhaps"`,
  ])('refuse %s', async (filter) => {
    const response = await directory.call('GET', `Users?filter=${encodeURIComponent(filter)}`);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ status: '400', scimType: 'invalidFilter' });
  });

  it.each([`' OR 1=1 --`, `%`, `_`, `\\\\`, `"; DROP TABLE users; --`, `$1`, `*)(uid=*`])(
    'look for %s as it is written',
    async (text) => {
      const asked = JSON.stringify(text);
      for (const filter of [`userName eq ${asked}`, `displayName sw ${asked}`, `externalId eq ${asked}`]) {
        expect((await found(filter)).totalResults).toBe(0);
      }
    },
  );
});

describe('versions', () => {
  it('are checked by If-Match, and change with every change', async () => {
    const { id, meta } = await directory.create('Users', aPerson());
    const replace = async (ifMatch: string, displayName: string) =>
      await directory.call('PUT', `Users/${id}`, aPerson({ displayName }), { 'if-match': ifMatch });
    expect((await replace('W/"999"', 'No')).statusCode).toBe(412);
    expect((await replace('nonsense', 'No')).statusCode).toBe(412);
    const changed = await replace(meta.version, 'Yes');
    expect(changed.statusCode).toBe(200);
    expect(changed.headers.etag).not.toBe(meta.version);
    expect((await replace(meta.version, 'Again')).statusCode).toBe(412);
    expect(
      (await directory.call('DELETE', `Users/${id}`, undefined, { 'if-match': meta.version })).statusCode,
    ).toBe(412);
    const unchanged = await directory.call('GET', `Users/${id}`, undefined, {
      'if-none-match': changed.headers.etag ?? '',
    });
    expect(unchanged.statusCode).toBe(304);
    expect((await replace('*', 'Any')).statusCode).toBe(200);
  });
});

describe('PUT /Users/{id}', () => {
  it('empties what it does not name, but for the address and whether the user is active', async () => {
    const person = aPerson({ nickName: 'Ada', phoneNumbers: [{ value: '+41791234567' }], active: false });
    const { id } = await directory.create('Users', person);
    const response = await directory.call('PUT', `Users/${id}`, {
      schemas: [USER],
      userName: person.userName,
      name: { givenName: 'Augusta', familyName: 'King' },
    });
    expect(response.statusCode).toBe(200);
    const user = response.json<Resource>();
    expect(user).toMatchObject({ name: { givenName: 'Augusta' }, active: false, emails: person['emails'] });
    for (const gone of ['nickName', 'phoneNumbers', 'externalId']) expect(user).not.toHaveProperty(gone);
  });

  it('keeps a number that the user has verified, unless a PATCH removes it', async () => {
    const person = aPerson({ phoneNumbers: [{ value: 'tel:+41-79-123-45-67' }] });
    const { id } = await directory.create('Users', person);
    const phone = async () => {
      const user = (await directory.call('GET', `Users/${id}`)).json<Resource>();
      return (user['phoneNumbers'] as { value: string }[] | undefined)?.[0]?.value;
    };
    await api.sql.query(`UPDATE user_humans SET phone_verified = true WHERE user_id = $1`, [id]);
    const bodies = [{}, { phoneNumbers: [] }, { phoneNumbers: [{ value: '079 765 43 21' }] }];
    for (const change of bodies) {
      const body = { ...aPerson(change), userName: person.userName, emails: person['emails'] };
      expect((await directory.call('PUT', `Users/${id}`, body)).statusCode).toBe(200);
      expect(await phone()).toBe('+41791234567');
    }
    await directory.patch(`Users/${id}`, { op: 'remove', path: 'phoneNumbers[type eq "work"]' });
    expect(await phone()).toBe('+41791234567');
    await directory.patch(`Users/${id}`, { op: 'remove', path: 'phoneNumbers[type eq "mobile"]' });
    expect(await phone()).toBeUndefined();
  });

  it.each(['corp.test', 'the primary domain'])('is another version in another case: %s', async (domain) => {
    const userName = aPerson().userName.replace('corp.test', domain === 'corp.test' ? domain : world.domain);
    const { id, meta } = await directory.create('Users', aPerson({ userName }));
    const versions = [meta.version];
    for (const name of [userName.toUpperCase(), userName.replace('p-', 'P-')]) {
      const rename = { op: 'replace', path: 'userName', value: name };
      const renamed = (await directory.patch(`Users/${id}`, rename)).json<Resource>();
      expect(renamed).toMatchObject({ userName: name });
      versions.push(renamed.meta.version);
    }
    expect(new Set(versions).size).toBe(3);
  });

  it('renames, and a directory that says the same again changes nothing', async () => {
    const { id } = await directory.create('Users', aPerson());
    const person = aPerson({ emails: [{ value: 'new-address@corp.test' }] });
    const first = await directory.call('PUT', `Users/${id}`, person);
    expect(first.json()).toMatchObject({
      userName: person.userName,
      emails: [{ value: 'new-address@corp.test' }],
    });
    const second = await directory.call('PUT', `Users/${id}`, person);
    expect(second.headers.etag).toBe(first.headers.etag);
  });
});

describe('DELETE /Users/{id}', () => {
  it('is final', async () => {
    const person = aPerson();
    const { id } = await directory.create('Users', person);
    expect((await directory.call('DELETE', `Users/${id}`)).statusCode).toBe(204);
    expect((await directory.call('GET', `Users/${id}`)).statusCode).toBe(404);
    expect((await directory.call('DELETE', `Users/${id}`)).json()).toMatchObject({ status: '404' });
    // the name and the external id are free again
    expect((await directory.create('Users', person)).id).not.toBe(id);
  });
});
