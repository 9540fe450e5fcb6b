import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiRoute, ApiRoutes } from '../../../src/http/openapi/api-routes.js';
import { useApi } from '../../support/api.js';

// The tables of docs/api.md: each route of the APIs stands in one row, with the permission that it asks for.

interface Row {
  readonly routes: readonly string[];
  readonly permissions: readonly string[];
}

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/api.md'), 'utf8');
const rows: readonly Row[] = page
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, calls]) => /^`[A-Z, ]+ \//.test(calls ?? ''))
  .map(([, calls = '', permissions = '']) => ({
    routes: codeIn(calls).flatMap(routesOf),
    permissions: permissionsOf(codeIn(permissions)),
  }));

function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** `GET, PUT /users/{id}` is two. */
function routesOf(call: string): readonly string[] {
  const [, methods = '', url = ''] = /^([A-Z, ]+) (\/.*)$/.exec(call) ?? [];
  const full = /^\/(?:admin|auth)\/v1\//.test(url) ? url : `/management/v1${url}`;
  return methods.split(', ').map((method) => `${method} ${full.replaceAll(/\{[^}]+\}/g, '{}')}`);
}

/** `user.read`, `.write` is user.read and user.write. */
function permissionsOf(words: readonly string[]): readonly string[] {
  const thing = words[0]?.replace(/\.\w+$/, '') ?? '';
  return words.map((word) => (word.startsWith('.') ? `${thing}${word}` : word)).toSorted();
}

describe('docs/api.md', () => {
  let served: ReadonlyMap<string, ApiRoute>;
  const api = useApi();
  beforeAll(async () => {
    const routes = api.app.get(ApiRoutes).list();
    served = new Map(
      routes.map((route) => [`${route.method} ${route.path.replaceAll(/:[^/]+/g, '{}')}`, route]),
    );
  });

  it('has each route once', () => {
    expect(rows.flatMap(({ routes }) => routes).toSorted()).toEqual([...served.keys()].toSorted());
  });

  it('says what each asks for', () => {
    for (const { routes, permissions } of rows) {
      const asked = routes.map((route) => served.get(route)?.permission ?? '').filter((one) => one !== '');
      const told = routes.some((route) => route.includes(' /auth/v1/')) ? [] : permissions;
      expect([...new Set(asked)].toSorted(), routes.join()).toEqual(told);
    }
  });
});
