import type { INestApplication } from '@nestjs/common';
import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { ID_FORM } from '../../domain/shared/ids.js';
import { apiErrorSchema } from '../shared/api-errors.js';
import { describeHandlers } from '../shared/schemas/described.js';
import { jsonSchema, type JsonSchema } from '../shared/schemas/json-schema.js';

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
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The permission that the caller needs in the organization that the call acts in. */
  readonly 'x-permission'?: string;
  /** Where the sign-in of a person counts as well (RFC 9470): always, or where the body gives one of these fields. */
  readonly 'x-step-up'?: 'always' | readonly string[];
  /** Accepts `If-Match`, which is described as a parameter, not under this name. */
  readonly 'x-if-match'?: boolean;
}

/** Of a path or a query, or a reference to what all calls have. */
export interface Parameter {
  readonly in?: string;
  readonly name?: string;
  readonly schema?: JsonSchema;
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

const CHANGED_MEANWHILE =
  'What `If-Match` names is no longer so: somebody changed it meanwhile. Nothing was done.';

const ERRORS: Readonly<Record<string, string>> = {
  '400': 'The body, the path or the state of things does not allow it; `message` says what and where.',
  '401':
    'No token, or none that is valid here. `WWW-Authenticate` with `insufficient_user_authentication` says how a person ' +
    'has to sign in for it (RFC 9470); `x-step-up` says of which calls that may be asked.',
  '403': 'The caller has no role that allows this in this organization.',
  '404': 'There is no such thing in this organization.',
  '409': 'It exists already, or a call with the same Idempotency-Key is still running.',
  '429': 'Too many calls; `Retry-After` says for how long to wait, in seconds.',
};

/**
 * The document of every route under the APIs' paths, which `@nestjs/swagger` reads from the controllers, with what all of
 * them have in common. @throws when a route has no summary or two have the same name
 */
export async function openApiDocument(
  app: INestApplication,
  issuer: string,
  version: string,
): Promise<OpenApiDocument> {
  const { DocumentBuilder, SwaggerModule } = await describeHandlers();
  const read = SwaggerModule.createDocument(app, headOf(new DocumentBuilder(), issuer, version), {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}.${method}`,
    standardSchemaConverter: (schema, { schemaType }) =>
      schema instanceof z.ZodType ? { schema: keepingExamples(jsonSchema(schema, schemaType)) } : undefined,
  });
  const routes = Object.entries(read.paths as unknown as OpenApiDocument['paths']).filter(([path]) =>
    TAGS.some(({ prefix }) => path.startsWith(prefix)),
  );
  const names = new Set<string>();
  const paths = routes.map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => {
        if (operation.summary === undefined) throw new Error(`${method} ${path} is not documented`);
        if (names.has(operation.operationId))
          throw new Error(`two routes are called ${operation.operationId}`);
        names.add(operation.operationId);
        return [method, complete(path, method, operation)];
      }),
    ),
  ]);
  const { contact: _, ...info } = read.info;
  return { ...read, info, paths: Object.fromEntries(paths) } as unknown as OpenApiDocument;
}

function headOf(builder: DocumentBuilder, issuer: string, version: string): Omit<OpenAPIObject, 'paths'> {
  builder
    .setOpenAPIVersion('3.1.1')
    .setTitle('Identity service')
    .setVersion(version)
    .setDescription(DESCRIPTION)
    .addServer(issuer);
  for (const { name, description } of TAGS) builder.addTag(name, description);
  return {
    ...builder.build(),
    components: {
      schemas: { Error: jsonSchema(apiErrorSchema, 'output') },
      responses: Object.fromEntries(
        Object.entries({ ...ERRORS, '412': CHANGED_MEANWHILE }).map(([status, text]) => [
          `E${status}`,
          errorAnswer(text),
        ]),
      ),
      parameters: sharedParameters(),
      securitySchemes: securitySchemes(issuer),
    },
  } as unknown as Omit<OpenAPIObject, 'paths'>;
}

/** Parameters, errors and security, which follow from the path and the method. */
function complete(path: string, method: string, operation: Operation): Operation {
  const own = path.startsWith('/auth/v1/');
  const parameters = [
    ...[...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => pathParameter(name, operation)),
    ...(operation.parameters ?? []).filter((parameter) => parameter.in !== 'path').map(saidOnce),
    ...(own ? [] : [reference('parameters', 'organization')]),
    ...(method === 'get' ? [] : [reference('parameters', 'idempotencyKey')]),
    ...(operation['x-if-match'] === true ? [reference('parameters', 'ifMatch')] : []),
  ];
  const { parameters: _, requestBody, 'x-if-match': takesIfMatch, ...rest } = operation;
  return {
    ...rest,
    ...requestBodyOf(requestBody),
    ...(!own && method === 'delete' && { 'x-step-up': 'always' as const }),
    tags: TAGS.filter(({ prefix }) => path.startsWith(prefix)).map((tag) => tag.name),
    ...(parameters.length > 0 && { parameters }),
    responses: {
      ...operation.responses,
      ...Object.fromEntries(
        Object.keys(ERRORS).map((status) => [status, reference('responses', `E${status}`)]),
      ),
      ...(takesIfMatch === true && { '412': reference('responses', 'E412') }),
    },
    security: own ? [{ openid: ['openid'] }, { bearer: [] }] : [{ bearer: [] }],
  };
}

/** A parameter is described beside its schema; Nest leaves the words in the schema, too. */
function saidOnce(parameter: Parameter): object {
  if (parameter.schema === undefined) return parameter;
  const { description: _, ...schema } = withExamples(parameter.schema);
  return { ...parameter, schema };
}

/** What `withExamples` finds again. */
function keepingExamples(schema: JsonSchema): JsonSchema {
  return schema.examples === undefined ? schema : { ...schema, example: schema.examples[0] };
}

/** Nest makes `examples` the one `example` that OpenAPI 3.1 has given up, unless there is one already. */
function withExamples({ example, ...schema }: JsonSchema): JsonSchema {
  return example === undefined ? schema : { examples: [example], ...schema };
}

/** A body that may be left out has a default, which is enough; one that says nothing is not asked for. */
function requestBodyOf(body: Operation['requestBody']): Pick<Operation, 'requestBody'> {
  const described = body?.content['application/json']?.schema;
  if (body === undefined) return {};
  if (described === undefined) return { requestBody: body };
  const { default: whenMissing, ...schema } = withExamples(described);
  if (whenMissing !== undefined && Object.keys(schema.properties ?? {}).length === 0) return {};
  const required = whenMissing === undefined ? body.required : schema['minProperties'] !== undefined;
  return { requestBody: { ...body, required, content: { 'application/json': { schema } } } };
}

function reference(kind: string, name: string): object {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Ids, but for what says of itself which words it may be. */
function pathParameter(name: string, { parameters = [] }: Operation): object {
  const own = withExamples(parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {});
  const word = {
    type: 'string',
    pattern: ID_FORM.source,
    ...(own.examples && { examples: own.examples }),
  };
  return { name, in: 'path', required: true, schema: own.enum === undefined ? word : own };
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
    ifMatch: {
      name: 'If-Match',
      in: 'header',
      required: false,
      description:
        'The `details.sequence` that was read, in quotation marks, as the `ETag` of GET has it: the change is made only ' +
        'where nobody else made one since (RFC 9110 §13.1.1).',
      schema: { type: 'string', examples: ['"5"'] },
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
