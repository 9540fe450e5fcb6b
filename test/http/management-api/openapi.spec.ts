import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/http/openapi/document.js';
import type { JsonSchema } from '../../../src/http/shared/schemas/json-schema.js';
import { anOwnApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { bodySchema, documentedCalls, type DocumentedCall } from '../../support/document-schemas.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { anonymous, fastifyRoutes } from './served-routes.js';

let pat: string;
let document: OpenApiDocument;
let calls: readonly DocumentedCall[];

const { api, world } = useWorld();
beforeAll(async () => {
  pat = (await aServiceUser(world, 'IAM_OWNER')).pat;
  document = (await api.app.inject('/openapi.json')).json<OpenApiDocument>();
  calls = documentedCalls(document);
});

describe('GET /openapi.json', () => {
  it('is an OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(document as unknown as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('is open to all, and is not sent twice to whoever has it', async () => {
    const first = await api.app.inject('/openapi.json');
    expect(first.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
    });
    const headers = { 'if-none-match': String(first.headers.etag) };
    expect((await api.app.inject({ url: '/openapi.json', headers })).statusCode).toBe(304);
  });

  it('has every route of the APIs and no other, and what it asks for', () => {
    expect(calls.length).toBeGreaterThan(8);
    const described = calls.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    const served = fastifyRoutes(api, /^\/(?:management|admin|auth)\/v1\//);
    expect(described.map(anonymous).toSorted()).toEqual(served.map(anonymous).toSorted());
    const unpermitted = calls.filter(({ operation }) => operation['x-permission'] === undefined);
    expect(unpermitted.filter(({ path }) => !path.startsWith('/auth/v1/'))).toEqual([]);
  });

  it('knows no route that is not served', async () => {
    const unserved: string[] = [];
    for (const { method, path } of calls) {
      const response = await api.app.inject({ method, url: path.replaceAll(/\{\w+\}/g, 'x') });
      // without a token the guard answers, and only where there is a route
      if (response.statusCode !== 401) unserved.push(`${method} ${path} ${response.statusCode}`);
    }
    expect(unserved).toEqual([]);
  });

  it('declares the code flow with both URLs for /auth/v1, and a bearer for the rest', () => {
    expect(document.components['securitySchemes']).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      openid: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://id.test/oauth/v2/authorize',
            tokenUrl: 'https://id.test/oauth/v2/token',
            scopes: { openid: expect.any(String) as string },
          },
        },
      },
    });
    for (const { path, operation } of calls) {
      const names = operation.security.flatMap((one) => Object.keys(one));
      expect(names).toEqual(path.startsWith('/auth/v1/') ? ['openid', 'bearer'] : ['bearer']);
    }
  });
});

/** Every object of the document with the path to it. */
function objectsOf(node: unknown, path = ''): readonly { path: string; schema: JsonSchema }[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => objectsOf(item, `${path}/${index}`));
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([name, value]) => objectsOf(value, `${path}/${name}`));
  return [{ path, schema: node as JsonSchema }, ...inner];
}

describe('what generators of clients make of the document', () => {
  const broken = (rule: (schema: JsonSchema, path: string) => boolean): readonly string[] =>
    objectsOf(document)
      .filter(({ schema, path }) => rule(schema, path))
      .map(({ path }) => path);

  it('is checked at all', () => {
    const objects = objectsOf(document);
    expect(objects.filter(({ schema }) => schema.type === 'boolean').length).toBeGreaterThan(20);
    expect(objects.filter(({ schema }) => schema.format === 'date-time').length).toBeGreaterThan(20);
    expect(objects.filter(({ schema }) => schema['unevaluatedProperties'] === false).length).toBeGreaterThan(
      20,
    );
  });

  it('is a boolean wherever there is one: no const, no enum', () => {
    expect(broken((schema) => 'const' in schema)).toEqual([]);
    expect(broken(({ type, enum: members }) => type === 'boolean' && members !== undefined)).toEqual([]);
  });

  it('is held to a format or to a pattern, not to both', () => {
    expect(broken(({ format, pattern }) => typeof format === 'string' && pattern !== undefined)).toEqual([]);
  });

  it('takes answers with fields that are not known yet', () => {
    const answered = /\/responses\/|^\/components\/schemas\/Error/;
    expect(
      broken((schema, path) => answered.test(path) && schema['unevaluatedProperties'] === false),
    ).toEqual([]);
  });

  it('is a map or has named fields, never both: a Java class that is a map sends none of its fields', () => {
    expect(broken((schema) => schema.type === 'object' && 'additionalProperties' in schema)).not.toEqual([]);
    expect(broken((schema) => 'properties' in schema && 'additionalProperties' in schema)).toEqual([]);
  });

  it('has no default of an object with named fields: in Go it would be `{}`, which does not compile', () => {
    expect(broken((schema) => 'properties' in schema && 'default' in schema)).toEqual([]);
  });

  it('has names for what an organization consists of, in its export and in its import', () => {
    const paths = objectsOf(document).map(({ path }) => path);
    for (const call of ['export', 'import']) {
      const humans = new RegExp(`^/paths//admin/v1/${call}/.*/orgs/items/properties/humanUsers$`);
      expect(paths).toContainEqual(expect.stringMatching(humans));
    }
  });

  it('sends a file as it is, in one media type, and JSON as an object', () => {
    const bodies = calls.flatMap(({ operation: { operationId, requestBody } }) =>
      requestBody === undefined ? [] : [{ operationId, content: Object.entries(requestBody.content) }],
    );
    const files = bodies.filter(({ content: [first] }) => first?.[0] !== 'application/json');
    expect(files.map(({ operationId }) => operationId)).toEqual(['Imports.add', 'Imports.retry']);
    for (const { operationId, content } of bodies) {
      const [[type, { schema }] = ['', { schema: {} }], ...others] = content;
      expect([operationId, others]).toEqual([operationId, []]);
      if (type === 'application/json') expect([operationId, schema.type]).toEqual([operationId, 'object']);
      else expect(schema).toMatchObject({ type: 'string', format: 'binary' });
    }
  });

  it('sends an object with the resend of a phone code', () => {
    const path = '/auth/v1/users/me/phone/_resend_verification';
    expect(document.paths[path]?.['post']?.requestBody).toEqual({
      required: true,
      content: {
        'application/json': { schema: { type: 'object', properties: {}, unevaluatedProperties: false } },
      },
    });
  });

  it('uploads a file of users without a media type of its own', async () => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/management/v1/imports?format=ndjson&dryRun=true',
      headers: { authorization: `Bearer ${pat}`, 'content-type': 'application/octet-stream' },
      payload:
        '{"userName":"u","profile":{"firstName":"A","lastName":"B"},"email":{"email":"a@mail.test"}}\n',
    });
    expect(response.statusCode).toBe(202);
  });

  it('is a TypeScript client that compiles', async () => {
    const folder = join(process.cwd(), '.data', `openapi-${randomUUID()}`);
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
      const types = ['openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'api.ts'];
      await run(folder, types);
      await writeFile(join(folder, 'client.ts'), CLIENT);
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
      const target = ['--target', 'es2023', '--module', 'nodenext', '--ignoreConfig'];
      await run(folder, ['typescript7/bin/tsc', '--noEmit', ...strict, ...target, 'client.ts']);
      await writeFile(join(folder, 'wrong.ts'), CLIENT.replace("'GENDER_FEMALE'", "'FEMALE'"));
      await expect(
        run(folder, ['typescript7/bin/tsc', '--noEmit', ...strict, ...target, 'wrong.ts']),
      ).rejects.toThrow();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function run(folder: string, [script = '', ...args]: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(process.cwd(), 'node_modules', script), ...args], {
    cwd: folder,
  });
}

/** What an integrator writes against the generated types: reads a human and writes them back. */
const CLIENT = `
import type { paths } from './api.js';

type Body<Path extends keyof paths, Method extends 'post' | 'put'> = paths[Path] extends {
  [M in Method]: { requestBody: { content: { 'application/json': infer Json } } };
} ? Json : never;
type Answer<Path extends keyof paths, Method extends 'get' | 'post' | 'put'> = paths[Path] extends {
  [M in Method]: { responses: { 200: { content: { 'application/json': infer Json } } } };
} ? Json : never;

declare function call<Json>(path: string, body?: unknown): Promise<Json>;

const human: Body<'/management/v1/users/human/_import', 'post'> = {
  userName: 'ada',
  profile: { firstName: 'Ada', lastName: 'Lovelace', gender: 'GENDER_FEMALE' },
  email: { email: 'ada@mail.test', isEmailVerified: true },
};
const nothing: Body<'/auth/v1/users/me/phone/_resend_verification', 'post'> = {};

export async function roundTrip(): Promise<string> {
  const { userId } = await call<Answer<'/management/v1/users/human/_import', 'post'>>('', human);
  const { user } = await call<Answer<'/management/v1/users/{id}', 'get'>>(userId);
  if (user.human === undefined) throw new Error('no human');
  const verified: boolean | undefined = user.human.email.isEmailVerified;
  const profile: Body<'/management/v1/users/{id}/profile', 'put'> = user.human.profile;
  const changed = await call<Answer<'/management/v1/users/{id}/profile', 'put'>>(userId, profile);
  await call('', nothing);
  return \`\${changed.details.changeDate} \${verified}\`;
}
`;

interface Fault {
  readonly what: string;
  readonly body: unknown;
}

/** A value that the schema allows, with required fields only; undefined when it takes more than a schema to know one. */
function sample(schema: JsonSchema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'integer':
      return schema['minimum'] ?? 1;
    case 'string':
      return schema.format === 'email'
        ? 'a@mail.test'
        : 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)));
    case undefined:
    default:
      return undefined;
  }
}

/** Everything that the schema forbids, one fault a body. */
function faults(
  schema: JsonSchema,
  wrap: (value: unknown) => unknown = (value) => value,
  path = '',
): readonly Fault[] {
  const whole = sample(schema) as Record<string, unknown>;
  const found: Fault[] = [{ what: `${path}notAField`, body: wrap({ ...whole, notAField: 1 }) }];
  for (const name of schema.required ?? []) {
    const { [name]: _, ...rest } = whole;
    found.push({ what: `no ${path}${name}`, body: wrap(rest) });
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const within = (value: unknown): unknown => wrap({ ...whole, [name]: value });
    for (const value of forbiddenValues(property)) {
      found.push({ what: `${path}${name} = ${JSON.stringify(value).slice(0, 40)}`, body: within(value) });
    }
    if (property.properties !== undefined) found.push(...faults(property, within, `${path}${name}.`));
  }
  return found;
}

function forbiddenValues(schema: JsonSchema): readonly unknown[] {
  if (schema.enum !== undefined) return ['NO_MEMBER', -1, {}];
  switch (schema.type) {
    case 'string':
      return [
        7,
        {},
        ...(typeof schema['maxLength'] === 'number' ? ['x'.repeat(schema['maxLength'] + 1)] : []),
        ...(Number(schema['minLength'] ?? 0) > 0 ? [''] : []),
      ];
    case 'boolean':
      return ['yes', 2];
    case 'array':
      return ['x', {}, ...(schema.maxItems === undefined ? [] : [Array(schema.maxItems + 1).fill('x')])];
    case 'integer':
      return ['many', 1.5];
    case 'object':
      return ['x', []];
    case undefined:
    default:
      return [];
  }
}

describe('the document and the routes', () => {
  it('forbid the same: every body that breaks the schema is refused, with a reason', async () => {
    const accepted: string[] = [];
    let tried = 0;
    // who changes their own address must have signed in a moment ago
    const own = await anOrganization(api);
    const signedIn = await obtainTokens(api, await anOwnApplication(own), await aUser(own), {
      scope: 'openid urn:zitadel:iam:org:project:id:zitadel:aud',
    });
    for (const { method, path: template, operation } of calls) {
      const schema = bodySchema(operation);
      // a file is read as it arrives, after everything else was looked at
      if (schema === undefined || template === '/admin/v1/import') continue;
      for (const { what, body } of faults(schema)) {
        tried += 1;
        const path = template.replaceAll(/\{\w+\}/g, '1');
        const token = path.startsWith('/auth/') ? signedIn.access_token : pat;
        const response = await call(api, method, path, { pat: token, body });
        const { code, message } = response.json<{ code: number; message: string }>();
        if (response.statusCode !== 400 || code !== 3 || message.length < 8) {
          accepted.push(
            `${method} ${template}: ${what}: ${response.statusCode} ${response.body.slice(0, 100)}`,
          );
        }
      }
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });
});

describe('GET /openapi', () => {
  const addresses = (body: string): readonly string[] =>
    [...body.matchAll(/(?:src|href)="(\/openapi\/[^"]+)"/g)].map(([, address = '']) => address);

  it('shows the document by files of our own alone, which may be kept for ever', async () => {
    const page = await api.app.inject('/openapi');
    expect(page.statusCode).toBe(200);
    const policy = String(page.headers['content-security-policy']);
    const nonce = /script-src 'nonce-([^']+)';/.exec(policy)?.[1] ?? '';
    expect(policy).toMatch(/^default-src 'none'; .*img-src 'self' data:; connect-src 'self'; /);
    expect(policy).not.toContain('unsafe');
    const scripts = [...page.body.matchAll(/<script([^>]*)>([^<]*)/g)];
    expect(scripts).toHaveLength(2);
    for (const [, attributes, inline] of scripts) {
      expect(attributes).toContain(` nonce="${nonce}" src="/openapi/`);
      expect(inline).toBe('');
    }
    expect(page.body).not.toMatch(/https?:/);
    expect(addresses(page.body)).toHaveLength(3);
    for (const address of addresses(page.body)) {
      const file = await api.app.inject(address);
      expect([address, file.statusCode]).toEqual([address, 200]);
      expect(file.headers).toMatchObject({
        'content-type': address.endsWith('.css')
          ? 'text/css; charset=utf-8'
          : 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await api.app.inject('/openapi/reference-0.js')).statusCode).toBe(404);
  });

  it('reads /openapi.json, leads there without scripts, and takes no token', async () => {
    const { body } = await api.app.inject('/openapi');
    expect(body).toMatch(/<noscript>.*<a href="\/openapi\.json">/s);
    const start = (await api.app.inject(addresses(body).at(-1) ?? '')).body;
    expect(start).toContain("url: '/openapi.json'");
    expect(start).toContain('supportedSubmitMethods: []');
    expect(start).toContain('persistAuthorization: false');
    expect(start).toContain('validatorUrl: null');
  });
});
