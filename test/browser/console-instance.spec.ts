import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { faultsIn, goesTo, opens, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// The instance in the console: its settings, saved and given back, and its log, taken along as a file and followed while things happen.

const stage = useStage();

interface Settings {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isDefault?: boolean;
}

async function settingsOf(name: string): Promise<Settings> {
  return await stage().asRoot<Settings>('GET', `admin/v1/settings/${name}`);
}

describe('settings of the instance', () => {
  it('say how long tokens are good for, and what the environment says where they are empty', async () => {
    const before = await settingsOf('oidc');
    const { page, visitor } = await ownerAtConsole(stage());
    await goesTo(page, 'instance/settings');
    await opens(page, 'Lifetimes of tokens');
    await page.getByText('Nothing has been set here').waitFor();
    const field = page.getByRole('textbox', { name: 'Access token', exact: true });
    const unit = page.getByRole('combobox', { name: 'Access token: unit' });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await unit.click();
    await page.getByRole('option', { name: 'minutes' }).click();
    await field.fill('0');
    await save.click();
    await page.getByText('From 1 minute to 30 days.').first().waitFor();
    await field.fill('20');
    await save.click();
    await page.getByText('The settings are saved.').waitFor();
    await page.getByText('Set here,').waitFor();
    expect(await settingsOf('oidc')).toMatchObject({ settings: { accessTokenLifetime: '1200s' } });
    expect(await faultsIn(page)).toEqual([]);
    // an organization that has set none of its own inherits it
    const { policy } = await stage().asRoot<{ policy: object }>('GET', 'management/v1/policies/tokens');
    expect(policy).toMatchObject({ accessTokenLifetime: '1200s' });
    await page.reload();
    await opens(page, 'Lifetimes of tokens');
    await expect.poll(() => field.inputValue()).toBe('20');
    await field.fill('');
    await save.click();
    await expect
      .poll(async () => (await settingsOf('oidc')).settings['accessTokenLifetime'])
      .toBe(before.settings['accessTokenLifetime']);
    expect(visitor.complaints).toEqual([]);
  });

  it('say whether anybody may act for users', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    await goesTo(page, 'instance/settings/security');
    await opens(page, 'Security');
    const toggle = page
      .getByRole('switch', { name: 'Allow impersonation' })
      .or(page.getByRole('checkbox', { name: 'Allow impersonation' }));
    for (const enableImpersonation of [true, false]) {
      await toggle.setChecked(enableImpersonation);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('The settings are saved.').first().waitFor();
      await expect.poll(() => settingsOf('security')).toMatchObject({ settings: { enableImpersonation } });
      await settles(page);
    }
    expect(await faultsIn(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the log', () => {
  it('is taken along as a file, as it is filtered', async () => {
    const made: string[] = [];
    for (const name of ['Jetty', 'Mole']) {
      const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/projects', { name });
      made.push(id);
    }
    const { page, visitor } = await ownerAtConsole(stage());
    await goesTo(page, 'instance/events?type=project.added');
    await opens(page, 'All events');
    await page.getByRole('button', { name: 'Export as NDJSON' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('All events that match the filters go into one file').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    // the notice goes by itself
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText('The events are downloaded.').waitFor(),
      dialog.getByRole('button', { name: 'Export as NDJSON' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('events.ndjson');
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    interface Exported {
      readonly type: string;
      readonly aggregate: { readonly id: string };
    }
    const events = lines.map((line) => JSON.parse(line) as Exported);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['project.added']));
    expect(events.map(({ aggregate }) => aggregate.id)).toEqual(expect.arrayContaining(made));
    expect(visitor.complaints).toEqual([]);
  });

  it('shows what happens while it is live, and nothing more when it is not', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/events?type=project.added`);
    await opens(page, 'Events');
    // the clock goes on as ever, and can be set forward
    await page.clock.install();
    const live = page.getByRole('switch', { name: 'Live' });
    await live.check();
    await page.getByText('New events appear every three seconds.').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('live')).toBe('true');
    await stage().asRoot('POST', 'management/v1/projects', { name: 'Breakwater' });
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('Breakwater').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await live.uncheck();
    await expect.poll(() => new URL(page.url()).searchParams.get('live')).toBe(null);
    await settles(page);
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/events/_search')) asked += 1;
    });
    await stage().asRoot('POST', 'management/v1/projects', { name: 'Slipway' });
    // longer than it takes while it is live
    await page.clock.fastForward(10_000);
    await page.waitForLoadState('networkidle');
    expect(asked).toBe(0);
    await expect.poll(() => row('Slipway').count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});
