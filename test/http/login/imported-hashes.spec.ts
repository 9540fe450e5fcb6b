import { describe, expect, it } from 'vitest';
import { CheckPassword } from '../../../src/domain/passwords/check-password.js';
import { anApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, TestBrowser } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { importedHashes } from '../../support/imported-hashes.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const client = given(() => anApplication(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

async function imported(value: string): Promise<{ userId: string; loginName: string }> {
  const body = record({ hashedPassword: { value } });
  const response = await importHuman(api, owner.pat, body);
  expect(response.statusCode, response.body).toBe(200);
  const { userId } = response.json<{ userId: string }>();
  return { userId, loginName: `${String(body['userName'])}@${world.domain}` };
}

async function stored(userId: string): Promise<Record<string, unknown> | undefined> {
  const sql = 'SELECT hash, scheme, weak FROM user_passwords WHERE user_id = $1';
  return (await api.sql.query<Record<string, unknown>>(sql, [userId])).rows[0];
}

/** Where the browser is sent; undefined when the form comes back. */
async function signIn(loginName: string, password: string): Promise<string | undefined> {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  const response = await browser.post('/login', { ...fields, loginName, password });
  return response.headers.location;
}

describe('whoever was imported with a hash signs in with the password of old', () => {
  it.each(importedHashes.map((hash) => [`${hash.family}: ${hash.name}`, hash] as const))(
    '%s',
    async (_, { encoded, password, scheme, weak }) => {
      const { userId, loginName } = await imported(encoded);
      expect(await stored(userId)).toEqual({ hash: encoded, scheme, weak });

      expect(await signIn(loginName, `${password}.`)).toBeUndefined();
      expect(await stored(userId)).toEqual({ hash: encoded, scheme, weak });
      expect(await signIn(loginName, password)).toContain('code=');

      await api.app.get(CheckPassword).settled();
      const after = await stored(userId);
      expect(after?.['hash']).toMatch(/^\$argon2id\$/);
      expect(after).toMatchObject({ scheme: 'argon2id' });
      expect(await signIn(loginName, password)).toContain('code=');
    },
  );
});

describe('PASSWORD_SCHEMES_OFF', () => {
  it('keeps a scheme out of imports, and only that one', async () => {
    const strict = await anApi({ PASSWORD_SCHEMES_OFF: 'md5-plain, ldap' });
    const owner = await aServiceUser(await anOrganization(strict), 'ORG_OWNER');
    const refused = await importHuman(
      strict,
      owner.pat,
      record({ hashedPassword: { value: '5f4dcc3b5aa765d61d8327deb882cf99' } }),
    );
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('rule switched-off');
    expect((await importHuman(strict, owner.pat, record())).statusCode).toBe(200);
  });
});
