import type { FastifyInstance } from 'fastify';

interface KnownRoute {
  readonly method: string;
  readonly pattern: RegExp;
}

/** Collects every route as it is registered, to distinguish a wrong method (405) from an unknown path (404). */
export class KnownRoutes {
  private readonly routes: KnownRoute[] = [];

  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url }) => {
      if (url === '*' || url === '/*') return;
      const pattern = new RegExp(
        `^${url
          .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
          .replace(/:[^/]+/g, '[^/]+')
          .replace(/\*$/, '.*')}$`,
      );
      for (const one of Array.isArray(method) ? method : [method]) this.routes.push({ method: one, pattern });
    });
  }

  /** Methods that the path is served with; none for an unknown path. */
  methodsOf(path: string): readonly string[] {
    const methods = this.routes.filter((route) => route.pattern.test(path)).map((route) => route.method);
    return [...new Set(methods)];
  }
}
