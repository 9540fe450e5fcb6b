import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const robot = given(() => aServiceUser(world));

const post = (path: string, body: object) => owner.call('POST', path, body);

async function expectBound(
  add: (name: string) => Promise<LightMyRequestResponse>,
  fill: string,
  values: readonly string[],
  text: string,
): Promise<void> {
  expect((await add('before')).statusCode).toBe(200);
  await api.sql.query(fill, [...values]);
  const refused = await add('past');
  expect([refused.statusCode, refused.json()]).toEqual([
    400,
    expect.objectContaining(errorBody(9, `${text}: remove one first`, 'LIMITS-6Mo2w')),
  ]);
}

describe('S200: objects that calls could add without limit', () => {
  it('S200: personal access tokens of a service user, those that were revoked left out', async () => {
    await expectBound(
      () => post(`users/${robot.userId}/pats`, {}),
      `INSERT INTO personal_access_tokens (org_id, user_id, token_hash, revoked_at)
       SELECT $1, $2, sha256(n::text::bytea), CASE WHEN n > 998 THEN app_now() END FROM generate_series(1, 2000) AS n`,
      [world.orgId, robot.userId],
      'A service user can have 1,000 personal access tokens',
    );
  });

  it('S200: keys of a service user', async () => {
    await expectBound(
      () => post(`users/${robot.userId}/keys`, {}),
      `INSERT INTO service_user_keys (org_id, user_id, public_jwk, expires_at)
       SELECT $1, $2, '{}', app_now() FROM generate_series(1, 999)`,
      [world.orgId, robot.userId],
      'A service user can have 1,000 keys',
    );
  });

  it('S200: keys of an application', async () => {
    const client = await anApplication(world, { authMethod: 'private_key_jwt' });
    await expectBound(
      () => post(`projects/${world.projectId}/apps/${client.id}/keys`, {}),
      `INSERT INTO application_keys (org_id, application_id, public_jwk, expires_at)
       SELECT $1, $2, '{}', app_now() FROM generate_series(1, 999)`,
      [world.orgId, client.id],
      'An application can have 1,000 keys',
    );
  });

  it('S200: roles of a project', async () => {
    await expectBound(
      (name) => post(`projects/${world.projectId}/roles`, { roleKey: name, displayName: name }),
      `INSERT INTO project_roles (org_id, project_id, key, display_name)
       SELECT $1, $2, 'role-' || n, 'x' FROM generate_series(1, 4999) AS n`,
      [world.orgId, world.projectId],
      'A project can have 5,000 roles',
    );
  });

  it('S200: domains of an organization', async () => {
    await expectBound(
      (name) => post('orgs/me/domains', { domain: `${name}.bound.test` }),
      `INSERT INTO organization_domains (org_id, domain, validation_token)
       SELECT $1, 'd' || n || '.bound.test', 'x' FROM generate_series(1, 998) AS n`,
      [world.orgId],
      'An organization can have 1,000 domains',
    );
  });
});
