import { describe, expect, it } from 'vitest';
import { anOwnApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const user = given(() => aUser(world));
const robot = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));

type Method = 'POST' | 'PUT';
const BAD = 'Acme\u202Egnp';
const reason = (field: string) => `${field} must not contain U+202E, which turns the direction of text`;

describe('S205: a character that turns the direction of text is refused in every name that pages and mails show', () => {
  const names: readonly (readonly [string, Method, () => string, object, string])[] = [
    [
      'of a user',
      'POST',
      () => 'users/human',
      record({ userName: BAD, hashedPassword: undefined }),
      'userName',
    ],
    [
      'of a person',
      'POST',
      () => 'users/human/_import',
      record({ profile: { firstName: BAD, lastName: 'B' } }),
      'profile.firstName',
    ],
    ['changed', 'PUT', () => `users/${user.userId}/profile`, { firstName: 'A', lastName: BAD }, 'lastName'],
    [
      'nick',
      'PUT',
      () => `users/${user.userId}/profile`,
      { firstName: 'A', lastName: 'B', nickName: BAD },
      'nickName',
    ],
    [
      'display',
      'PUT',
      () => `users/${user.userId}/profile`,
      { firstName: 'A', lastName: 'B', displayName: BAD },
      'displayName',
    ],
    ['user name changed', 'PUT', () => `users/${user.userId}/username`, { userName: BAD }, 'userName'],
    ['of a service user', 'POST', () => 'users/machine', { userName: 'robot-2', name: BAD }, 'name'],
    ['user name of a service user', 'POST', () => 'users/machine', { userName: BAD, name: 'R' }, 'userName'],
    ['of a service user changed', 'PUT', () => `users/${robot.userId}/machine`, { name: BAD }, 'name'],
    ['of an organization', 'POST', () => 'orgs', { name: BAD }, 'name'],
    ['of an organization changed', 'PUT', () => 'orgs/me', { name: BAD }, 'name'],
    ['on its pages', 'PUT', () => 'policies/branding', { displayName: BAD }, 'displayName'],
    ['of a project', 'POST', () => 'projects', { name: BAD }, 'name'],
    [
      'of a role',
      'POST',
      () => `projects/${world.projectId}/roles`,
      { roleKey: 'r', displayName: BAD },
      'displayName',
    ],
    [
      'of an application',
      'POST',
      () => `projects/${world.projectId}/apps/oidc`,
      { name: BAD, redirectUris: ['https://rp.test/cb'] },
      'name',
    ],
    ['of an API', 'POST', () => `projects/${world.projectId}/apps/api`, { name: BAD }, 'name'],
  ];

  it.each(names)('%s', async (_, method, path, body, field) => {
    const answer = await root.call(method, path(), body);
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([400, reason(field)]);
  });

  it('by the user as well', async () => {
    const { access_token: pat } = await obtainTokens(api, await anOwnApplication(world), user, {
      scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
    });
    const body = { firstName: 'Ada', lastName: BAD };
    const answer = await call(api, 'PUT', '/auth/v1/users/me/profile', { pat, body });
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      400,
      reason('lastName'),
    ]);
  });
});

describe('S204: an address with an encoded word is refused wherever one is taken', () => {
  const email = '=?utf-8?q?ada=40evil.test=3e=00?=@mail.test';
  const refused = {
    code: 3,
    message:
      'Email must not contain an encoded word (=?…?=), which mail programs read as another address (EMAIL-Ew47d)',
  };

  it.each<readonly [Method, () => string, object]>([
    [
      'POST',
      () => 'users/human',
      record({ email: { email, isEmailVerified: true }, hashedPassword: undefined }),
    ],
    ['POST', () => 'users/human/_import', record({ email: { email, isEmailVerified: true } })],
    ['PUT', () => `users/${user.userId}/email`, { email }],
  ])('%s %s', async (method, path, body) => {
    const answer = await root.call(method, path(), body);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, refused]);
  });

  it('by the user as well', async () => {
    const { access_token: pat } = await obtainTokens(api, await anOwnApplication(world), user, {
      scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
    });
    const answer = await call(api, 'PUT', '/auth/v1/users/me/email', { pat, body: { email } });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, refused]);
  });
});
