// SQL by hand: a schedule that was saved while one algorithm signed, which the API refuses by now
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { faultsIn, goesTo, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// The page of the signing keys: how often they change, what comes next, and what an emergency would do, said before it does.

const stage = useStage();

async function keysPage() {
  const { page, visitor } = await ownerAtConsole(stage());
  await goesTo(page, 'instance/keys');
  await settles(page);
  return { page, visitor };
}

const emergency = (page: Page) => page.getByRole('button', { name: 'Emergency rotation' });

describe('the rotation', () => {
  it('has the day of the next key, and a bar for each key and for what comes after it', async () => {
    const { page } = await keysPage();
    const rotation = page.getByRole('region', { name: 'Rotation', exact: true });
    await expect
      .poll(() => rotation.innerText())
      .toMatch(/RS256\s+The next key signs from .+; published .+\./);
    // a worker may publish the next key while the page is open
    await expect
      .poll(async () => {
        await page.reload();
        await settles(page);
        const { result } = await stage().asRoot<{ result: object[] }>('GET', 'admin/v1/keys');
        const { takeovers } = await stage().asRoot<{ takeovers: object[] }>('GET', 'admin/v1/keys/schedule');
        const lanes = result.length + takeovers.length;
        return [
          takeovers.length > 0,
          await rotation.getByRole('figure', { name: `Timeline of ${lanes} keys` }).count(),
          (await rotation.locator('[data-planned=true]').count()) - takeovers.length,
        ];
      })
      .toEqual([true, 1, 0]);
  });
});

describe('a period that the key set has no room for', () => {
  it('is shown as the one that keys change by, with the reason', async () => {
    const saved = async (rotation: number, lead: number) =>
      await runAsAdmin(
        stage().database.url,
        `UPDATE key_schedule SET rotation_seconds = ${rotation}, lead_seconds = ${lead}`,
      );
    await saved(36_000, 1_200);
    const { page } = await keysPage();
    const rotation = page.getByRole('region', { name: 'Rotation', exact: true });
    await expect
      .poll(() => rotation.innerText())
      .toMatch(/About every 15\.3 hours; .* 10 hours is saved, but several algorithms sign/);
    await saved(7_776_000, 86_400);
    await page.reload();
    await expect.poll(() => rotation.innerText()).toContain('Every 90 days; each key is published');
  });
});

describe('the schedule', () => {
  const SCHEDULE = 'admin/v1/keys/schedule';
  const saves = async (page: Page) => await page.getByRole('button', { name: 'Save', exact: true }).click();
  const schedule = async () => await stage().asRoot<object>('GET', SCHEDULE);

  it('is set where keys change on demand alone, and never to what no key could keep', async () => {
    await stage().asRoot('PUT', SCHEDULE, { rotationPeriod: '0s', leadTime: '86400s' });
    const { page, visitor } = await keysPage();
    const rotation = page.getByRole('region', { name: 'Rotation', exact: true });
    await rotation.getByText('Only on demand.').waitFor();
    const period = rotation.getByLabel('Rotation period', { exact: true });
    await expect.poll(async () => await period.count()).toBe(0);
    const toggle = rotation
      .getByRole('switch', { name: 'Rotate automatically' })
      .or(rotation.getByRole('checkbox', { name: 'Rotate automatically' }));
    await toggle.setChecked(true);
    await expect.poll(async () => await period.inputValue()).toBe('90');
    await period.fill('1');
    await saves(page);
    await rotation.getByText('From 2 days to 1,825 days.').waitFor();
    await period.fill('30');
    expect(await faultsIn(page)).toEqual([]);
    await saves(page);
    await page.getByText('The schedule is saved.').waitFor();
    await rotation.getByText('Every 30 days; each key is published 1 day before it signs.').waitFor();
    await expect.poll(schedule).toMatchObject({ rotationPeriod: `${30 * 86_400}s`, leadTime: '86400s' });

    await toggle.setChecked(false);
    await saves(page);
    await rotation.getByText('Only on demand.').waitFor();
    await expect.poll(schedule).toMatchObject({ rotationPeriod: '0s', leadTime: '86400s' });
    expect(visitor.complaints).toEqual([]);
  });

  it('is not set to what the key set has no room for, and says so in words', async () => {
    await stage().asRoot('PUT', SCHEDULE, { rotationPeriod: `${60 * 3_600}s`, leadTime: '1200s' });
    const { page, visitor } = await keysPage();
    const rotation = page.getByRole('region', { name: 'Rotation', exact: true });
    await rotation.getByText('At least twice the lead time and 16 hours:').waitFor();
    const period = rotation.getByLabel('Rotation period', { exact: true });
    await expect.poll(async () => await period.inputValue()).toBe('60');
    await period.fill('12');
    await saves(page);
    await rotation.getByText('From 16 hours to 1,825 days.').waitFor();
    await period.fill('16');
    await saves(page);
    await page.getByText('The schedule is saved.').waitFor();
    await expect.poll(schedule).toMatchObject({ rotationPeriod: `${16 * 3_600}s`, leadTime: '1200s' });
    expect(visitor.complaints).toEqual([]);
    await stage().asRoot('PUT', SCHEDULE, { rotationPeriod: '7776000s', leadTime: '86400s' });
  });

  it('is not set over what somebody else has set, and the input is kept', async () => {
    const set = async (days: number) =>
      await stage().asRoot('PUT', SCHEDULE, { rotationPeriod: `${days * 86_400}s`, leadTime: '86400s' });
    await set(90);
    const { page, visitor } = await keysPage();
    const lead = page.getByLabel('Lead time', { exact: true });
    await lead.fill('2');
    await set(60);
    await saves(page);
    await page.getByText('Somebody else changed this meanwhile').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for .*\/schedule$/)]);
    await expect.poll(schedule).toMatchObject({ rotationPeriod: `${60 * 86_400}s`, leadTime: '86400s' });
    await page.getByRole('button', { name: 'Show their change' }).click();
    await page.getByText('Your own input is kept.').waitFor();
    await expect
      .poll(async () => await page.getByLabel('Rotation period', { exact: true }).inputValue())
      .toBe('60');
    await lead.fill('2');
    await saves(page);
    await page.getByText('The schedule is saved.').waitFor();
    await expect
      .poll(schedule)
      .toMatchObject({ rotationPeriod: `${60 * 86_400}s`, leadTime: `${2 * 86_400}s` });
    await stage().asRoot('PUT', SCHEDULE, { rotationPeriod: '7776000s', leadTime: '86400s' });
  });
});

describe('an emergency', () => {
  it('names applications with grants, how many of them, and who has fetched the key set', async () => {
    await fetch(`${stage().issuer}/oauth/v2/keys`);
    const readers = async () =>
      (await stage().asRoot<{ details: { totalResult: string } }>('GET', 'admin/v1/keys/readers')).details
        .totalResult;
    await expect.poll(readers).toBe('1');
    const { page } = await keysPage();
    await emergency(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 application has live sign-ins.').waitFor();
    await expect.poll(() => dialog.innerText()).toMatch(/Console \(\d+ sign-ins?\)/);
    await expect.poll(() => dialog.innerText()).toContain('1 address has fetched the key set');
  });

  it('never says that nobody is touched where that could not be read', async () => {
    const { page, visitor } = await keysPage();
    await page.route('**/admin/v1/keys/affected*', async (route) => {
      await route.fulfill({ status: 400, json: { code: 3, message: 'Not now' } });
    });
    await emergency(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => dialog.innerText()).not.toContain('No application');
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*affected/)]);
    await page.unroute('**/admin/v1/keys/affected*');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('1 application has live sign-ins.').waitFor();
  });
});

describe('an emergency of all keys', () => {
  it('names the keys that it could not replace', async () => {
    const { page, visitor } = await keysPage();
    await page.route('**/admin/v1/keys/_rotate', async (route) => {
      const skipped = [
        { algorithm: 'RS256', reason: 'replaced_just_now', retryAfterSeconds: 42 },
        { algorithm: 'ES256', reason: 'key_set_full' },
      ];
      await route.fulfill({ status: 200, json: { ids: ['1'], waiting: [], skipped } });
    });
    await emergency(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('withdraw');
    await dialog.getByRole('button', { name: 'Emergency rotation' }).click();
    const left = page.getByRole('alert').filter({ hasText: 'Not replaced' });
    await left
      .getByText('RS256: replaced less than a minute ago. This is possible again in 42 seconds.')
      .waitFor();
    await left.getByText('ES256: there is no room for another key.').waitFor();
    await page.getByText('New keys sign, but not all were replaced').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});

describe('what went wrong', () => {
  it('is told with the id that the log knows it by', async () => {
    const { page, visitor } = await keysPage();
    await page.route('**/admin/v1/keys/_rotate', async (route) => {
      const headers = { 'x-request-id': 'request-of-the-keys' };
      await route.fulfill({ status: 400, headers, json: { code: 3, message: 'Not now' } });
    });
    await page.getByRole('button', { name: 'Rotate now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate now' }).click();
    await page.getByRole('alert').getByText('request-of-the-keys').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*_rotate/)]);
  });
});
