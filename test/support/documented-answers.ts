import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { OpenApiDocument } from '../../src/http/openapi/document.js';
import { bodySchema, documentedCalls, DocumentSchemas, type DocumentedCall } from './document-schemas.js';

/** Its body is a file: what stands in it and is not allowed costs itself, not the import. */
const READ_AS_IT_ARRIVES = '/admin/v1/import';

// No setting changes it, and it takes a second to make: once for all files of a process.
let document: Promise<Described> | undefined;

/**
 * Holds every call that any test makes by `inject` to the OpenAPI document: what was answered with 200 must be what the
 * document says, and what was accepted must be what it allows. A field that somebody forgot to document fails the test
 * that sees it.
 */
export function heldToDocument(app: NestFastifyApplication): NestFastifyApplication {
  const inject = app.inject.bind(app);
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
    if (!/^\/(?:management|admin|auth)\/v1\//.test(asked)) return response;
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const { schemas, calls } = await described();
    const call = calls.find((one) => one.call.method === method && one.pattern.test(asked))?.call;
    if (call !== undefined && isJson) check(schemas, call, payload ?? body, response);
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
  readonly calls: readonly { readonly call: DocumentedCall; readonly pattern: RegExp }[];
}

function describedBy(document: OpenApiDocument): Described {
  const calls = documentedCalls(document)
    .map((call) => ({
      call,
      pattern: new RegExp(`^${call.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      placeholders: call.path.split('{').length,
    }))
    // a word counts more than a placeholder that it would do for
    .toSorted((one, other) => one.placeholders - other.placeholders);
  return { schemas: DocumentSchemas.of(document), calls };
}

function check(
  schemas: DocumentSchemas,
  call: DocumentedCall,
  sent: unknown,
  { statusCode, body }: LightMyRequestResponse,
): void {
  const { operationId, requestBody } = call.operation;
  const answered = schemas.faultOfAnswer(call, statusCode, JSON.parse(body));
  if (answered !== undefined)
    throw new Error(`${operationId} answers what the OpenAPI document does not say: ${answered}\n${body}`);
  const isFile = requestBody !== undefined && bodySchema(call.operation) === undefined;
  if (isFile || call.path === READ_AS_IT_ARRIVES) return;
  const given = typeof sent === 'string' && sent !== '' ? (JSON.parse(sent) as unknown) : sent;
  const asSent = schemas.faultOfBody(call, asDocumented(given, [null]));
  // empty text counts as none given, where none need be
  const accepted = asSent && schemas.faultOfBody(call, asDocumented(given, [null, '']));
  if (accepted !== undefined) {
    const what = `${operationId} accepts what the OpenAPI document does not allow`;
    throw new Error(`${what}: ${accepted}\n${String(sent)}`);
  }
}

/** Bodies may say null for what is absent, and snake_case for lowerCamelCase (protocol §0.1); the document is silent on both. */
function asDocumented(value: unknown, absent: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((one) => asDocumented(one, absent));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => !absent.includes(inner));
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      asDocumented(inner, absent),
    ]),
  );
}
