import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/http/openapi/document.js';
import { useApi } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { bodySchema, DocumentSchemas, type DocumentedCall } from '../../support/document-schemas.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aServiceUser } from '../../support/service-users.js';
import { TWILIO } from '../../support/sms.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';
import {
  DocumentWalk,
  isId,
  parametersOf,
  type Answered,
  type Fields,
  type Prepared,
  type Scope,
  type Sending,
} from './document-walk.js';

// Every call of the APIs as the OpenAPI document describes it, made from the document alone: each of its examples, the least
// of it that its schema asks for, that with every default said, no body where none need be sent; then what is refused. Every
// answer is held to its schema, and a field that is not in it fails. A new call is held to all of it unasked.

/** Their success needs what happens outside of the APIs; the tests named see it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'Imports.undo': 'a worker: workers/imports',
  'Imports.notify': 'a worker: workers/imports',
  'Imports.retry': 'a worker: workers/imports',
  'ImportStreams.follow': 'a stream without an end: http/management-api/imports.spec.ts',
  'OrganizationDomains.validate':
    'an earlier domain, which was not verified: http/management-api/organizations.spec.ts',
  'IdentityProviders.refresh': 'metadata that is served: http/identity-providers/saml-management.spec.ts',
  'InstanceIdentityProviders.refresh': 'the same',
  'RegistrationToken.replace':
    'an application that registered itself: http/client-registration/registration-tokens.spec.ts',
  'RegistrationToken.end': 'the same',
  'OwnConsents.withdraw': 'a page on which somebody agreed: http/security/management-access.spec.ts',
  'SigningKeys.activate': 'the lead of two weeks: http/management-api/keys.spec.ts',
  'OwnAccount.verify': 'a code: http/auth-api/own-account.spec.ts',
  'OwnFactors.finish': 'a code of an app: http/auth-api/own-factors.spec.ts',
  'OwnFactors.makeCodes': 'a factor: http/auth-api/own-factors.spec.ts',
  'OwnFactors.remove': 'an app: http/auth-api/own-factors.spec.ts',
  'UserFactors.removeApp': 'an app: http/auth-api/own-factors.spec.ts',
  'OwnCodeFactors.finishCodes': 'a code that arrived: http/login/code-factors.spec.ts',
  'OwnCodeFactors.removeCodes': 'codes that are sent: http/login/code-factors.spec.ts',
  'UserFactors.removeCodes': 'codes that are sent: http/login/code-factors.spec.ts',
  'OwnPasskeys.finish': 'an authenticator: http/auth-api/own-passkeys.spec.ts',
  'OwnPhone.verify': 'a code: http/auth-api/own-phone.spec.ts',
  'MessageTemplates.sendTest': 'a caller with an address: http/management-api/template-tests.spec.ts',
  'InstanceTemplates.sendTest': 'a caller with an address: http/management-api/template-tests.spec.ts',
};

/** What its example asks for is done by a worker. */
const EXAMPLES_ELSEWHERE: Readonly<Record<string, string>> = { 'DataImport.add': 'workers/imports' };

/** The same once more: it exists already. All others may be repeated, or are refused as 400 or 404. */
const CONFLICTS = [
  'AdminOrganizations.add',
  'Applications.addApi',
  'InstanceMembers.add',
  'OidcSettings.add',
  'OrganizationDomains.add',
  'OrganizationMembers.add',
  'Organizations.add',
  'ProjectGrants.add',
  'ProjectRoles.add',
  'Projects.addOidcApplication',
  'Projects.addProject',
  'ServiceUsers.add',
  'UserGrants.add',
  'UserIdentities.add',
  'UserList.addHuman',
  'Users.importHuman',
];

/** There is one of it, and no call removes it: from its second time on it is a conflict, once its body was looked at. */
const ONCE = 'OidcSettings.add';

/** Removing what is not there is done already. */
const DONE_ALREADY = 'SigningKeys.remove';

/** A file, whose type is asked for before its content. */
const TYPED = 'DataImport.add';

const api = useApi({ ...TWILIO, SMS_CAP_ORGANIZATION: 'off', SMS_CAP_PREFIX: 'off' });
const home = given(() => anOrganization(api));
const root = given(() => aServiceUser(home, 'IAM_OWNER'));
const nobody = given(() => aServiceUser(home));
const client = given(() => anOwnApplication(home));

let walk: DocumentWalk;
let document: OpenApiDocument;
let schemas: DocumentSchemas;
/** Who calls on their own account. */
let person: { readonly userId: string; readonly token: string };

beforeAll(async () => {
  document = (await api.app.inject('/openapi.json')).json<OpenApiDocument>();
  schemas = DocumentSchemas.of(document);
  const prepared: Prepared = {
    '/notifications/{id}': aNotification,
    '/sms_blocks/{prefix}': anSmsBlock,
    '/management/v1/users/{id}/sessions/{session}': async (scope) => {
      const userId = String((await scope.make('Users.importHuman')).answer['userId']);
      const other = await someone();
      const changes = { id: randomUUID(), user_id: userId, org_id: await scope.orgId() };
      await api.sql.query(
        `INSERT INTO sessions SELECT (jsonb_populate_record(s, $1)).* FROM sessions s WHERE user_id = $2`,
        [changes, other.userId],
      );
      return await aSession(userId);
    },
    '/consents/{application}': async () => await Promise.resolve(client.id),
    '/auth/v1/users/me/sessions/{session}': async () => await aSession(person.userId),
    '/auth/v1/users/me/passkeys/{passkeyId}': async () => await aPasskey(home.orgId, person.userId),
    '/management/v1/users/{id}/passkeys/{passkeyId}': async (scope) =>
      await aPasskey(await scope.orgId(), String((await scope.make('Users.importHuman')).answer['userId'])),
  };
  walk = new DocumentWalk(document, send, prepared, PASSWORD);
});

async function send(
  { method, path }: DocumentedCall,
  url: string,
  { body, orgId, token }: Sending,
): Promise<Answered> {
  const bearer = token ?? (path.startsWith('/auth/') ? person.token : root.pat);
  return await call(api, method, url, {
    pat: bearer === '' ? undefined : bearer,
    body,
    headers: {
      ...(orgId !== undefined && { 'x-zitadel-orgid': orgId }),
      ...(typeof body === 'string' && { 'content-type': 'application/octet-stream' }),
    },
  });
}

async function someone(): Promise<typeof person> {
  const user = await aUser(home);
  const { access_token: token } = await obtainTokens(api, client, user, { scope: `openid ${API_SCOPE}` });
  return { userId: user.userId, token };
}

async function aNotification(scope: Scope): Promise<string> {
  const id = randomUUID();
  await api.sql.query(
    `INSERT INTO notifications (id, org_id, user_id, channel, template, state, dead_letter, finished_at)
     VALUES ($1, $2, $3, 'email', 'password_changed', 'abandoned', true, now())`,
    [id, await scope.orgId(), (await scope.make('Users.importHuman')).answer['userId']],
  );
  return id;
}

async function anSmsBlock(): Promise<string> {
  await api.sql.query(
    `INSERT INTO sms_blocks (prefix, reason, blocked_until) VALUES ('+4179001', 'low_conversion', now() + interval '1 h')
     ON CONFLICT DO NOTHING`,
  );
  return '+4179001';
}

async function aPasskey(orgId: string, userId: string): Promise<string> {
  const id = randomUUID();
  await api.sql.query(
    `INSERT INTO passkeys (id, org_id, user_id, credential_id, public_key, user_handle, name)
     VALUES ($1, $2, $3, convert_to($1, 'UTF8'), '\\x00', '\\x00', 'Key')`,
    [id, orgId, userId],
  );
  return id;
}

async function aSession(userId: string): Promise<string> {
  const { rows } = await api.sql.query<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [
    userId,
  ]);
  return rows[0]?.id ?? '';
}

/** Does the same with every call that is described; gives what went wrong, by the call's name. */
async function withEach(
  does: (call: DocumentedCall, scope: Scope, which: number) => Promise<readonly (string | undefined)[]>,
  times: (call: DocumentedCall) => number = () => 1,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const one of walk.calls) {
    if (one.path.startsWith('/auth/')) person = await someone();
    const { operationId } = one.operation;
    for (let which = 0; which < times(one); which += 1) {
      try {
        for (const fault of await does(one, walk.scope(which), which))
          if (fault !== undefined) wrong.push(`${operationId}: ${fault}`);
      } catch (error) {
        wrong.push(`${operationId}: ${String(error)}`);
      }
    }
  }
  return wrong;
}

/** How many there are; one, too, where the body is an empty object. */
function examplesOf({ operation }: DocumentedCall): number {
  const [content] = Object.values(operation.requestBody?.content ?? {});
  return content === undefined ? 0 : (content.schema.examples?.length ?? 1);
}

/** What is wrong with an answer, undefined when it is the one expected, and as described. */
function held(
  described: DocumentedCall,
  { statusCode, body, headers }: Answered,
  expected: readonly number[],
  what = '',
): string | undefined {
  if (!expected.includes(statusCode)) return `${what} ${statusCode} ${body.slice(0, 200)}`.trim();
  if (!String(headers['content-type']).startsWith('application/json')) return undefined;
  const fault = schemas.faultOfAnswer(described, statusCode, JSON.parse(body));
  return fault === undefined ? undefined : `${what} ${statusCode} ${fault} ${body.slice(0, 200)}`.trim();
}

const SUCCESS = [200, 202];

function isElsewhere({ operation }: DocumentedCall): boolean {
  return ELSEWHERE[operation.operationId] !== undefined;
}

/** Codes are sent a minute apart, and making somebody sends one. */
const AFTER_A_WHILE = /resend|resetPassword/i;

async function prepared(described: DocumentedCall, scope: Scope): ReturnType<Scope['prepare']> {
  const ready = await scope.prepare(described);
  if (AFTER_A_WHILE.test(described.operation.operationId)) await api.advance(120);
  return ready;
}

describe('every call of the OpenAPI document', () => {
  it('is one of many, and exceptions are of calls that exist', () => {
    expect(walk.calls.length).toBeGreaterThan(150);
    const named = [...Object.keys(ELSEWHERE), ...CONFLICTS];
    for (const operationId of named) expect(() => walk.find(operationId)).not.toThrow();
  });

  it('succeeds with the least that its body must have, or none, and conflicts where the thing exists', async () => {
    const conflicts: string[] = [];
    const wrong = await withEach(async (described, scope) => {
      if (isElsewhere(described)) return [];
      const { ids, body } = await prepared(described, scope);
      const first = await scope.call(described, { ids, body });
      const again = await scope.call(described, { ids, body });
      if (again.statusCode === 409) conflicts.push(described.operation.operationId);
      const isFile = typeof body === 'string';
      return [
        held(described, first, SUCCESS),
        isFile ? undefined : schemas.faultOfBody(described, body),
        // the own sessions are over, the organization is gone, a code was just sent
        held(described, again, [...SUCCESS, 400, 401, 403, 404, 409, 429], 'again'),
      ];
    });
    expect(wrong).toEqual([]);
    expect(conflicts.toSorted()).toEqual(CONFLICTS);
  });

  it('succeeds with each example of its body', async () => {
    let sent = 0;
    const wrong = await withEach(async (described, scope, which) => {
      if (isElsewhere(described) || described.operation.operationId in EXAMPLES_ELSEWHERE) return [];
      const { ids, example } = await prepared(described, scope);
      if (example === undefined) return [];
      sent += 1;
      const expected = described.operation.operationId === ONCE ? [409] : SUCCESS;
      return [
        held(described, await scope.call(described, { ids, body: example }), expected, `example ${which}`),
      ];
    }, examplesOf);
    expect(wrong).toEqual([]);
    expect(sent).toBeGreaterThan(75);
  });

  it('takes every default of its body said, and an optional body empty', async () => {
    let said = 0;
    const wrong = await withEach(async (described, scope) => {
      const schema = bodySchema(described.operation);
      if (schema === undefined || isElsewhere(described)) return [];
      const { ids, body = {} } = await prepared(described, scope);
      const whole = scope.withDefaults(schema, body as Fields);
      said += Object.keys(whole).length;
      const expected = described.operation.operationId === ONCE ? [409] : SUCCESS;
      return [
        held(described, await scope.call(described, { ids, body: whole }), expected, JSON.stringify(whole)),
        schemas.faultOfBody(described, whole),
      ];
    });
    expect(wrong).toEqual([]);
    expect(said).toBeGreaterThan(100);
  });

  it('is 401 without a token', async () => {
    const wrong = await withEach(async (described, scope) => {
      const { ids, body } = await scope.prepare(described);
      return [held(described, await scope.call(described, { ids, body, token: '' }), [401])];
    });
    expect(wrong).toEqual([]);
  });

  it('is 403 for whoever lacks its permission', async () => {
    let asked = 0;
    const wrong = await withEach(async (described, scope) => {
      // on one's own account nothing is permitted by anybody
      if (described.operation['x-permission'] === undefined) return [];
      asked += 1;
      const { ids, body } = await scope.prepare(described);
      return [held(described, await scope.call(described, { ids, body, token: nobody.pat }), [403])];
    });
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(150);
  });

  it('is 404 for any id that nobody has', async () => {
    let asked = 0;
    const wrong = await withEach(async (described, scope) => {
      if (!described.path.includes('{')) return [];
      const { ids, body } = await scope.prepare(described);
      const found: (string | undefined)[] = [];
      for (const name of Object.keys(ids).filter((one) => isId(described, one))) {
        asked += 1;
        const answered = await scope.call(described, { ids: { ...ids, [name]: 'nobodys' }, body });
        const expected = described.operation.operationId === DONE_ALREADY ? 200 : 404;
        found.push(held(described, answered, [expected], name));
      }
      return found;
    });
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(100);
  });

  it('is 400 without what it requires, with a field that is not described, and with a query that is not allowed', async () => {
    let asked = 0;
    const wrong = await withEach(async (described, scope) => {
      const { method, operation } = described;
      const { ids, body } = await scope.prepare(described);
      const found: (string | undefined)[] = [];
      const refuse = async (what: string, sending: Sending): Promise<void> => {
        asked += 1;
        found.push(held(described, await scope.call(described, { ids, ...sending }), [400], what));
      };
      const { requestBody } = operation;
      const schema = bodySchema(operation);
      if (requestBody === undefined ? method !== 'GET' : schema !== undefined)
        await refuse('notAField', { body: { ...(body as Fields | undefined), notAField: 1 } });
      if (requestBody?.required === true && operation.operationId !== TYPED) await refuse('no body', {});
      // nothing is left in it that may be missing, be it required by itself or beside another field
      for (const name of requestBody?.required === true && schema !== undefined
        ? Object.keys(body as Fields)
        : []) {
        const { [name]: _, ...rest } = body as Fields;
        await refuse(`no ${name}`, { body: rest });
      }
      for (const parameter of parametersOf(described, 'query')) {
        if (parameter.schema.enum === undefined) continue;
        await refuse(`?${parameter.name}`, { query: { [parameter.name]: 'NO_MEMBER' }, body });
      }
      return found;
    });
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(200);
  });
});
