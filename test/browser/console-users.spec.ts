import { describe, expect, it } from 'vitest';
import {
  faultsIn,
  giveRole,
  goesTo,
  keptIn,
  memberAtConsole,
  opens,
  ownerAtConsole,
  PASSWORD,
  settles,
} from './support/console.js';
import { useStage } from './support/stage.js';

// The page of a user in the console: every part of it, what it changes, and what those who may change nothing find.

const stage = useStage();

const TABS = ['', '/contact', '/security', '/roles', '/metadata', '/messages', '/events'];
/** Base32, as an authenticator app keeps it. */
const SEED = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

describe('the page of a user', () => {
  it('has an address for each of its parts, and axe finds no fault on any of them', async () => {
    const human = await stage().importHuman({ password: PASSWORD, otpCode: SEED });
    const { page, orgId } = await ownerAtConsole(stage());
    for (const tab of TABS) {
      await goesTo(page, `orgs/${orgId}/users/${human.userId}${tab}`);
      await opens(page, 'Ada Lovelace');
      expect(await faultsIn(page), tab).toEqual([]);
    }
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users/${human.userId}/nothing`);
    await page
      .getByText('There is nothing here')
      .or(page.getByRole('heading', { level: 1 }))
      .first()
      .waitFor();
  });

  it('changes the profile, and keeps what was typed when the page is loaded again', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}`);
    await opens(page, 'Ada Lovelace');
    await page.getByLabel('Last name').fill('King');
    await page.getByLabel('City').fill('London');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await opens(page, 'Ada Lovelace');
    await expect.poll(async () => await page.getByLabel('Last name').inputValue()).toBe('King');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await opens(page, 'Ada King');
    const { user } = await read<{ user: { human: { profile: Record<string, unknown> } } }>(human.userId);
    expect(user.human.profile).toMatchObject({ lastName: 'King', address: { locality: 'London' } });
    await expect
      .poll(async () => await page.evaluate<string>('JSON.stringify(Object.keys(sessionStorage))'))
      .not.toContain('draft');
  });

  it('keeps what was typed for its author alone, whoever signs in next in the tab (S409)', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const next = await stage().importHuman({ password: PASSWORD }, stage().credentials.adminServiceUser);
    await giveRole(stage(), next.userId, 'ORG_OWNER');
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const kept = async () => await page.evaluate<string>('JSON.stringify(Object.entries(sessionStorage))');
    await goesTo(page, `orgs/${orgId}/users/${human.userId}`);
    await opens(page, 'Ada Lovelace');
    await page.getByLabel('Last name').fill('Marker-King');
    await expect.poll(kept).toContain('Marker-King');
    // the session is over, without a sign-out
    await page.context().clearCookies();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.goto(`${stage().issuer}/console/`);
    await page.locator('input[name=loginName]').waitFor();
    expect(await kept()).toContain('Marker-King');
    await visitor.signIn(next.loginName, PASSWORD);
    await page.locator('#content h1').waitFor();
    expect(await kept()).not.toContain('Marker-King');
  });

  it('changes the address and the number, and vouches for them', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}/contact`);
    await opens(page, 'Ada Lovelace');
    await page.locator('input[type=email]').fill('countess@post.example');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('countess@post.example replaces it').waitFor();
    await stage().mailTo('countess@post.example');
    await page.getByRole('button', { name: 'Keep the present address' }).click();
    await page.getByText('The address stays as it is.').waitFor();
    await page.locator('input[type=tel]').fill('+41791234567');
    await page.getByLabel('Mark the number as verified').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The phone number is changed.').waitFor();
    const { user } = await read<{ user: { human: Record<string, unknown> } }>(human.userId);
    expect(user.human).toMatchObject({
      email: { email: human.email, isEmailVerified: true },
      phone: { phone: '+41791234567', isPhoneVerified: true },
    });
    await page.getByRole('button', { name: 'Remove the number' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the number' }).click();
    await page.getByText('There is no phone number.').waitFor();
  });

  it('saves one form of the page after another was saved, though both were typed into before', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}/contact`);
    await opens(page, 'Ada Lovelace');
    await page.locator('input[type=tel]').fill('+41791234568');
    await page.locator('input[type=email]').fill('countess@post.example');
    const saves = page.getByRole('button', { name: 'Save', exact: true });
    await saves.first().click();
    await page.getByText('countess@post.example replaces it').waitFor();
    await page.getByText('The e-mail address is changed.').waitFor();
    await saves.click();
    await page.getByText('The phone number is changed.').waitFor();
    const { user } = await read<{ user: { human: Record<string, unknown> } }>(human.userId);
    expect(user.human).toMatchObject({ phone: { phone: '+41791234568' } });
  });

  it('lists and removes a second factor, and ends sessions', async () => {
    const human = await stage().importHuman({ password: PASSWORD, otpCode: SEED });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}/security`);
    await opens(page, 'Ada Lovelace');
    await page.getByText('Authenticator app').waitFor();
    await page.getByText('The user is not signed in anywhere.').waitFor();
    await page.getByRole('button', { name: 'Reset all factors' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset all factors' }).click();
    await page.getByText('The user has no second factor.').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await expect
      .poll(async () => await page.getByText('All sessions have ended.').count())
      .toBeGreaterThan(0);
  });

  it('sets a password that has to be changed, which is kept nowhere, and says why one is refused', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}/security`);
    await opens(page, 'Ada Lovelace');
    await page.getByRole('button', { name: 'Set a password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=password]').fill('short');
    await dialog.getByRole('button', { name: 'Set a password' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*\/password$/)]);
    expect(await faultsIn(page)).toEqual([]);
    const typed = dialog.locator('input[type=password]');
    await typed.fill('Another-Horse-8');
    // neither Escape nor a click beside the dialog loses it, and only who discards it is rid of it
    await page.mouse.click(5, 5);
    await expect.poll(async () => await typed.inputValue()).toBe('Another-Horse-8');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => await keptIn(page)).not.toContain('Another-Horse');
    await page.getByRole('button', { name: 'Set a password' }).click();
    await expect.poll(async () => await typed.inputValue()).toBe('Another-Horse-8');
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Set a password' }).click();
    await expect.poll(async () => await typed.inputValue()).toBe('');
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Set a password' }).click();
    await typed.fill('Another-Horse-8');
    await expect
      .poll(async () => await dialog.getByLabel('Must change at next sign-in').isChecked())
      .toBe(true);
    await dialog.getByRole('button', { name: 'Set a password' }).click();
    await page.getByText('The password is set.').waitFor();
    await expect.poll(async () => await keptIn(page)).not.toContain('Another-Horse');

    const visitorOfHuman = await stage().visit();
    await visitorOfHuman.page.goto(stage().depart().url);
    await visitorOfHuman.signIn(human.loginName, 'Another-Horse-8');
    await visitorOfHuman.page.locator('input[autocomplete~="new-password"]').first().waitFor();
  });

  it('makes a link for a passkey, which is shown once', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}/security`);
    await opens(page, 'Ada Lovelace');
    await page.getByRole('button', { name: 'Make a passkey link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a passkey link' }).click();
    const link = page.getByRole('alert', { name: 'Link for a passkey' }).locator('code, pre').first();
    await expect.poll(async () => await link.textContent()).toMatch(/\/passkey\/register\?/);
    expect(await faultsIn(page)).toEqual([]);
    await page.reload();
    await opens(page, 'Ada Lovelace');
    await expect.poll(async () => await link.count()).toBe(0);
  });

  it('sets, changes and removes metadata', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}/metadata`);
    await opens(page, 'Ada Lovelace');
    await page.getByRole('button', { name: 'Add metadata' }).click();
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('department');
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('Zürich <b>office</b>');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const rows = page.locator('.rows');
    await rows.getByText('Zürich <b>office</b>').waitFor();
    // what is there is not replaced by something new of its key
    await page.getByRole('button', { name: 'Add metadata' }).click();
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('department');
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('Basel');
    // by the one call that would set it: whoever asks first may be told too early
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.includes('/metadata/')) asked.push(`${request.method()} ${pathname.split('/').at(-1)}`);
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('There is metadata with this key.').waitFor();
    // the list is read after it, with what somebody else may have set
    expect(asked[0]).toBe('PUT department');
    expect(visitor.complaints.splice(0)).toEqual([
      expect.stringMatching(/^412 for .*\/metadata\/department$/),
    ]);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await rows.getByText('Zürich <b>office</b>').waitFor();
    await page.getByRole('button', { name: 'Change department' }).click();
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('Bern');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await rows.getByText('Bern', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove department', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(async () => await page.getByText('No metadata yet').count()).toBeGreaterThan(0);
  });

  it('gives, changes, deactivates, reactivates and takes away roles', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const call = async (path: string, body: object) => {
      const response = await fetch(`${stage().issuer}/management/v1/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${stage().credentials.adminServiceUser.pat}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { id: string };
    };
    const { id } = await call('projects', { name: 'Harbour' });
    for (const roleKey of ['pilot', 'keeper'])
      await call(`projects/${id}/roles`, { roleKey, displayName: roleKey });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${human.userId}/roles`);
    await opens(page, 'Ada Lovelace');
    await page.getByPlaceholder('Find a project').fill('Harbour');
    await page.getByRole('option', { name: 'Harbour' }).click();
    await page.getByRole('form', { name: 'Give roles' }).getByLabel('Roles', { exact: true }).click();
    await page.getByRole('option', { name: 'pilot' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Give', exact: true }).click();
    await page.getByText('The roles are given.').waitFor();
    await page.getByRole('button', { name: 'Change the roles in Harbour' }).click();
    const form = page.getByRole('form', { name: 'Change the roles in Harbour' });
    await form.getByLabel('Roles', { exact: true }).click();
    await page.getByRole('option', { name: 'keeper' }).click();
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('cell', { name: /keeper/ }).waitFor();
    const row = page.getByRole('table', { name: 'Roles' }).getByRole('row', { name: /Harbour/ });
    await row.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await row.getByText('Inactive', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Reactivate' }).click();
    await row.getByRole('button', { name: 'Deactivate' }).waitFor();
    await page.getByRole('button', { name: 'Take away' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take away' }).click();
    await expect
      .poll(async () => await page.getByText('No roles in any project.').count())
      .toBeGreaterThan(0);
  });

  it('shows what was sent and what was done', async () => {
    const human = await stage().importHuman();
    await stage().mailTo(human.email);
    const { page, orgId } = await ownerAtConsole(stage());
    const address = `orgs/${orgId}/users/${human.userId}`;
    await goesTo(page, `${address}/messages`);
    await page.locator('.rows .row-link').first().waitFor();
    await goesTo(page, `${address}/events`);
    await page.getByText('A user was imported').waitFor();
    await page.getByText('Done by this user').click();
    await page.getByText('No events').waitFor();
    await expect.poll(() => page.url()).toBe(`${stage().issuer}/console/${address}/events?events=by`);
  });

  it('shows a viewer everything and no way to change any of it', async () => {
    const human = await stage().importHuman({ password: PASSWORD, otpCode: SEED });
    const { page, orgId } = await memberAtConsole(stage(), 'ORG_OWNER_VIEWER');
    for (const tab of TABS) {
      await goesTo(page, `orgs/${orgId}/users/${human.userId}${tab}`);
      await opens(page, 'Ada Lovelace');
      await settles(page);
      // the head of a column sorts, which changes nothing
      const changing = page
        .locator('#content')
        .getByRole('button')
        .filter({ hasNotText: /^(Details|Copy|Time)$/ });
      await expect.poll(async () => await changing.count(), { message: tab }).toBe(0);
    }
  });

  it('leaves out for a manager of users what they may not read', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, orgId } = await memberAtConsole(stage(), 'ORG_USER_MANAGER');
    await goesTo(page, `orgs/${orgId}/users/${human.userId}`);
    await opens(page, 'Ada Lovelace');
    await expect
      .poll(async () => await page.locator('.sub-places a').allTextContents())
      .toEqual(['Profile', 'Contact', 'Security', 'Roles', 'Metadata']);
  });
});

describe('two administrators who edit one user', () => {
  it('are told: the second looks at the change of the first, and saves on top of it', async () => {
    const { userId } = await stage().importHuman({ password: PASSWORD });
    const [first, second] = await bothAt(userId);
    await first.getByLabel('Nickname').fill('Countess');
    await first.getByRole('button', { name: 'Save', exact: true }).click();
    await first.getByText('Saved', { exact: true }).waitFor();
    await second.page.getByLabel('City').fill('London');
    await second.page.getByRole('button', { name: 'Save', exact: true }).click();
    await second.page.getByText('Somebody else changed this meanwhile').waitFor();
    expect(second.visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for .*\/profile$/)]);
    expect(await faultsIn(second.page)).toEqual([]);
    await second.page.getByRole('button', { name: 'Show their change' }).click();
    await expect.poll(async () => await second.page.getByLabel('Nickname').inputValue()).toBe('Countess');
    await expect.poll(async () => await second.page.getByLabel('City').inputValue()).toBe('');
    // also after a reload
    await second.page.reload();
    await opens(second.page, 'Ada Lovelace');
    await second.page.getByRole('button', { name: 'Show mine again' }).click();
    await expect.poll(async () => await second.page.getByLabel('City').inputValue()).toBe('London');
    await second.page.getByLabel('Nickname').fill('Countess');
    await second.page.getByRole('button', { name: 'Save', exact: true }).click();
    await second.page.getByText('Saved', { exact: true }).waitFor();
    const { user } = await read<{ user: { human: { profile: Record<string, unknown> } } }>(userId);
    expect(user.human.profile).toMatchObject({ nickName: 'Countess', address: { locality: 'London' } });
  });

  it('may save over the change of the other, once they know of it', async () => {
    const { userId } = await stage().importHuman({ password: PASSWORD });
    const [first, second] = await bothAt(userId);
    await first.getByLabel('Nickname').fill('Countess');
    await first.getByRole('button', { name: 'Save', exact: true }).click();
    await first.getByText('Saved', { exact: true }).waitFor();
    await second.page.getByLabel('Nickname').fill('Enchantress');
    await second.page.getByRole('button', { name: 'Save', exact: true }).click();
    await second.page.getByRole('button', { name: 'Overwrite it' }).click();
    second.visitor.complaints.splice(0);
    await second.page.getByRole('dialog').getByRole('button', { name: 'Overwrite it' }).click();
    await second.page.getByText('Saved', { exact: true }).waitFor();
    const { user } = await read<{ user: { human: { profile: Record<string, unknown> } } }>(userId);
    expect(user.human.profile).toMatchObject({ nickName: 'Enchantress' });
  });

  async function bothAt(userId: string) {
    const first = await ownerAtConsole(stage());
    const second = await ownerAtConsole(stage());
    for (const { page, orgId } of [first, second]) {
      await goesTo(page, `orgs/${orgId}/users/${userId}`);
      await opens(page, 'Ada Lovelace');
    }
    return [first.page, second] as const;
  }
});

describe('many users at once', () => {
  it('are ticked or all that fit are chosen, and what becomes of them is watched', async () => {
    for (const lastName of ['One', 'Two', 'Three'])
      await stage().importHuman({ password: PASSWORD, profile: { firstName: 'Wombat', lastName } });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users?search=wombat`);
    await page.getByLabel('Choose Wombat One').check();
    await page.getByText('1 user chosen').waitFor();
    await page.getByRole('button', { name: 'Choose all 3 that fit' }).click();
    await page.getByText('3 users chosen').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Bulk actions' }).click();
    await page.getByRole('menuitem', { name: 'Lock', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('3 done, 0 refused, of 3').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('bulk')).toMatch(/^\d+$/);
    expect(await faultsIn(page)).toEqual([]);
    // whoever comes back finds it
    await page.reload();
    await page.getByText('3 done, 0 refused, of 3').waitFor();
    await expect.poll(async () => await page.locator('.rows').getByText('Locked').count()).toBe(3);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByLabel('Choose all that are shown').check();
    await page.getByRole('button', { name: 'Bulk actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(async () => await dialog.getByRole('button', { name: 'Delete', exact: true }).isEnabled())
      .toBe(false);
    await dialog.getByRole('textbox').fill('3');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('3 done, 0 refused, of 3').waitFor();
    await page.getByText('Nothing fits this search').waitFor();
  });

  it('are those that are seen: no action reaches users who were ticked under another search', async () => {
    for (const firstName of ['Numbat', 'Quokka'])
      await stage().importHuman({ password: PASSWORD, profile: { firstName, lastName: 'Ticked' } });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users?search=numbat`);
    await page.getByLabel('Choose Numbat Ticked').check();
    await page.getByText('1 user chosen').waitFor();
    const search = page.getByRole('searchbox', { name: 'Search names, e-mail addresses' });
    await search.fill('quokka');
    await page.getByLabel('Choose Quokka Ticked').waitFor();
    await expect.poll(async () => await page.getByText('1 user chosen').count()).toBe(0);
    // and they are not chosen again by coming back
    await search.fill('numbat');
    await page.getByLabel('Choose Numbat Ticked').waitFor();
    await expect.poll(async () => await page.getByText('1 user chosen').count()).toBe(0);
  });

  it('are as many as was asked about: where more fit by then, nothing is done and the list is read again', async () => {
    const add = async (lastName: string) =>
      await stage().importHuman({ password: PASSWORD, profile: { firstName: 'Bilby', lastName } });
    for (const lastName of ['One', 'Two']) await add(lastName);
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users?search=bilby`);
    await page.getByLabel('Choose Bilby One').check();
    await page.getByRole('button', { name: 'Choose all 2 that fit' }).click();
    await page.getByText('2 users chosen').waitFor();
    await add('Three');
    await page.getByRole('button', { name: 'Bulk actions' }).click();
    await page.getByRole('menuitem', { name: 'Lock', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('Users who fit by now: 3, expected: 2').waitFor();
    await page.getByText('3 users chosen').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for .*\/users\/_bulk$/)]);
    await expect.poll(async () => await page.locator('.rows').getByText('Locked').count()).toBe(0);
  });

  it('say in German for whom it was refused and why', async () => {
    const { userId } = await stage().importHuman();
    await stage().asRoot('POST', `management/v1/users/${userId}/_lock`, {});
    const { id } = await stage().asRoot<{ id: string }>('POST', 'management/v1/users/_bulk', {
      action: 'lock',
      userIds: [userId],
    });
    const { page, orgId } = await ownerAtConsole(stage(), { locale: 'de-DE' });
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users?bulk=${id}`);
    const table = page.getByRole('table', { name: 'Abgelehnt für' });
    await table.getByRole('cell', { name: 'Der Benutzer ist weder aktiv noch neu.' }).waitFor();
    await expect.poll(async () => await table.getByText('active').count()).toBe(0);
    expect(await faultsIn(page)).toEqual([]);
  });

  it('are not to be ticked by whoever may change none of them', async () => {
    const { page, orgId } = await memberAtConsole(stage(), 'ORG_OWNER_VIEWER');
    await goesTo(page, `orgs/${orgId}/users`);
    await opens(page, 'Users');
    await page.locator('.rows .row-link').first().waitFor();
    await expect.poll(async () => await page.locator('.rows input[type=checkbox]').count()).toBe(0);
    await expect.poll(async () => await page.getByRole('link', { name: 'Invite' }).count()).toBe(0);
  });
});

describe('the page of a user', () => {
  it('shows what somebody else has set under a key that is set again', async () => {
    const { userId } = await stage().importHuman();
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${userId}/metadata`);
    await page.getByRole('button', { name: 'Add metadata', exact: true }).click();
    await stage().asRoot('PUT', `management/v1/users/${userId}/metadata/desk`, {
      value: Buffer.from('theirs').toString('base64'),
    });
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('desk');
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('There is metadata with this key.').waitFor();
    await page.getByRole('table', { name: 'Metadata' }).getByRole('cell', { name: 'theirs' }).waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for /)]);
  });

  it("shows what somebody else saves under a key meanwhile, and one's own input again, after a reload too", async () => {
    const { userId } = await stage().importHuman();
    const path = `management/v1/users/${userId}/metadata/desk`;
    const set = async (value: string) =>
      await stage().asRoot('PUT', path, { value: Buffer.from(value).toString('base64') });
    await set('first');
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${userId}/metadata`);
    await page.getByRole('button', { name: 'Change desk', exact: true }).click();
    const value = page.getByRole('textbox', { name: 'Value', exact: true });
    await value.fill('mine');
    await set('theirs');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Show their change' }).click();
    await expect.poll(async () => await value.inputValue()).toBe('theirs');
    await page.getByRole('button', { name: 'Show mine again' }).click();
    await expect.poll(async () => await value.inputValue()).toBe('mine');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await expect.poll(async () => await value.inputValue()).toBe('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The metadata is saved.').waitFor();
    const { metadata } = await stage().asRoot<{ metadata: { value: string } }>('GET', path);
    expect(Buffer.from(metadata.value, 'base64').toString()).toBe('mine');
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for /)]);
  });

  it('lets go of a key that is gone, removed by somebody else or in the list', async () => {
    const { userId } = await stage().importHuman();
    const path = `management/v1/users/${userId}/metadata/desk`;
    const set = async () =>
      await stage().asRoot('PUT', path, { value: Buffer.from('4.12').toString('base64') });
    await set();
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${userId}/metadata`);
    const change = page.getByRole('button', { name: 'Change desk', exact: true });
    const add = page.getByRole('button', { name: 'Add metadata', exact: true });
    await change.waitFor();
    await stage().asRoot('DELETE', path);
    await change.click();
    await page.getByText('Somebody else has removed this key').waitFor();
    await expect.poll(async () => await change.count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await add.waitFor();
    await expect.poll(async () => await page.getByText('Somebody else has removed').count()).toBe(0);
    expect(visitor.complaints.splice(0).filter((told) => !told.startsWith('404 for '))).toEqual([]);
    await set();
    await page.reload();
    await change.click();
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('4.13');
    await page.getByRole('button', { name: 'Remove desk', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('The key is removed.').waitFor();
    await add.waitFor();
    await expect.poll(async () => await page.getByText('Somebody else has removed').count()).toBe(0);
    await page.reload();
    await add.waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('sets a key again that somebody else has removed while its value was typed', async () => {
    const { userId } = await stage().importHuman();
    const path = `management/v1/users/${userId}/metadata/desk`;
    await stage().asRoot('PUT', path, { value: Buffer.from('4.12').toString('base64') });
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${userId}/metadata`);
    await page.getByRole('button', { name: 'Change desk', exact: true }).click();
    const value = page.getByRole('textbox', { name: 'Value', exact: true });
    await value.fill('mine');
    await stage().asRoot('DELETE', path);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await page.getByRole('button', { name: 'Show their change' }).click();
    await page.getByText('Somebody else has removed this key').waitFor();
    await expect.poll(async () => await value.inputValue()).toBe('mine');
    await expect.poll(async () => await page.getByRole('button', { name: 'Overwrite it' }).count()).toBe(0);
    expect(await faultsIn(page)).toEqual([]);
    await save.click();
    await page.getByText('The metadata is saved.').waitFor();
    const { metadata } = await stage().asRoot<{ metadata: { value: string } }>('GET', path);
    expect(Buffer.from(metadata.value, 'base64').toString()).toBe('mine');
    const told = visitor.complaints.splice(0);
    expect(told.filter((one) => !one.startsWith('404 for '))).toEqual([expect.stringMatching(/^412 for /)]);
  });

  it('leads on to that of a service user, which has a page of its own', async () => {
    const { userId } = await stage().asRoot<{ userId: string }>('POST', 'management/v1/users/machine', {
      userName: 'signal-box',
      name: 'Signal box',
    });
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/${userId}`);
    await opens(page, 'Signal box');
    await expect.poll(() => new URL(page.url()).pathname).toContain(`/service-users/${userId}`);
  });
});

describe('an invitation', () => {
  it('makes a user with their roles, and mails a link to set a password', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users`);
    await page.getByRole('link', { name: 'Invite', exact: true }).click();
    await opens(page, 'Invite somebody');
    expect(await faultsIn(page)).toEqual([]);
    await page.locator('input[type=email]').fill('mary@post.example');
    await page.getByLabel('First name').fill('Mary');
    await page.getByLabel('Last name').fill('Shelley');
    await page.getByLabel('Organization viewer').check();
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('The invitation was sent to mary@post.example.').waitFor();
    await opens(page, 'Mary Shelley');
    const { text } = await stage().mailTo('mary@post.example');
    expect(text).toMatch(/https?:\/\//);
    await goesTo(page, `orgs/${orgId}/members`);
    await page.getByText('mary@post.example@lighthouse.example').waitFor();
    await expect
      .poll(async () => await page.evaluate<string>('JSON.stringify(Object.keys(sessionStorage))'))
      .not.toContain('draft');
  });

  it('says that the user is there where their roles failed, and sends the roles alone again', async () => {
    const { page, orgId, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/invite`);
    await opens(page, 'Invite somebody');
    const email = page.locator('input[type=email]');
    await email.fill('percy@post.example');
    await page.getByLabel('First name').fill('Percy');
    await page.getByLabel('Last name').fill('Shelley');
    await page.getByLabel('Organization viewer').check();
    const members = '**/orgs/me/members';
    const refusal = { status: 400, json: { code: 3, message: 'Not now.' } };
    await page.route(members, async (route) => await route.fulfill(refusal));
    const send = page.getByRole('button', { name: 'Send the invitation' });
    await send.click();
    await page.getByText('only the roles are missing').waitFor();
    for (const field of [email, page.getByLabel('First name'), page.getByLabel('Last name')])
      await expect.poll(async () => await field.isEditable()).toBe(false);
    await expect.poll(async () => await faultsIn(page)).toEqual([]);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^400 for .*\/members$/)]);
    await page.unroute(members);
    await send.click();
    await opens(page, 'Percy Shelley');
    await goesTo(page, `orgs/${orgId}/members`);
    await page.getByText('percy@post.example@lighthouse.example').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});

async function read<Answer>(userId: string): Promise<Answer> {
  return await stage().asRoot('GET', `management/v1/users/${userId}`);
}
