import { describe, expect, it } from 'vitest';
import { memberAtConsole } from './support/console.js';
import { PAGES } from './support/role-table.js';
import { useStage } from './support/stage.js';

// The table of what each role may do at the console knows every page, and only calls that the API has.

const stage = useStage({ CLIENT_REGISTRATION: 'token' });

describe('the table', () => {
  it('has a row for every page of the console', async () => {
    const { page } = await memberAtConsole(stage(), 'IAM_OWNER');
    const routes = await page.evaluate<string[]>(`Object.values(__TSR_ROUTER__.routesById)
      .filter((route) => route.id !== '__root__' && route.children === undefined)
      .map((route) => route.fullPath)`);
    const patterns = routes
      .filter((route) => !['/', '/callback'].includes(route))
      .map((route) => route.replace(/^\//, '').replace(/\/$/, ''));
    expect(patterns).not.toHaveLength(0);
    const without = patterns.filter((route) => {
      const pattern = route.replace(/\/\{-\$\w+\}/, '(?:/[^/]+)?').replaceAll(/\$\w+/g, '[^/]+');
      return !PAGES.some(({ at }) => new RegExp(`^${pattern}$`).test(at));
    });
    expect(without).toEqual([]);
  });

  it('has no call that the API does not have: a refusal of that would say nothing', async () => {
    const response = await fetch(`${stage().issuer}/openapi.json`);
    const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> };
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      ),
    );
    const calls = PAGES.flatMap(({ reads, actions }) => [reads, ...actions.map(({ call }) => call)]).flatMap(
      (call) => (call === undefined ? [] : [`${call.method} /${call.path.split('?')[0]}`]),
    );
    expect(calls.filter((call) => !served.some((pattern) => pattern.test(call)))).toEqual([]);
  });
});
