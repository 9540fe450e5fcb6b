import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { given } from '../support/given.js';
import { BUSY_MONTH } from './support/busy-month.js';
import { faultsIn, goesTo, memberAtConsole, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';
import { oneOfEach, type Things } from './support/things.js';

// axe on every address that the console's router knows, light on a wide screen and dark on a phone. The addresses are the router's own: a
// page that is added is looked at from then on, and one whose thing nothing here makes is a failure.

const stage = useStage({ CLIENT_REGISTRATION: 'token' });
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const things = given(async (): Promise<Things> => {
  await runAsAdmin(stage().database.url, ...BUSY_MONTH);
  return await oneOfEach(stage(), (what) => `Lighthouse ${what}`);
});

/** What stands for a parameter, by the route or by what it begins with; of several values, a page each. */
function fillings(orgId: string): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  return {
    '/orgs/$org': { org: [orgId] },
    '/orgs/$org/users': {
      user: [things.user],
      tab: ['contact', 'security', 'roles', 'metadata', 'messages', 'events'],
    },
    '/orgs/$org/service-users': { user: [things.machine] },
    '/orgs/$org/projects': {
      project: [things.project],
      app: [things.app],
      part: ['', 'sign-in', 'tokens', 'access', 'code'],
    },
    '/orgs/$org/imports': { importId: [things.import] },
    '/orgs/$org/messages': { message: [things.message] },
    '/orgs/$org/webhooks': { webhook: [things.webhook] },
    '/orgs/$org/sign-in/texts': { type: ['initialise'] },
    '/orgs/$org/sign-in/providers': { provider: [things.idp] },
    '/instance/messages': { message: [things.message] },
    '/instance/providers': { provider: [things.provider] },
    '/instance/webhooks': { webhook: [things.instanceWebhook] },
    '/instance/settings/texts': { type: ['initialise'] },
    '/instance/settings/identity-providers': { provider: [things.instanceIdp] },
  };
}

/** Every address of a route, as `goesTo` takes it. */
function addressesOf(route: string, orgId: string): readonly string[] {
  const areas = Object.entries(fillings(orgId))
    .filter(([area]) => route === area || route.startsWith(`${area}/`))
    .sort(([one], [other]) => other.length - one.length);
  let addresses = [route];
  for (const [parameter, optional, plain] of route.matchAll(/\{-\$(\w+)\}|\$(\w+)/g)) {
    const name = optional ?? plain ?? '';
    const values = areas.find(([, values]) => values[name] !== undefined)?.[1][name];
    if (values === undefined) throw new Error(`nothing stands for ${parameter} in ${route}`);
    addresses = addresses.flatMap((address) => values.map((value) => address.replace(parameter, value)));
  }
  return addresses.map((address) => address.replace(/^\//, '').replace(/\/$/, ''));
}

/** The router keeps itself where one can ask it. Routes that only stand around others are no pages. */
const ROUTES = `Object.values(__TSR_ROUTER__.routesById)
  .filter((route) => route.id !== '__root__' && route.children === undefined)
  .map((route) => route.fullPath)`;
/** The route of the page that is open. */
const OPEN = `__TSR_ROUTER__.state.matches.at(-1).fullPath`;
/** Nothing fades from one scheme to the other while axe looks. */
const AT_ONCE = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})()`;

/** Comes to what is drawn for whoever comes near it, from the top to the end, so that axe has it before it. */
async function comesToAll(page: Page): Promise<void> {
  const toCome = page.locator('#content [data-to-come]');
  await expect
    .poll(async () => {
      await page.evaluate(`document.querySelector('#content [data-to-come]')?.scrollIntoView()`);
      await settles(page);
      return await toCome.count();
    })
    .toBe(0);
  await page.evaluate('scrollTo(0, 0)');
}

/** What axe finds on the page that is open, light and wide, and dark and narrow. */
async function faultsAt(page: Page, address: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [colorScheme, size] of [
    ['light', WIDE],
    ['dark', PHONE],
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator('#content h1').first().waitFor();
    await settles(page);
    await comesToAll(page);
    for (const fault of await faultsIn(page)) faults.push(`${address}, ${colorScheme}: ${fault}`);
  }
  return faults;
}

/** These lead elsewhere. */
const WAYS_IN = new Set(['/', '/callback']);

describe('every page of the console', () => {
  it('is found by its address, and axe finds nothing on it', { timeout: 900_000 }, async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await page.evaluate(AT_ONCE);
    const routes = await page.evaluate<string[]>(ROUTES);
    const seen = new Set<string>();
    const drawn: string[] = [];
    const faults: string[] = [];
    const ofInterface = `orgs/${orgId}/projects/${things.project}/applications/${things.api}`;
    const addresses = routes.flatMap((route) => addressesOf(route, orgId));
    for (const address of [...addresses, ofInterface]) {
      await goesTo(page, address);
      await page.locator('#content h1').first().waitFor();
      await settles(page);
      seen.add((await page.evaluate<string>(OPEN)).replace(/(.)\/$/, '$1'));
      const words = (await page.locator('#content').textContent()) ?? '';
      if (/There is nothing here|You are not allowed|You may not open|This could not be loaded/.test(words))
        faults.push(`${address}: ${words.slice(0, 200)}`);
      faults.push(...(await faultsAt(page, address)));
      if ((await page.locator('#content .recharts-surface').count()) > 0) drawn.push(address);
    }
    expect(faults).toEqual([]);
    const pages = routes.map((route) => route.replace(/(.)\/$/, '$1')).filter((route) => !WAYS_IN.has(route));
    expect(pages.filter((route) => !seen.has(route))).toEqual([]);
    // axe had charts before it, also those that are drawn for whoever scrolls to them
    expect(drawn).toEqual(
      expect.arrayContaining([`orgs/${orgId}`, `orgs/${orgId}/messages`, 'instance/queues']),
    );
    // the list was not read from an empty router
    expect(pages).toContain('/orgs/$org/imports/$importId');
    expect(visitor.complaints).toEqual([]);
  });

  it('has none of its own where nobody comes to it: axe finds nothing there either', async () => {
    const manager = await memberAtConsole(stage(), 'ORG_USER_MANAGER');
    await manager.page.evaluate(AT_ONCE);
    const faults: string[] = [];
    for (const [address, heading] of [
      ['nothing-is-there', 'Page not found'],
      ['instance/keys', 'You may not open this page'],
      [`orgs/${manager.orgId}/projects/new`, 'You may not open this page'],
    ] as const) {
      await manager.page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console/${address}`)})`);
      await manager.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      faults.push(...(await faultsAt(manager.page, address)));
    }
    const nobody = await memberAtConsole(stage());
    await nobody.page.evaluate(AT_ONCE);
    await nobody.page.getByText('You have no role in an organization.').waitFor();
    faults.push(...(await faultsAt(nobody.page, 'without a role')));
    expect(faults).toEqual([]);
    expect(nobody.visitor.complaints).toEqual([]);
    // what is asked for before it is known whose page it is, is refused
    for (const complaint of manager.visitor.complaints.splice(0)) expect(complaint).toMatch(/^403 for /);
  });
});
