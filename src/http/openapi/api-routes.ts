import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { Permission } from '../../domain/permissions/permissions.js';
import { DOCUMENT, type RouteDocument } from '../shared/documented.js';
import { PERMISSION } from '../shared/permission.guard.js';

/** A route of the APIs as the controllers declare it. */
export interface ApiRoute {
  /** Upper case. */
  readonly method: string;
  /** `/management/v1/users/:id` */
  readonly path: string;
  /** `Users.find`; unique. */
  readonly name: string;
  /** Undefined for what every signed-in caller may do on their own account. */
  readonly permission: Permission | undefined;
  readonly document: RouteDocument | undefined;
}

const API = /^\/(?:management|admin|auth)\/v1\//;

/** Every route under `/management/v1`, `/admin/v1` and `/auth/v1`, found in the controllers, so that none is forgotten. */
@Injectable()
export class ApiRoutes {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  list(): readonly ApiRoute[] {
    return this.discovery
      .getControllers()
      .flatMap(({ instance, metatype, name }) =>
        typeof metatype !== 'function'
          ? []
          : this.scanner
              .getAllMethodNames(Object.getPrototypeOf(instance))
              .flatMap((method) => this.routesOf(metatype, instance as Controller, name, method)),
      );
  }

  private routesOf(type: object, controller: Controller, name: string, method: string): readonly ApiRoute[] {
    const handler = controller[method];
    const verb = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (handler === undefined || verb === undefined) return [];
    const bases = asList(Reflect.getMetadata(PATH_METADATA, type));
    const paths = asList(Reflect.getMetadata(PATH_METADATA, handler));
    return bases
      .flatMap((base) => paths.map((path) => joined(base, path)))
      .filter((path) => API.test(path))
      .map((path) => ({
        method: RequestMethod[verb],
        path,
        name: `${name.replace(/Controller$/, '')}.${method}`,
        permission: this.reflector.get<Permission | undefined>(PERMISSION, handler),
        document: this.reflector.get<RouteDocument | undefined>(DOCUMENT, handler),
      }));
  }
}

type Controller = Readonly<Record<string, ((...values: never[]) => unknown) | undefined>>;

function asList(paths: unknown): readonly string[] {
  return Array.isArray(paths) ? paths.map(String) : typeof paths === 'string' ? [paths] : [''];
}

function joined(base: string, path: string): string {
  return `/${[base, path]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter(Boolean)
    .join('/')}`;
}
