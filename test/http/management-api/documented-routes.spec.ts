import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from '../../support/api.js';

// The OpenAPI document lists the routes and what they ask for. A page that names one in passing names one that exists.

const ROOT = path.join(import.meta.dirname, '../../..');
const pages = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** `GET, PUT /users/{id}` is two. */
function callsIn(page: string): readonly { readonly method: string; readonly url: string }[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [
    ...text.matchAll(/`((?:GET|POST|PUT|DELETE)(?:, (?:GET|POST|PUT|DELETE))*) (…?\/[^`\s?]*)/g),
  ].flatMap(([, methods = '', url = '']) => methods.split(', ').map((method) => ({ method, url })));
}

/** What is served outside of the three APIs. */
const ELSEWHERE =
  /^\/(?:oauth|oidc|debug|healthz|readyz|metrics|\.well-known|login|logout|register|openapi|logos|api|notifications\/v1)\b|^\/$/;

const apart = (url: string): string => url.replaceAll(/\{[^}]+\}/g, '{}');

/** `/templates/initialise/en` is `/templates/{}/{}`. */
function isOne(route: string, asked: string): boolean {
  const parts = route.split('/');
  const given = asked.split('/');
  return (
    parts.length === given.length && parts.every((part, index) => part === '{}' || part === given[index])
  );
}

describe('the routes that pages name', () => {
  const api = useApi();
  let served: readonly string[];
  beforeAll(async () => {
    const { paths } = (await api.app.inject('/openapi.json')).json<{ paths: Record<string, object> }>();
    served = Object.entries(paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${apart(route)}`),
    );
  });

  /** Without a prefix it is one of the management API; `…/keys` is whatever ends so. */
  function isServed(method: string, url: string): boolean {
    if (url.startsWith('…')) {
      const end = apart(url.slice(1));
      return served.some((route) => route.startsWith(`${method} `) && route.endsWith(end));
    }
    return (
      ELSEWHERE.test(url) ||
      served.some((route) => isOne(route, `${method} ${apart(url)}`)) ||
      served.some((route) => isOne(route, `${method} /management/v1${apart(url)}`))
    );
  }

  it.each(pages)('%s', (page) => {
    const unknown = callsIn(page).filter(({ method, url }) => !isServed(method, url));
    expect(unknown).toEqual([]);
  });

  it('are many', () => {
    expect(pages.flatMap(callsIn).length).toBeGreaterThan(30);
  });
});
