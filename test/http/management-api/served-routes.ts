import type { Permission } from '../../../src/domain/permissions/permissions.js';
import { ApiRoutes } from '../../../src/http/openapi/api-routes.js';
import type { TestApi } from '../../support/api.js';
import type { Method } from '../../support/calls.js';

/** A route of the privileged APIs. */
export interface ServedRoute {
  readonly method: Method;
  /** With its placeholders: `/management/v1/users/:id`. */
  readonly path: string;
  /** Undefined for a route that names none. */
  readonly permission: Permission | undefined;
}

const PRIVILEGED = /^\/(management|admin)\/v1(\/|$)/;

/** Every route under /management/v1 and /admin/v1 that a controller declares, whoever wrote it. */
export function privilegedRoutes({ app }: TestApi): readonly ServedRoute[] {
  return app
    .get(ApiRoutes)
    .list()
    .filter(({ path }) => PRIVILEGED.test(path))
    .map(({ method, path, permission }) => ({ method: method as Method, path, permission }));
}

/** Whatever a placeholder is called: where two routes call one differently, Fastify knows it by both names. */
export function anonymous(route: string): string {
  return route.replace(/:[^/]+/g, ':');
}

/** `METHOD /path` of everything that Fastify answers there, HEAD and OPTIONS aside: read from its own tree. */
export function fastifyRoutes({ app }: TestApi): readonly string[] {
  const tree = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const found = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (found === null) return [];
    const [, indent = '', part = '', methods = ''] = found;
    const depth = indent.length / 4;
    parts.splice(depth, parts.length, part);
    const path = parts.join('');
    if (!PRIVILEGED.test(path)) return [];
    return methods
      .split(', ')
      .filter((method) => !['', 'HEAD', 'OPTIONS'].includes(method))
      .map((method) => `${method} ${path}`);
  });
}
