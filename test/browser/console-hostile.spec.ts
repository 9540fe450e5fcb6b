import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { given } from '../support/given.js';
import { goesTo, ownerAtConsole, settles, type AtConsole } from './support/console.js';
import { useStage } from './support/stage.js';
import { oneOfEach, type Things } from './support/things.js';

// A script in every text that the console shows (S475): names, keys and values, files, columns, errors, templates. Each page shows the text as
// it is, and nothing in it runs: no dialog opens, no mark is left, no element of it is there, and the browser reports no violation of the
// policy, which would be the second wall behind the first.

const stage = useStage({ CLIENT_REGISTRATION: 'token' });

/** Says what it is of, so that one is not taken for another. Short: some texts have room for no more. */
function script(what: string): string {
  return `${what} <img src=x onerror=ran=1><svg onload=ran=1>`;
}

/** Of a role's key and of a field, which have no blanks; a slash parts attributes as well. */
function shown(what: string): string {
  return ['role key', 'field'].includes(what) ? script(what).replaceAll(' ', '/') : script(what);
}

const TEXTS = {
  subject: script('subject'),
  title: script('title'),
  text: script('words'),
  button: script('button'),
};

const things = given(async (): Promise<Things> => {
  const made = await oneOfEach(stage(), script);
  for (const side of ['management', 'admin'])
    await stage().asRoot('PUT', `${side}/v1/templates/initialise/en`, TEXTS);
  await stage().asRoot('PUT', 'management/v1/orgs/me', { name: script('own') });
  return made;
});

/** Everything that the page says: also in fields, in the shadow of a preview, and above it. */
const SAID = `(() => {
  const said = [document.title];
  const read = (root) => {
    said.push(root.textContent ?? '');
    for (const element of root.querySelectorAll('*')) {
      if ('value' in element) said.push(String(element.value));
      if (element.shadowRoot !== null) read(element.shadowRoot);
    }
  };
  read(document.body);
  return said.join(' ');
})()`;

/** What a text has become that was read as markup, and what it did. */
const CAME_ALIVE = `(() => {
  const found = 'ran' in window ? ['it ran'] : [];
  const look = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if ([...element.attributes].some(({ name }) => name.startsWith('on')) || element.getAttribute('src') === 'x')
        found.push(element.outerHTML.slice(0, 200));
      if (element.shadowRoot !== null) look(element.shadowRoot);
    }
  };
  look(document);
  return found;
})()`;

/** Ends with what is wrong with the page that is open: a text that is not there as it is, or something of it that is alive. */
async function says(page: Page, address: string, ...whats: readonly string[]): Promise<readonly string[]> {
  await page.locator('#content h1').first().waitFor();
  await settles(page);
  const missing = async (): Promise<readonly string[]> => {
    const said = await page.evaluate<string>(SAID);
    return whats.filter((what) => !said.includes(shown(what)));
  };
  const deadline = performance.now() + 30_000;
  while ((await missing()).length > 0 && performance.now() < deadline) await settles(page);
  return [
    ...(await missing()).map((what) => `${address}: ${what} is not there`),
    ...(await page.evaluate<string[]>(CAME_ALIVE)).map((what) => `${address}: ${what}`),
  ];
}

/** An owner whose browser keeps every dialog that a page opens. */
async function owner(): Promise<AtConsole & { readonly dialogs: readonly string[] }> {
  const at = await ownerAtConsole(stage());
  const dialogs: string[] = [];
  at.page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return { ...at, dialogs };
}

/** What each page has to say. */
function pages(orgId: string): readonly (readonly [address: string, ...whats: readonly string[]])[] {
  const org = `orgs/${orgId}`;
  const user = `${org}/users/${things.user}`;
  const project = `${org}/projects/${things.project}`;
  const of = (parts: readonly string[], at: string, ...whats: readonly string[]) =>
    parts.map((part) => [part === '' ? at : `${at}/${part}`, ...whats] as const);
  return [
    [org, 'own', 'person'],
    [`orgs/${things.other}`, 'organization'],
    [`orgs/${things.other}/settings`, 'organization'],
    [`orgs/${things.other}/projects`, 'organization', 'project'],
    [`${org}/users?search=onerror`, 'person'],
    [user, 'person', 'first name', 'last name', 'nickname'],
    [`${user}/security`, 'person', 'browser', 'passkey', 'identities'],
    [`${user}/roles`, 'person', 'project', 'role key'],
    [`${user}/metadata`, 'metadata key', 'metadata value'],
    ...of(['contact', 'messages', 'events'], user, 'person'),
    [`${org}/service-users`, 'service user'],
    [`${org}/service-users/${things.machine}`, 'service user', 'description'],
    [`${org}/projects`, 'project'],
    [project, 'project', 'application', 'interface', 'role', 'role key', 'organization'],
    ...of(
      ['', 'sign-in', 'tokens', 'access', 'code'],
      `${project}/applications/${things.app}`,
      'application',
    ),
    [`${project}/applications/${things.api}`, 'interface'],
    [`${org}/imports`, 'file'],
    [`${org}/imports/${things.import}`, 'file', 'field'],
    [`${org}/messages`, 'person'],
    [`${org}/messages/${things.message}`, 'person'],
    [`${org}/sign-in/texts/initialise?language=en`, 'subject', 'title', 'words', 'button'],
    [`${org}/sign-in/branding`, 'own'],
    [`${org}/sign-in/providers`, 'identities'],
    [`${org}/sign-in/providers/${things.idp}`, 'identities'],
    [`${org}/sign-in/login`, 'own'],
    [`${org}/webhooks`, 'webhook'],
    [`${org}/webhooks/${things.webhook}`, 'webhook'],
    [`${org}/members`, 'person'],
    [`${org}/settings`, 'own', 'directory', 'previews'],
    ['instance/organizations', 'organization', 'own'],
    ['instance/members', 'person'],
    ['instance/providers', 'relay'],
    [`instance/providers/${things.provider}`, 'relay'],
    ['instance/messages', 'own', 'person'],
    [`instance/messages/${things.message}`, 'own', 'person'],
    ['instance/settings/identity-providers', 'identities of all'],
    [`instance/settings/identity-providers/${things.instanceIdp}`, 'identities of all'],
    ['instance/settings/texts/initialise?language=en', 'subject', 'title', 'words', 'button'],
    ['instance/webhooks', 'webhook of all'],
    [`instance/webhooks/${things.instanceWebhook}`, 'webhook of all'],
  ];
}

describe('a script in a text', () => {
  it('is shown as it is on every page, and nothing runs (S475)', { timeout: 600_000 }, async () => {
    const { page, visitor, dialogs, orgId } = await owner();
    const wrong: string[] = [];
    for (const [address, ...whats] of pages(orgId)) {
      await goesTo(page, address);
      wrong.push(...(await says(page, address, ...whats)));
    }
    expect(wrong).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('is shown as it is in the log, with all details open', async () => {
    const { page, visitor, dialogs, orgId } = await owner();
    const wrong: string[] = [];
    for (const log of [`orgs/${orgId}/events`, 'instance/events'])
      for (const [type, ...whats] of [
        ['project.added', 'project'],
        ['application.oidc.added', 'application', 'project'],
        ['project.role.added', 'project'],
        ['user.human.imported', 'person'],
        ['webhook.added', log.startsWith('orgs') ? 'webhook' : 'webhook of all'],
      ] as const) {
        const address = `${log}?type=${type}`;
        await goesTo(page, address);
        const details = page.getByRole('button', { name: /^Details of event/ });
        await details.first().waitFor();
        for (const one of (await details.all()).slice(0, 3)) await one.click();
        await page.locator('dl.facts').first().waitFor();
        wrong.push(...(await says(page, address, ...whats)));
      }
    expect(wrong).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('is shown as it is where it is searched for, chosen and asked about', async () => {
    const { page, visitor, dialogs, orgId } = await owner();
    const wrong: string[] = [];
    await page.keyboard.press('/');
    await page.getByPlaceholder('Search or go to').fill('onerror');
    await page.getByRole('dialog').getByText('person').first().waitFor();
    wrong.push(...(await says(page, 'the palette', 'person')));
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: /^Switch organization/ }).click();
    await page.getByPlaceholder('Find an organization').fill('onerror');
    await page.getByRole('option').first().waitFor();
    wrong.push(...(await says(page, 'the switch', 'organization', 'own')));
    await page.keyboard.press('Escape');

    const project = `orgs/${orgId}/projects/${things.project}`;
    await goesTo(page, project);
    await page.getByRole('button', { name: 'Delete project' }).click();
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    wrong.push(...(await says(page, 'the end of a project', 'project')));
    await page.keyboard.press('Escape');

    await goesTo(page, `orgs/${orgId}/users/${things.user}/roles`);
    await page.getByPlaceholder('Find a project').fill('project');
    await page.getByRole('option').first().waitFor();
    wrong.push(...(await says(page, 'a project to give roles in', 'project')));
    expect(wrong).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });

  it('is shown as it is of a file that was chosen: its name, its columns, and the trial that refuses it', async () => {
    const { page, visitor, dialogs, orgId } = await owner();
    await goesTo(page, `orgs/${orgId}/imports/new`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file', exact: true }).click(),
    ]);
    const rows = [`userName,email,${script('column')}`, `"${script('cell')}",a@post.example,1`];
    await chooser.setFiles({
      name: `${script('name')}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(rows.join('\r\n')),
    });
    await page.getByRole('table', { name: 'Columns of the file' }).waitFor();
    const wrong = [...(await says(page, 'the columns of a file', 'column'))];
    await page.getByRole('heading', { name: 'name <img src=x onerror=ran=1>' }).waitFor();
    await page.getByRole('button', { name: 'Try the one record' }).click();
    // the service says what it does not know
    await page.locator('#content [role=alert]').first().waitFor();
    wrong.push(...(await says(page, 'the trial', 'column')));
    expect(wrong).toEqual([]);
    await expect
      .poll(() => visitor.complaints.splice(0))
      .toEqual([expect.stringMatching(/^400 for .*\/imports\?/)]);
    // the question whether to leave is not asked yet
    expect(dialogs).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});
