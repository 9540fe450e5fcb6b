import type { Permission } from '../../../src/domain/permissions/permissions.js';
import { ReadDocument } from '../../../src/http/openapi/read-document.js';
import type { TestApi } from '../../support/api.js';
import type { Method } from '../../support/calls.js';
import { documentedCalls } from '../../support/document-schemas.js';

/** A route of the privileged APIs. */
export interface ServedRoute {
  readonly method: Method;
  /** With its placeholders: `/management/v1/users/:id`. */
  readonly path: string;
  /** Undefined for a route that names none. */
  readonly permission: Permission | undefined;
}

const PRIVILEGED = /^\/(management|admin)\/v1(\/|$)/;

/** Every route under /management/v1 and /admin/v1 that the OpenAPI document has: `every-route.spec.ts` holds it to be all. */
export async function privilegedRoutes({ app }: TestApi): Promise<readonly ServedRoute[]> {
  return documentedCalls(await app.get(ReadDocument).document())
    .filter(({ path }) => PRIVILEGED.test(path))
    .map(({ method, path, operation }) => ({
      method,
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      permission: operation['x-permission'] as Permission | undefined,
    }));
}

/** Whatever a placeholder is called: where two routes call one differently, Fastify knows it by both names. */
export function anonymous(route: string): string {
  return route.replace(/:[^/]+/g, ':');
}

/** `METHOD /path` of everything that Fastify answers there, HEAD and OPTIONS aside: read from its own tree. */
export function fastifyRoutes({ app }: TestApi, under = PRIVILEGED): readonly string[] {
  const tree = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const found = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (found === null) return [];
    const [, indent = '', part = '', methods = ''] = found;
    const depth = indent.length / 4;
    parts.splice(depth, parts.length, part);
    const path = parts.join('');
    if (!under.test(path)) return [];
    return methods
      .split(', ')
      .filter((method) => !['', 'HEAD', 'OPTIONS'].includes(method))
      .map((method) => `${method} ${path}`);
  });
}
