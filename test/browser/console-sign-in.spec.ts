import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  countClicks,
  faultsIn,
  goesTo,
  memberAtConsole,
  opens,
  ownerAtConsole,
  settles,
} from './support/console.js';
import { useStage } from './support/stage.js';

// How an organization signs in, set in the console. Clicks are counted from the page that opens after the sign-in; docs/console.md has them.

const stage = useStage();

async function call<Answer>(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer> {
  return await stage().asRoot(method, `management/v1/${path}`, body);
}

afterEach(async () => {
  await call('PUT', 'policies/branding', {});
  for (const policy of ['factors', 'login', 'password', 'tokens']) await call('DELETE', `policies/${policy}`);
});

const bar = (page: Page) => page.locator('.mantine-AppShell-navbar');
const content = (page: Page) => page.locator('#content');

describe('an owner', () => {
  it('requires a second factor of everybody in four clicks, and is told before what it means for them', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(bar(page).getByRole('link', { name: 'Sign-in', exact: true }));
    await click(content(page).getByRole('link', { name: 'Second factors' }).first());
    await click(page.getByRole('radio', { name: 'Everybody', exact: true }));
    await content(page).getByText('You have none of these yourself').waitFor();
    await click(page.getByRole('button', { name: 'Save', exact: true }));
    await content(page).getByText('Your role requires a second factor').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^403 for .*\/policies\/factors$/)]);
    expect(count()).toBe(4);
    expect(await call('GET', 'policies/factors')).toMatchObject({
      policy: { secondFactor: 'required', requiredFor: 'all' },
      inherited: { requiredFor: 'owners' },
      isDefault: false,
    });
  });

  it('switches second factors off, whatever a field that goes with them holds', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    const { policy } = await call<{ policy: object }>('GET', 'policies/factors');
    await call('PUT', 'policies/factors', { ...policy, secondFactor: 'offered', trustedBrowserDays: 30 });
    await goesTo(page, `orgs/${orgId}/sign-in/factors`);
    await page.getByLabel('Days without it in trusted browsers').first().fill('365');
    await page.getByRole('radio', { name: 'Nobody is asked for one', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = async () =>
      (await call<{ policy: { secondFactor: string } }>('GET', 'policies/factors')).policy.secondFactor;
    await expect.poll(saved).toBe('off');
  });

  it('is told what the login policy of the service would change, down to whether people come from elsewhere', async () => {
    const { policy } = await call<{ policy: object }>('GET', 'policies/login');
    await call('PUT', 'policies/login', { ...policy, allowExternalIdps: false });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/sign-in/login`);
    await content(page).getByRole('button', { name: /^Use / }).click();
    const changes = page.getByRole('dialog').getByRole('table');
    await expect
      .poll(() => changes.getByRole('row').allInnerTexts())
      .toEqual([expect.anything(), expect.stringMatching(/^External sign-in\s+No\s+Yes$/)]);
  });

  it('changes the accent colour in four clicks, and sees the page and the mail as they will be', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    const { click, count } = countClicks();
    await click(bar(page).getByRole('link', { name: 'Sign-in', exact: true }));
    await click(content(page).getByRole('link', { name: 'Branding' }).first());
    const field = page.getByRole('textbox', { name: 'Accent colour' });
    await click(field);
    await field.fill('#ffb000');
    await content(page).getByText('Black text stands on it').waitFor();
    const button = `document.querySelector('.preview > div').shadowRoot.querySelector('.button')`;
    const paint = async () => await page.evaluate<string>(`getComputedStyle(${button}).backgroundColor`);
    await expect.poll(paint).toBe('rgb(255, 176, 0)');
    expect(await faultsIn(page)).toEqual([]);
    await click(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByText('The branding is saved').waitFor();
    expect(count()).toBe(4);
    expect(await call('GET', 'policies/branding')).toMatchObject({ policy: { accentColor: '#ffb000' } });
    await content(page).getByText('Mail', { exact: true }).click();
    await page.locator('.preview h1').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('sets a policy, finds it after a reload, and gives it up knowing what changes', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/sign-in/password`);
    await opens(page, 'Password');
    const field = page.getByRole('textbox', { name: 'Minimum length' });
    await expect.poll(async () => await field.getAttribute('placeholder')).toBe('Default: 8');
    await field.fill('5');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('From 8 to 72.', { exact: true }).waitFor();
    await field.fill('14');
    // what was typed outlives a reload
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await expect.poll(async () => await field.inputValue()).toBe('14');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The policy is saved').waitFor();
    expect(await call('GET', 'policies/password')).toMatchObject({ policy: { minLength: '14' } });
    await page.getByRole('button', { name: 'Use the default' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('14 characters').waitFor();
    await dialog.getByText('8 characters', { exact: true }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Use the default' }).click();
    await page.getByText('own setting was removed').waitFor();
    expect(await call('GET', 'policies/password')).toMatchObject({ isDefault: true });
    expect(visitor.complaints).toEqual([]);
  });

  it('writes a message in own words, sees it, and goes back to the built-in ones', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/sign-in/texts/initialise?language=en`);
    await opens(page, 'Invitation');
    const subject = page.getByRole('textbox', { name: 'Subject' });
    await subject.fill('Welcome to ');
    await page.getByRole('button', { name: 'Insert organizationName' }).click();
    await expect.poll(async () => await subject.inputValue()).toBe('Welcome to {{organizationName}}');
    await page
      .getByText(/^Welcome to [^{]/)
      .first()
      .waitFor();
    // what is not saved yet, to whoever asks for it
    await page.getByRole('button', { name: 'Send me a test' }).click();
    const sent = await page.getByText(/^A test was sent to /).textContent();
    const mail = await stage().mailTo(/to (\S+)\.$/.exec(sent ?? '')?.[1] ?? '');
    expect(mail.subject).toMatch(/^\[Test\] Welcome to [^{]/);
    expect(await call('GET', 'templates/initialise/en')).toMatchObject({ isDefault: true });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The texts are saved').waitFor();
    expect(await call('GET', 'templates/initialise/en')).toMatchObject({
      template: { subject: 'Welcome to {{organizationName}}' },
    });
    await page.getByRole('button', { name: 'Use the built-in texts' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use the built-in texts' }).click();
    await page.getByText('The built-in texts are used again').waitFor();
    expect(await call('GET', 'templates/initialise/en')).toMatchObject({ isDefault: true });
    expect(visitor.complaints).toEqual([]);
  });

  it('writes a message of the instance, which an organization without its own then has, and goes back', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await bar(page).getByRole('link', { name: 'Instance settings', exact: true }).click();
    await content(page).getByRole('link', { name: 'Texts', exact: true }).click();
    await opens(page, 'Texts of messages');
    expect(await faultsIn(page)).toEqual([]);
    await content(page).getByRole('link', { name: 'Invitation', exact: true }).click();
    await opens(page, 'Invitation');
    const heading = page.getByRole('textbox', { name: 'Heading' });
    await heading.fill('Come in, everybody');
    const mail = page.locator('.beside-fixed');
    await mail.getByRole('heading', { name: 'Come in, everybody' }).waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The texts are saved').waitFor();
    await content(page).getByText('Set for the instance').waitFor();
    expect(await call('GET', 'templates/initialise/en')).toMatchObject({
      isDefault: true,
      inherited: { title: 'Come in, everybody' },
    });
    await goesTo(page, `orgs/${orgId}/sign-in/texts/initialise?language=en`);
    await opens(page, 'Invitation');
    await expect.poll(async () => await heading.getAttribute('placeholder')).toBe('Come in, everybody');
    await goesTo(page, `instance/settings/texts/initialise?language=en`);
    await opens(page, 'Invitation');
    await page.getByRole('button', { name: 'Use the built-in texts' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use the built-in texts' }).click();
    await page.getByText('The built-in texts are used again').waitFor();
    const { inherited } = await call<{ inherited: { title: string } }>('GET', 'templates/initialise/en');
    expect(inherited.title).not.toBe('Come in, everybody');
    expect(visitor.complaints).toEqual([]);
  });
});

it('whoever may only look reads every policy, and finds nothing that changes one', async () => {
  const { page, orgId } = await memberAtConsole(stage(), 'ORG_OWNER_VIEWER');
  for (const [path, heading] of [
    ['password', 'Password'],
    ['factors', 'Second factors'],
    ['branding', 'Branding'],
    ['texts/initialise', 'Invitation'],
  ] as const) {
    await goesTo(page, `orgs/${orgId}/sign-in/${path}`);
    await opens(page, heading);
    await settles(page);
    await content(page).locator('.facts').waitFor();
    const fields = ['TextInput', 'NumberInput', 'Textarea', 'Switch', 'Radio', 'Checkbox'];
    const inputs = content(page).locator(fields.map((field) => `.mantine-${field}-root`).join());
    await expect.poll(async () => await inputs.count()).toBe(0);
  }
});
