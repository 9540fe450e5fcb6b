import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { faultsIn, memberAtConsole, opens, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// The command palette: what people do, by its name, for those who may do it.

const stage = useStage();

type Words = Readonly<Record<string, string>>;

function wordsIn(language: 'en' | 'de'): { readonly title: string; readonly commands: Words } {
  const file = new URL(`../../locales/console/${language}/commands.json`, import.meta.url);
  const { title = '', ...commands } = JSON.parse(readFileSync(file, 'utf8')) as Words;
  return { title, commands };
}

/** The heading of the page to which each leads. */
const LEADS_TO: Words = {
  addUser: 'Add a user',
  invite: 'Invite somebody',
  import: 'Import a file',
  addServiceUser: 'Add a service user',
  addProject: 'Add a project',
  addApplication: 'Projects',
  addIdentityProvider: 'Add an identity provider',
  addWebhook: 'Add a webhook',
  giveRole: 'Administrators',
  addDomain: 'Settings',
  requireFactor: 'Second factors',
  changeBranding: 'Branding',
  changeTexts: 'Texts of messages',
  addOrganization: 'Add an organization',
  addProvider: 'Add a provider',
  rotateKeys: 'Signing keys',
};

/** By the keys, with this typed into it. */
async function asks(page: Page, text: string, placeholder = 'Search or go to'): Promise<void> {
  // one that is still being closed would take the text, and forget it
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByPlaceholder(placeholder).fill(text);
}

function offered(page: Page) {
  return page.getByRole('dialog').locator('[data-action]');
}

describe('the command palette', () => {
  it('leads from everything that somebody can do to the page where it is done', async () => {
    const { commands } = wordsIn('en');
    expect(Object.keys(LEADS_TO)).toEqual(Object.keys(commands));
    const { page } = await ownerAtConsole(stage());
    await asks(page, '');
    await expect
      .poll(async () => await offered(page).allInnerTexts())
      .toEqual(expect.arrayContaining(Object.values(commands)));
    expect(await faultsIn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    for (const [name, label] of Object.entries(commands)) {
      await asks(page, label);
      await expect.poll(async () => await offered(page).first().innerText(), { message: name }).toBe(label);
      await page.keyboard.press('Enter');
      await opens(page, LEADS_TO[name] ?? '');
    }
  });

  it('finds it by some of its words, in German as well', async () => {
    const { page } = await ownerAtConsole(stage(), { locale: 'de-DE' });
    await asks(page, 'anlegen dienst', 'Suchen oder springen zu');
    await expect.poll(async () => await offered(page).allInnerTexts()).toEqual(['Dienstbenutzer anlegen']);
    await page.keyboard.press('Enter');
    await opens(page, 'Dienstbenutzer anlegen');
  });

  it('offers nothing to whoever may not do it', async () => {
    const labels = Object.values(wordsIn('en').commands);
    const commandsOf = async (page: Page) => {
      await asks(page, '');
      return async () => (await offered(page).allInnerTexts()).filter((label) => labels.includes(label));
    };
    const manager = await memberAtConsole(stage(), 'ORG_USER_MANAGER');
    await expect
      .poll(await commandsOf(manager.page))
      .toEqual(['Add a user', 'Invite somebody', 'Add a service user']);
    const viewer = await memberAtConsole(stage(), 'ORG_OWNER_VIEWER');
    const ofViewer = await commandsOf(viewer.page);
    await expect.poll(async () => await offered(viewer.page).first().innerText()).toContain('Home');
    await expect.poll(ofViewer).toEqual([]);
  });
});
