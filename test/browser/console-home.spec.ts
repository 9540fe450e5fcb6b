import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { BUSY_MONTH } from './support/busy-month.js';
import { faultsIn, goesTo, memberAtConsole, opens, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// The start page of the console in a real browser: charts of what was counted, how the service is doing, and who sees which.

const stage = useStage();

/** Charts are drawn for whoever comes to them. */
async function comesToCharts(page: Page): Promise<void> {
  const charts = page.getByRole('region', { name: /^(?:Sign-ins|Anmeldungen)$/ });
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 600);
      return await charts.count();
    })
    .toBe(1);
}

describe('before anything has happened', () => {
  it('charts are empty and say so; a sign-in is there within seconds', async () => {
    const { page } = await ownerAtConsole(stage());
    await comesToCharts(page);
    const card = page.getByRole('region', { name: 'New users' }).first();
    await expect.poll(async () => await card.textContent()).toContain('Nothing in this period.');
    const signIns = page.getByRole('region', { name: 'Sign-ins' });
    await expect
      .poll(
        async () => {
          await page.reload();
          await comesToCharts(page);
          await signIns.getByText('Refused').first().waitFor();
          return await signIns.textContent();
        },
        { interval: 1_000 },
      )
      .toContain('1 Succeeded');
    await expect
      .poll(async () => await signIns.getByRole('img').first().getAttribute('aria-label'))
      .toBe('Sign-ins, 24 hours. Succeeded: 1, Refused: 0.');
  });
});

describe('after a month', () => {
  beforeAll(async () => {
    await runAsAdmin(stage().database.url, ...BUSY_MONTH);
  });

  it('charts are switched, which the address keeps; each is a table as well', async () => {
    const { page } = await ownerAtConsole(stage());
    await comesToCharts(page);
    await page.locator('label', { hasText: '30 days' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('30d');
    await page.reload();
    await comesToCharts(page);
    const tokens = page.getByRole('region', { name: 'Tokens issued' });
    await tokens.getByRole('img').first().waitFor();
    await expect
      .poll(async () => await tokens.getByRole('img').first().getAttribute('aria-label'))
      .toContain('30 days');
    await tokens.getByRole('button', { name: 'Show as a table' }).click();
    await expect.poll(async () => await tokens.getByRole('row').count()).toBe(31);
    await page.locator('label', { hasText: 'Whole instance' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('of')).toBe('instance');
    await settles(page);
    expect(await faultsIn(page)).toEqual([]);
  });

  it('axe finds nothing in the dark either, and no page is wider than a phone', async () => {
    // in German, whose words are long: tables are wider than a phone and scroll
    const { page, orgId } = await ownerAtConsole(stage(), { locale: 'de-DE' });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of [`orgs/${orgId}`, 'instance/queues', `orgs/${orgId}/messages`, 'instance/keys']) {
      await page.goto(`${stage().issuer}/console/${path}?range=7d`);
      if (path === `orgs/${orgId}`) await comesToCharts(page);
      await page.getByRole('img').or(page.getByRole('table')).first().waitFor();
      await settles(page);
      expect(await faultsIn(page), path).toEqual([]);
      await expect
        .poll(async () => await page.evaluate<number>('document.documentElement.scrollWidth'))
        .toBeLessThanOrEqual(390);
    }
  });
});

describe('how the service is doing', () => {
  it('is said with a word for each part, and the workers with their releases', async () => {
    const { page } = await ownerAtConsole(stage());
    const health = page.getByRole('region', { name: 'Health' });
    await expect.poll(async () => await health.getByText('Works', { exact: true }).count()).toBe(6);
    await expect.poll(async () => await health.textContent()).toContain('Everything works.');
    await goesTo(page, 'instance/queues');
    await opens(page, 'Queues');
    const workers = page.getByRole('table', { name: 'Workers' });
    await expect.poll(async () => await workers.textContent()).toMatch(/0\.\d+\.\d+.*Alive/);
  });

  it('is for administrators of the instance, charts for whoever sees events', async () => {
    const owner = await memberAtConsole(stage(), 'ORG_OWNER_VIEWER');
    await comesToCharts(owner.page);
    await settles(owner.page);
    await expect.poll(async () => await owner.page.getByRole('region', { name: 'Health' }).count()).toBe(0);
    await expect.poll(async () => await owner.page.getByText('Whole instance').count()).toBe(0);
    const manager = await memberAtConsole(stage(), 'ORG_USER_MANAGER');
    await manager.page.mouse.wheel(0, 2000);
    await settles(manager.page);
    await expect
      .poll(async () => await manager.page.getByRole('region', { name: 'Sign-ins' }).count())
      .toBe(0);
  });
});

describe('the first load', () => {
  it('takes 250 kB of scripts at most until the first steps are there, and no chart', async () => {
    const { page } = await ownerAtConsole(stage());
    await page.setViewportSize({ width: 1280, height: 400 });
    const scripts = new Set<string>();
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('.js')) scripts.add(response.url());
    });
    await page.reload();
    await page.getByRole('region', { name: 'First steps' }).getByRole('listitem').first().waitFor();
    await settles(page);
    await page.waitForLoadState('networkidle');
    const sizes = await Promise.all(
      [...scripts].map(async (url) => gzipSync(await (await fetch(url)).text()).length),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThanOrEqual(250_000);
    const before = scripts.size;
    await comesToCharts(page);
    await expect.poll(() => scripts.size).toBeGreaterThan(before);
  });
});
