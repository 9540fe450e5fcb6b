import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { ApiRoutes, type ApiRoute } from '../../src/http/openapi/api-routes.js';
import type { OpenApiDocument } from '../../src/http/openapi/openapi-document.js';
import type { RouteDocument } from '../../src/http/shared/documented.js';
import { bodySchema, documentedCalls, DocumentSchemas, type DocumentedCall } from './document-schemas.js';

/**
 * Holds every call that any test makes by `inject` to the OpenAPI document: what was answered with 200 must be what the
 * document says, and what was accepted must be what it allows. A field that somebody forgot to document fails the test
 * that sees it.
 */
export function heldToDocument(app: NestFastifyApplication): NestFastifyApplication {
  const routes = app
    .get(ApiRoutes)
    .list()
    .map((route) => ({ route, pattern: new RegExp(`^${route.path.replaceAll(/:[^/]+/g, '[^/]+')}$`) }));
  const inject = app.inject.bind(app);
  let document: Promise<Described> | undefined;
  const described = async (): Promise<Described> =>
    await (document ??= inject('/openapi.json').then((read) => describedBy(read.json<OpenApiDocument>())));
  const held = async (options: InjectOptions | string) => {
    const response = await inject(options);
    if (response.statusCode !== 200 && response.statusCode !== 202) return response;
    const {
      method = 'GET',
      url,
      path,
      payload,
      body,
    } = typeof options === 'string' ? { url: options } : options;
    const asked = pathOf(url ?? path);
    const known = routes.find(({ route, pattern }) => route.method === method && pattern.test(asked));
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const streamed = known?.route.document?.stream !== undefined && !isJson;
    if (known === undefined || streamed) return response;
    // until every route is an `@Operation`: the others are held to the schemas that they are described by
    if (known.route.document === undefined) {
      if (isJson) checkDescribed(await described(), known.route, payload ?? body, response);
    } else check(known.route, known.route.document, payload ?? body, response.body);
    return response;
  };
  // Nest's own application is a proxy that refuses to have anything replaced
  return new Proxy(app, {
    get: (target, name): unknown => (name === 'inject' ? held : Reflect.get(target, name, target)),
  });
}

function pathOf(url: unknown): string {
  return typeof url === 'string' ? (url.split('?', 1)[0] ?? '') : '';
}

interface Described {
  readonly schemas: DocumentSchemas;
  readonly calls: ReadonlyMap<string, DocumentedCall>;
}

function describedBy(document: OpenApiDocument): Described {
  const calls = documentedCalls(document).map((call) => [`${call.method} ${call.path}`, call] as const);
  return { schemas: new DocumentSchemas(document), calls: new Map(calls) };
}

function checkDescribed(
  { schemas, calls }: Described,
  { name, method, path }: ApiRoute,
  sent: unknown,
  { statusCode, body }: LightMyRequestResponse,
): void {
  const call = calls.get(`${method} ${path.replaceAll(/:([^/]+)/g, '{$1}')}`);
  if (call === undefined) throw new Error(`${name} is not in the OpenAPI document`);
  const answered = schemas.faultOfAnswer(call, statusCode, JSON.parse(body));
  if (answered !== undefined)
    throw new Error(`${name} answers what the OpenAPI document does not say: ${answered}\n${body}`);
  const { requestBody } = call.operation;
  // a file
  if (requestBody !== undefined && bodySchema(call.operation) === undefined) return;
  const given = typeof sent === 'string' && sent !== '' ? (JSON.parse(sent) as unknown) : sent;
  const accepted = schemas.faultOfBody(call, given === undefined ? undefined : withoutNull(given));
  if (accepted !== undefined)
    throw new Error(`${name} accepts what the OpenAPI document does not allow: ${accepted}\n${String(sent)}`);
}

function check({ name }: ApiRoute, document: RouteDocument, sent: unknown, answered: string): void {
  if (document.download !== undefined) return;
  const answer = document.answer.safeParse(JSON.parse(answered));
  if (!answer.success) {
    throw new Error(
      `${name} answers what the OpenAPI document does not say: ${answer.error.message}\n${answered}`,
    );
  }
  const accepted = document.body?.schema.safeParse(
    withoutNull(typeof sent === 'string' ? JSON.parse(sent) : sent),
  );
  if (accepted?.success === false) {
    throw new Error(`${name} accepts what the OpenAPI document does not allow: ${accepted.error.message}`);
  }
}

/** No body is an empty one. Bodies may say null for what is absent, and snake_case for lowerCamelCase (protocol §0.1); the document is silent on both. */
function withoutNull(value: unknown): unknown {
  if (value === undefined) return {};
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      withoutNull(inner),
    ]),
  );
}
