import { RequestMethod, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Permission } from '../../../src/domain/permissions/permissions.js';
import { RequiresPermission } from '../../../src/http/shared/permission.guard.js';
import type { TestApi } from '../../support/api.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A route of the privileged APIs, as Nest was told of it. */
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
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype as Type),
  );
  return controllers.flatMap(routesOf).filter(({ path }) => PRIVILEGED.test(path));
}

function routesOf(controller: Type): ServedRoute[] {
  const prefix = String(Reflect.getMetadata('path', controller) ?? '');
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = name === 'constructor' ? undefined : prototype[name];
    if (typeof handler !== 'function') return [];
    const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    const declared = Reflect.getMetadata('path', handler) as string | string[];
    return [declared].flat().map((path) => ({
      method: RequestMethod[method] as Method,
      path: `/${[prefix, path].join('/')}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1'),
      permission: Reflect.getMetadata(RequiresPermission.KEY, handler) as Permission | undefined,
    }));
  });
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
