import { z } from 'zod';
import type { Media, RouteDocument } from '../shared/documented.js';
import type { ApiRoute } from './api-routes.js';

/** OpenAPI 3.1.1, whose schemas are JSON Schema 2020-12. Only what readers of it need is typed. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The permission that the caller needs in the organization that the call acts in. */
  readonly 'x-permission'?: string;
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly maxItems?: number;
  readonly format?: string;
  readonly [keyword: string]: unknown;
}

const TAGS = [
  {
    prefix: '/auth/v1/',
    name: 'auth',
    description: 'What a signed-in user does on their own account.',
  },
  {
    prefix: '/management/v1/',
    name: 'management',
    description: 'Users, projects, applications and policies of one organization.',
  },
  { prefix: '/admin/v1/', name: 'admin', description: 'The instance and all its organizations.' },
] as const;

const DESCRIPTION = `Every call is made with \`Authorization: Bearer <token>\`: a personal access token of a service user, or an access
token whose audience holds the service itself (scope \`urn:zitadel:iam:org:project:id:zitadel:aud\`).

Field names are lowerCamelCase; snake_case is taken as well. A field that is not listed is refused by its name. Zero values
(empty text, 0, false, empty lists) are left out of answers. 64-bit numbers are strings. Success is 200, or 202 for what goes on after the answer.

The OAuth 2.0 and OpenID Connect endpoints describe themselves at \`/.well-known/openid-configuration\`.`;

const ERRORS: Readonly<Record<string, string>> = {
  '400': 'The body, the path or the state of things does not allow it; `message` says what and where.',
  '401': 'No token, or none that is valid here.',
  '403': 'The caller has no role that allows this in this organization.',
  '404': 'There is no such thing in this organization.',
  '409': 'It exists already, or a call with the same Idempotency-Key is still running.',
  '429': 'Too many calls; `Retry-After` says for how long to wait, in seconds.',
};

/** The whole document. @throws when a route is not documented or two have the same name */
export function openApiDocument(
  issuer: string,
  version: string,
  routes: readonly ApiRoute[],
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  const names = new Set<string>();
  for (const route of routes) {
    if (names.has(route.name)) throw new Error(`two routes are called ${route.name}`);
    names.add(route.name);
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Identity service', version, description: DESCRIPTION },
    servers: [{ url: issuer }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: { Error: errorSchema() },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, text]) => [`E${status}`, errorAnswer(text)]),
      ),
      parameters: sharedParameters(),
      securitySchemes: securitySchemes(issuer),
    },
  };
}

function operation({ method, path, name, permission, document }: ApiRoute): Operation {
  if (document === undefined) throw new Error(`${method} ${path} is not documented`);
  const own = path.startsWith('/auth/v1/');
  const writes = method !== 'GET';
  const parameters = [
    ...[...path.matchAll(/:([^/]+)/g)].map(([, parameter]) => pathParameter(parameter ?? '')),
    ...queryParameters(document.query?.schema),
    ...(own ? [] : [reference('parameters', 'organization')]),
    ...(writes ? [reference('parameters', 'idempotencyKey')] : []),
  ];
  return {
    operationId: name,
    tags: TAGS.filter(({ prefix }) => path.startsWith(prefix)).map((tag) => tag.name),
    summary: document.summary,
    ...(document.description !== undefined && { description: document.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(document.body !== undefined && {
      requestBody: {
        required: document.bodyRequired ?? !document.body.schema.safeParse({}).success,
        content: { 'application/json': { schema: jsonSchema(document.body.schema, 'input') } },
      },
    }),
    ...(document.upload !== undefined && {
      requestBody: {
        required: document.bodyRequired ?? true,
        // generators would write what is a plain string as JSON text
        content: media(document.upload, 'input', { type: 'string', format: 'binary' }),
      },
    }),
    responses: {
      ...Object.fromEntries(
        (document.statuses ?? [200]).map((status) => [status, success(status, document)]),
      ),
      ...Object.fromEntries(
        Object.keys(ERRORS).map((status) => [status, reference('responses', `E${status}`)]),
      ),
    },
    security: own ? [{ openid: ['openid'] }, { bearer: [] }] : [{ bearer: [] }],
    ...(permission !== undefined && { 'x-permission': permission }),
  };
}

function success(status: 200 | 202, { answer, download, stream }: RouteDocument): object {
  const json = { 'application/json': { schema: jsonSchema(answer, 'output') } };
  return {
    description: status === 200 ? 'Done.' : 'Begun; `Location` tells where to ask for it.',
    content: download
      ? media(download, 'output', { type: 'string' })
      : { ...json, ...(stream && media(stream, 'output', { type: 'string' })) },
  };
}

function media(
  types: Media,
  io: 'input' | 'output',
  text: JsonSchema,
): Record<string, { schema: JsonSchema }> {
  return Object.fromEntries(
    Object.entries(types).map(([type, is]) => [
      type,
      { schema: typeof is === 'string' ? { ...text, description: is } : jsonSchema(is, io) },
    ]),
  );
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: written }) => forGenerators(written, io),
  });
  return rest as JsonSchema;
}

/** JSON Schema says the same in several ways, of which the generators of clients understand one. */
function forGenerators(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  if (schema.const !== undefined) {
    if (schema.type !== 'boolean') schema.enum = [schema.const];
    delete schema.const;
  }
  // the format says it, and generators check the pattern against what they have made of the text
  if (schema.format !== undefined) delete schema.pattern;
  // Any statement of `additionalProperties` beside named ones makes a map of a Java class, which then sends none of its
  // fields. A field that a later version answers must not break a client of this one.
  if (schema.properties !== undefined) {
    if (io === 'input' && schema.additionalProperties === false) schema.unevaluatedProperties = false;
    delete schema.additionalProperties;
  }
}

function reference(kind: string, name: string): object {
  return { $ref: `#/components/${kind}/${name}` };
}

function pathParameter(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'string', pattern: '^[!-~]{1,200}$' } };
}

function queryParameters(schema: z.ZodType | undefined): readonly object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input');
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }));
}

function sharedParameters(): Record<string, object> {
  return {
    organization: {
      name: 'x-zitadel-orgid',
      in: 'header',
      required: false,
      description: 'The organization to act in; without it the caller’s own. `x-org-id` means the same.',
      schema: { type: 'string' },
    },
    idempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes a repetition safe for 24 hours: the same key with the same body gets the same answer, and nothing ' +
        'is done twice. With another body it is refused.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  };
}

/** RFC 6749 §4.1 for people; everything else brings a token that it has already. */
function securitySchemes(issuer: string): Record<string, object> {
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'A personal access token, or an access token for the service’s own audience.',
    },
    openid: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: `${issuer}/oauth/v2/authorize`,
          tokenUrl: `${issuer}/oauth/v2/token`,
          scopes: { openid: 'Act on one’s own account.' },
        },
      },
    },
  };
}

function errorAnswer(description: string): object {
  return { description, content: { 'application/json': { schema: reference('schemas', 'Error') } } };
}

function errorSchema(): JsonSchema {
  return jsonSchema(
    z.strictObject({
      code: z.int().min(1).max(16).meta({ description: 'Number of the gRPC status.' }),
      message: z
        .string()
        .meta({ description: 'What is wrong, with the field’s name; then the error’s id, if it has one.' }),
      details: z
        .array(z.strictObject({ '@type': z.string(), id: z.string(), message: z.string() }))
        .optional(),
    }),
    'output',
  );
}
