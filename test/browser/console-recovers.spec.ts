import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, ownerAtConsole, type AtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// A page whose answers come late, once not, or never: it goes on by itself or offers another try, and is never left empty.

const stage = useStage();

/** Somebody at the console, and the page of a user as it is asked for. */
async function atAUser(): Promise<
  AtConsole & { readonly path: string; readonly read: string; readonly deletion: () => Promise<number> }
> {
  const { userId } = await stage().importHuman();
  const owner = await ownerAtConsole(stage());
  const { page, orgId } = owner;
  return {
    ...owner,
    path: `orgs/${orgId}/users/${userId}`,
    read: `**/management/v1/users/${userId}`,
    deletion: async () => await page.getByRole('button', { name: 'Delete user', exact: true }).count(),
  };
}

/** What a browser says of answers that did not come. */
function areOfAnswers(complaints: string[]): void {
  for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/fail|ERR_|^(?:401|503) for /i);
}

async function tryAgain(page: Page): Promise<void> {
  await page.locator('#content').getByRole('button', { name: 'Try again' }).first().click();
}

describe('an answer', () => {
  it('that never comes is asked for once more, and whoever waits is told', async () => {
    const { page, visitor, path, read, deletion } = await atAUser();
    await page.clock.install();
    await page.route(read, () => undefined, { times: 1 });
    const asked = page.waitForRequest(read);
    await goesTo(page, path);
    await asked;
    await page.clock.fastForward(12_000);
    const notice = page.locator('#content').getByText('This takes longer than usual.');
    await notice.waitFor();
    await page.clock.fastForward(18_000);
    await expect.poll(deletion).toBe(1);
    await expect.poll(async () => await notice.count()).toBe(0);
    areOfAnswers(visitor.complaints);
  });

  it('that never comes in place of a token holds up nothing for good', async () => {
    const { page, visitor, path, read, deletion } = await atAUser();
    const renewal = /\/authorize\?.*prompt=none/;
    await page.clock.install();
    await page.route(renewal, () => undefined, { times: 1 });
    // somebody has ended the token
    await page.route(read, async (route) => await route.fulfill({ status: 401 }), { times: 1 });
    const asked = page.waitForRequest(renewal);
    await goesTo(page, path);
    await asked;
    await page.clock.fastForward(30_000);
    await expect.poll(deletion).toBe(1);
    areOfAnswers(visitor.complaints);
  });

  it('that fails once is asked for again', async () => {
    const { page, visitor, path, read, deletion } = await atAUser();
    await page.route(read, async (route) => await route.abort(), { times: 1 });
    await goesTo(page, path);
    await expect.poll(deletion).toBe(1);
    areOfAnswers(visitor.complaints);
  });

  it('that asks for a moment of patience is waited for', async () => {
    const { page, visitor, path, read, deletion } = await atAUser();
    const busy = { status: 429, headers: { 'retry-after': '1' }, json: { code: 8, message: 'too many' } };
    await page.route(read, async (route) => await route.fulfill(busy), { times: 1 });
    await goesTo(page, path);
    await expect.poll(deletion).toBe(1);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^429 for /)]);
  });

  it('that nobody is told of is asked for until it is there', async () => {
    const { page, visitor, path } = await atAUser();
    await goesTo(page, `${path}/security`);
    await opens(page, 'Ada Lovelace');
    const setPassword = page.getByRole('button', { name: 'Set a password', exact: true });
    await expect.poll(async () => await setPassword.count()).toBe(1);
    await page.clock.install();
    // whose account it is decides what can be done here
    const me = '**/auth/v1/users/me';
    let failures = 0;
    await page.route(me, async (route) => {
      failures += 1;
      await route.abort();
    });
    await page.reload();
    await opens(page, 'Ada Lovelace');
    // time goes on, and so does the page
    await expect.poll(() => failures).toBeGreaterThanOrEqual(3);
    await expect.poll(async () => await setPassword.count()).toBe(0);
    await page.unroute(me);
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(10_000);
          return await setPassword.count();
        },
        { interval: 1_000 },
      )
      .toBe(1);
    areOfAnswers(visitor.complaints);
  });
});

describe('a page that could not be read', () => {
  it('comes as soon as there is a connection again', async () => {
    const { page, visitor, orgId, path, deletion } = await atAUser();
    // its files are there
    const other = await stage().importHuman({ profile: { firstName: 'Grace', lastName: 'Hopper' } });
    await goesTo(page, `orgs/${orgId}/users/${other.userId}`);
    await opens(page, 'Grace Hopper');
    await page.context().setOffline(true);
    await goesTo(page, path);
    await page.getByText('The service does not answer.').first().waitFor();
    await page.context().setOffline(false);
    await expect.poll(deletion).toBe(1);
    areOfAnswers(visitor.complaints);
  });

  it('offers another try at the start', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    const own = '**/auth/v1/users/me/permissions';
    await page.route(own, async (route) => await route.fulfill({ status: 503, json: { message: 'no' } }));
    await page.goto(`${stage().issuer}/console/`);
    await page.locator('#content').getByRole('alert').waitFor();
    await page.unroute(own);
    await tryAgain(page);
    await expect.poll(() => page.url()).toContain('/console/orgs/');
    areOfAnswers(visitor.complaints);
  });

  it('is come back to by a sign-in whose beginning and end were lost', async () => {
    const { page, visitor, path, deletion } = await atAUser();
    const lost = new Map<string, number>();
    /** Does not come so often. */
    const lose = async (what: string, times: number) =>
      await page.route(
        what,
        async (route) => {
          lost.set(what, (lost.get(what) ?? 0) + 1);
          await route.abort();
        },
        { times },
      );
    const [discovery, exchange] = ['**/.well-known/openid-configuration', '**/oauth/v2/token'];
    await lose(discovery, 2);
    await lose(exchange, 1);
    const again = page.getByRole('button', { name: 'Sign in again' });
    await page.goto(`${stage().issuer}/console/${path}`);
    await again.click();
    await expect.poll(() => lost.get(discovery)).toBe(2);
    await page.getByText('The service does not answer.').waitFor();
    await again.click();
    await expect.poll(() => lost.get(exchange)).toBe(1);
    await again.click();
    await expect.poll(deletion).toBe(1);
    await expect.poll(() => page.url()).toContain(`/console/${path}`);
    areOfAnswers(visitor.complaints);
  });

  it('says so where nothing of the console came, and is loaded by a press', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users`);
    await opens(page, 'Users');
    const files = '**/console/assets/root-*.js';
    await page.route(files, async (route) => await route.abort());
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.unroute(files);
    await page.getByRole('button', { name: 'Reload' }).click();
    await opens(page, 'Users');
    areOfAnswers(visitor.complaints);
  });
});
