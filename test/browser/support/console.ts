import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Stage } from './stage.js';
import type { Visitor, VisitorOptions } from './visitor.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PASSWORD = 'Correct-Horse-7';

/** Somebody who has the console open. */
export interface AtConsole {
  readonly visitor: Visitor;
  readonly page: Page;
  readonly userId: string;
  readonly loginName: string;
  /** The organization that the console opened with. */
  readonly orgId: string;
}

/** An administrator as bootstrap made them. */
export async function ownerAtConsole(stage: Stage, options: VisitorOptions = {}): Promise<AtConsole> {
  const { loginName, password } = stage.credentials.admin;
  return await enter(stage, loginName, password, '', options);
}

/** Somebody new, with one role in the organization, or none. */
export async function memberAtConsole(stage: Stage, role?: string): Promise<AtConsole> {
  const human = await stage.importHuman({ password: PASSWORD }, stage.credentials.adminServiceUser);
  if (role !== undefined) await giveRole(stage, human.userId, role);
  return await enter(stage, human.loginName, PASSWORD, human.userId);
}

export async function giveRole(stage: Stage, userId: string, role: string): Promise<void> {
  const path = role.startsWith('IAM_') ? 'admin/v1/members' : 'management/v1/orgs/me/members';
  await stage.asRoot('POST', path, { userId, roles: [role] });
}

async function enter(
  stage: Stage,
  loginName: string,
  password: string,
  userId: string,
  options: VisitorOptions = {},
): Promise<AtConsole> {
  const visitor = await stage.visit(options);
  const { page } = visitor;
  await page.goto(`${stage.issuer}/console/`);
  await visitor.signIn(loginName, password);
  await page.locator('#content h1').waitFor();
  const orgId = /\/console\/orgs\/([^/?]+)/.exec(page.url())?.[1] ?? '';
  return { visitor, page, userId, loginName, orgId };
}

/** Waits until the page with this heading is open, with nothing in it still loading. */
export async function opens(page: Page, heading: string): Promise<void> {
  await page.locator('#content').getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  await settles(page);
}

/** Whether the page of the address is drawn, and nothing in it is still loading. The router keeps itself where one can ask it. */
const IS_SETTLED = `!__TSR_ROUTER__.state.isLoading && document.querySelector('#content [aria-busy=true]') === null`;

/** Waits until the page of the address is drawn, with nothing in it still loading. */
export async function settles(page: Page): Promise<void> {
  await expect.poll(async () => await page.evaluate<boolean>(IS_SETTLED)).toBe(true);
}

/**
 * Goes to an address of the console as a link does: the page stays, its token too. An address that nothing has comes in
 * between, so that what is seen afterwards is not of the page before.
 */
export async function goesTo(page: Page, path: string): Promise<void> {
  const nothing = page
    .locator('#content')
    .getByRole('heading', { level: 1, name: 'Page not found', exact: true });
  await follow(page, 'nothing-is-here');
  await nothing.waitFor();
  await follow(page, path);
  await nothing.waitFor({ state: 'detached' });
}

async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console/${path}`)})`);
}

/** Opens a part of the page of an application: its settings are one form in several parts. */
export async function opensPart(page: Page, name: string): Promise<void> {
  const link = page.getByRole('navigation', { name: 'Parts of the application' }).getByRole('link', { name });
  await link.click();
  await page.locator('.sub-places [aria-current]').getByText(name, { exact: true }).waitFor();
  // the link is current as soon as the address is
  await settles(page);
}

/** What axe finds, one a line. */
export async function faultsIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  // what passed would be described node by node and sent along, to be read by nobody
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { preload: false, resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
}

/** What a script in the page could take along: nothing that opens anything. */
export async function keptIn(page: Page): Promise<string> {
  return await page.evaluate<string>(
    'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])',
  );
}

/** Clicks, and counts them. */
export function countClicks() {
  let clicks = 0;
  return {
    click: async (what: Locator): Promise<void> => {
      clicks += 1;
      await what.click();
    },
    count: (): number => clicks,
  };
}

/** A place in the side bar. */
export function place(page: Page, name: string): Locator {
  return page.locator('.mantine-AppShell-navbar').getByRole('link', { name, exact: true });
}

/** Their token, as the page sends it once it is loaded again: it is kept nowhere where one could read it. */
export async function tokenOf(page: Page): Promise<string> {
  let token = '';
  page.on('request', (request) => {
    token = request.headers()['authorization'] ?? token;
  });
  await page.reload();
  await page.locator('#content h1').first().waitFor();
  await expect.poll(() => token).not.toBe('');
  return token;
}
