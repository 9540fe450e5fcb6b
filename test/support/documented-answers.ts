import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions } from 'fastify';
import { ApiRoutes, type ApiRoute } from '../../src/http/openapi/api-routes.js';

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
    if (known !== undefined && !streamed) check(known.route, payload ?? body, response.body);
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

function check({ name, document }: ApiRoute, sent: unknown, answered: string): void {
  // routes whose answers are made by their schema: the schema of the document is held to them in openapi.spec.ts
  if (document === undefined) return;
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
