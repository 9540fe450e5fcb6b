import { describe, expect, it } from 'vitest';
import {
  faultsIn,
  goesTo,
  keptIn,
  memberAtConsole,
  opens,
  ownerAtConsole,
  PASSWORD,
  settles,
} from './support/console.js';
import { useStage } from './support/stage.js';

// The console in a real browser: signing in to it, moving in it, what each role finds there, and what happens to it when the
// session ends.

const stage = useStage();

describe('an instance owner', () => {
  it('signs in, finds all places, and axe finds no fault on any of them', async () => {
    const { page, visitor } = await ownerAtConsole(stage());
    const links = page.locator('.mantine-AppShell-navbar a');
    await expect.poll(async () => await links.count()).toBeGreaterThanOrEqual(15);
    const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const href of addresses) {
      const address = `${stage().issuer}${href}`;
      await page.goto(address);
      await page.locator('#content h1').waitFor();
      await settles(page);
      await expect.poll(() => page.url()).toBe(address);
      expect(await faultsIn(page), address).toEqual([]);
    }
    expect(visitor.complaints).toEqual([]);
  });

  it('keeps the token in memory alone', async () => {
    const { page } = await ownerAtConsole(stage());
    expect(await keptIn(page)).not.toMatch(/eyJ|access|token|bearer/i);
    const cookies = await page.context().cookies();
    expect(cookies.filter(({ httpOnly }) => !httpOnly)).toEqual([]);
  });

  it('comes back to the address that was opened, filters and all', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    const address = `${stage().issuer}/console/orgs/${orgId}/users?search=nobody-of-this-name`;
    await page.goto(address);
    await page.getByText('Nothing fits this search').waitFor();
    await expect.poll(() => page.url()).toBe(address);
    await page.reload();
    await page.getByText('Nothing fits this search').waitFor();
    await expect.poll(() => page.url()).toBe(address);
  });

  it('finds somebody by the keyboard alone, and locks and unlocks them', async () => {
    const human = await stage().importHuman({
      password: PASSWORD,
      profile: { firstName: 'Quokka', lastName: 'Keeper' },
    });
    const { page } = await ownerAtConsole(stage());
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await opens(page, 'Users');
    await page.keyboard.press('/');
    await page.getByPlaceholder('Search or go to').waitFor();
    await page.keyboard.type('quokka');
    await page.getByRole('dialog').getByText('Quokka Keeper').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await opens(page, 'Quokka Keeper');
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('The user is locked.').waitFor();
    await page.locator('#content').getByText('Locked', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('The user is unlocked.').waitFor();
    expect(human.userId).not.toBe('');
  });

  it('goes on by keys that are pressed before anybody is found', async () => {
    await stage().importHuman({ profile: { firstName: 'Queue', lastName: 'Warden' } });
    const { page } = await ownerAtConsole(stage());
    const SEARCH = /\/management\/v1\/users\?.*search=/;
    let goOn: () => void = () => undefined;
    const hold = async () => {
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await page.route(SEARCH, async (route) => {
        await held;
        await route.continue();
      });
    };
    const type = async (text: string) => {
      const asked = page.waitForRequest(SEARCH);
      await page.keyboard.press('/');
      await page.getByPlaceholder('Search or go to').waitFor();
      await page.keyboard.type(text);
      await asked;
    };
    const chosen = page.getByRole('dialog').locator('[data-selected]');
    // no place has this name
    await hold();
    await type('warden');
    await page.keyboard.press('ArrowDown');
    goOn();
    await expect
      .poll(async () => await chosen.allInnerTexts())
      .toEqual([expect.stringContaining('Queue Warden')]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.unrouteAll();
    // one has: the key goes on from there
    await hold();
    await type('queue');
    await expect.poll(async () => await chosen.allInnerTexts()).toEqual([expect.stringContaining('Queues')]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    goOn();
    await opens(page, 'Queue Warden');
  });

  it('shows nobody of another search', async () => {
    await stage().importHuman({ profile: { firstName: 'Numbat', lastName: 'Minder' } });
    const { page } = await ownerAtConsole(stage());
    await page.keyboard.press('/');
    await page.getByPlaceholder('Search or go to').waitFor();
    await page.keyboard.type('numbat');
    const found = page.getByRole('dialog').getByText('Numbat Minder');
    await found.waitFor();
    // nothing else is asked for yet
    await page.clock.install();
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await page.keyboard.type('s');
    await expect.poll(async () => await found.count()).toBe(0);
    await page.clock.resume();
  });

  it('adds somebody, and what was typed stays after an error', async () => {
    const taken = await stage().importHuman();
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users/new`);
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.locator('input[type=email]').fill('grace.hopper@post.example');
    await page.getByLabel('User name').fill(taken.loginName.split('@')[0] ?? '');
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByRole('alert').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^409 for .*\/users\/human$/)]);
    await expect.poll(async () => await page.getByLabel('First name').inputValue()).toBe('Grace');
    await page.getByLabel('User name').fill('grace.hopper');
    await page.getByRole('button', { name: 'Add user' }).click();
    await opens(page, 'Grace Hopper');
    await stage().mailTo('grace.hopper@post.example');
  });

  it('is told in German why something was refused, with what the service says below', async () => {
    const taken = await stage().importHuman();
    const { page, visitor, orgId } = await ownerAtConsole(stage(), { locale: 'de-DE' });
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users/new`);
    await page.getByLabel('Vorname').fill('Grete');
    await page.getByLabel('Nachname').fill('Hermann');
    await page.locator('input[type=email]').fill('grete.hermann@post.example');
    await page.getByLabel('Benutzername').fill(taken.loginName.split('@')[0] ?? '');
    await page.locator('button[type=submit]').click();
    await page.getByRole('alert').getByText('Dieses Objekt gibt es bereits.').waitFor();
    await page.getByRole('alert').getByText('User already exists.').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^409 for .*\/users\/human$/)]);
  });

  it('is asked before a form with unsaved changes is left', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users/new`);
    await page.getByLabel('First name').fill('Grace');
    await page.locator('.mantine-AppShell-navbar').getByRole('link', { name: 'Users', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What you changed on this page is not saved.').waitFor();
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await expect.poll(async () => await page.getByLabel('First name').inputValue()).toBe('Grace');
  });

  it('finds a new user as they were typed after a reload, but for the password (S448)', async () => {
    const { page, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/new`);
    await opens(page, 'Add a user');
    await page.getByLabel('First name').fill('Grace');
    await page.locator('input[type=password]').fill('Limpet-Barnacle-9');
    const kept = async () => await page.evaluate<string>('JSON.stringify(Object.entries(sessionStorage))');
    await expect.poll(kept).toContain('Grace');
    await expect.poll(kept).not.toContain('Barnacle');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await opens(page, 'Add a user');
    await expect.poll(async () => await page.getByLabel('First name').inputValue()).toBe('Grace');
    await expect.poll(async () => await page.locator('input[type=password]').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(kept).not.toContain('Grace');
  });

  it('is told that the session is over where it ended, with what was typed still there', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users/new`);
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.locator('input[type=email]').fill('late@post.example');
    await page.context().clearCookies();
    const me = await fetch(`${stage().issuer}/management/v1/users/_search`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stage().credentials.adminServiceUser.pat}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ queries: [{ userNameQuery: { userName: 'admin' } }] }),
    });
    const { result } = (await me.json()) as { result: readonly { id: string }[] };
    const ended = await fetch(`${stage().issuer}/management/v1/users/${result[0]?.id}/sessions`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${stage().credentials.adminServiceUser.pat}` },
    });
    expect(ended.status).toBe(200);
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByText('Your session has ended').first().waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/users\/human$/)]);
    await expect.poll(async () => await page.getByLabel('First name').inputValue()).toBe('Grace');
    await page.getByRole('button', { name: 'Sign in here' }).waitFor();
    // in another tab, and on from where one was
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    const { loginName, password } = stage().credentials.admin;
    await tab.getByLabel(visitor.texts.form.loginName).fill(loginName);
    await tab.getByLabel(visitor.texts.form.password, { exact: true }).fill(password);
    await tab.keyboard.press('Enter');
    await tab.locator('#content h1').waitFor();
    await tab.close();
    await page.getByRole('button', { name: 'Add user' }).click();
    await opens(page, 'Grace Hopper');
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/users\/human$/)]);
  });

  it('is told so once, however much of the page could not be read', async () => {
    const owner = await memberAtConsole(stage(), 'IAM_OWNER');
    const { page, visitor, userId } = owner;
    await settles(page);
    await stage().asRoot('DELETE', `management/v1/users/${userId}/sessions`);
    await page.context().clearCookies();
    const again = async () => await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    const refused = () => visitor.complaints.filter((one) => one.startsWith('401 for '));
    await page.clock.setFixedTime(new Date(Date.now() + 120_000));
    await again();
    const over = page.locator('#content').getByText('Your session has ended');
    await over.first().waitFor();
    await expect.poll(() => refused().length).toBeGreaterThan(3);
    await settles(page);
    await expect.poll(async () => await over.count()).toBe(1);
    // above everything that it is about
    await expect
      .poll(async () => await page.locator('#content > *').first().textContent())
      .toContain('Your session has ended');
    // a page of which nothing is there says what is missing, and whose words stand above it
    const { orgId } = owner;
    await goesTo(page, `orgs/${orgId}/projects`);
    await page.getByText('This could not be loaded.').first().waitFor();
    await expect.poll(async () => await over.count()).toBe(1);
    expect(await faultsIn(page)).toEqual([]);
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    const { form } = visitor.texts;
    await tab.getByLabel(form.loginName).fill(owner.loginName);
    await tab.getByLabel(form.password, { exact: true }).fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await tab.locator('#content h1').waitFor();
    await tab.close();
    await page.getByRole('button', { name: 'Try again' }).click();
    await opens(page, 'Projects');
    await expect.poll(async () => await over.count()).toBe(0);
    // what was refused on the way is heard of before it is asked for below
    await expect.poll(async () => await page.getByText('This could not be loaded.').count()).toBe(0);
    for (const complaint of visitor.complaints.splice(0)) expect(complaint).toMatch(/^401 for /);
  });

  it('goes on where somebody else has signed in to the browser, by signing in beside them', async () => {
    const next = await stage().importHuman({ password: PASSWORD });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/new`);
    await opens(page, 'Add a user');
    await page.getByLabel('First name').fill('Lise');
    await page.getByLabel('Last name').fill('Meitner');
    await page.locator('input[type=email]').fill('lise@post.example');
    await page.context().clearCookies();
    const { form, chooseAccount } = visitor.texts;
    const signIn = async (tab: typeof page, loginName: string, password: string): Promise<void> => {
      await tab.getByLabel(form.loginName).fill(loginName);
      await tab.getByLabel(form.password, { exact: true }).fill(password);
      await tab.keyboard.press('Enter');
    };
    const other = await visitor.openWindow();
    await other.goto(`${stage().issuer}/console/`);
    await signIn(other, next.loginName, PASSWORD);
    await other.locator('#content h1').waitFor();
    await other.close();
    // the token that the page has is good no more
    let old: string | undefined;
    await page.route('**/users/human', async (route) => {
      const { authorization = '' } = await route.request().allHeaders();
      old ??= authorization;
      if (authorization === old) await route.fulfill({ status: 401 });
      else await route.continue();
    });
    const add = page.getByRole('button', { name: 'Add user' });
    await add.click();
    await page.getByText('Your session has ended').first().waitFor();
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).first().click(),
    ]);
    await tab.getByRole('heading', { level: 1, name: chooseAccount.title }).waitFor();
    await tab.getByRole('button', { name: chooseAccount.otherAccount }).click();
    const { loginName, password } = stage().credentials.admin;
    await signIn(tab, loginName, password);
    await tab.locator('#content h1').waitFor();
    await expect.poll(() => new URL(tab.url()).search).toBe('');
    await tab.close();
    // of the two who are signed in now, the one whose page it is
    await add.click();
    await opens(page, 'Lise Meitner');
    const refused = expect.stringMatching(/^401 for .*\/users\/human$/) as string;
    expect(visitor.complaints.splice(0)).toEqual([refused, refused]);
  });

  it('is asked again before a form is left, who had left it for the sign-in page and come back', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/users/new`);
    await opens(page, 'Add a user');
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Last name').fill('Hopper');
    await page.locator('input[type=email]').fill('back@post.example');
    await page.route(/\/authorize\?.*prompt=none/, async (route) => await route.fulfill({ body: '' }));
    await page.route('**/users/human', async (route) => await route.fulfill({ status: 401 }));
    await page.getByRole('button', { name: 'Add user' }).click();
    const leave = page.getByRole('button', { name: 'Sign in here' });
    await leave.waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^401 for .*\/users\/human$/)]);
    // the browser goes nowhere, and shows the page again as it was
    await page.route(/\/authorize\?/, async (route) => await route.fulfill({ status: 204 }));
    await Promise.all([page.waitForResponse((answer) => answer.status() === 204), leave.click()]);
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await page.unrouteAll();
    let asked = '';
    page.once('dialog', (dialog) => {
      asked = dialog.type();
      void dialog.accept();
    });
    await page.reload();
    expect(asked).toBe('beforeunload');
    await opens(page, 'Add a user');
  });

  it('signs out for good', async () => {
    const { page } = await ownerAtConsole(stage());
    // what is still asked for would be refused
    await expect.poll(async () => await page.locator('.mantine-Skeleton-root').count()).toBe(0);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${stage().issuer}/`);
    await page.goto(`${stage().issuer}/console/`);
    await page.waitForURL('**/login**');
    await expect.poll(async () => await page.locator('#console').count()).toBe(0);
  });
});

describe('what others see', () => {
  const PLACES = { settings: /\/settings$/, users: /\/users$/ };
  const placesOf = async (page: Awaited<ReturnType<typeof memberAtConsole>>['page']) =>
    await page
      .locator('.mantine-AppShell-navbar a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));

  it('a viewer of the organization: its places, and no button that changes anything', async () => {
    const { page, orgId } = await memberAtConsole(stage(), 'ORG_OWNER_VIEWER');
    await expect
      .poll(async () => await placesOf(page))
      .toEqual(
        expect.arrayContaining([expect.stringMatching(PLACES.users), expect.stringMatching(PLACES.settings)]),
      );
    expect((await placesOf(page)).filter((place) => place.includes('/instance/'))).toEqual([]);
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users`);
    await opens(page, 'Users');
    await expect.poll(async () => await page.getByRole('link', { name: 'Add a user' }).count()).toBe(0);
    await page.locator('.rows .row-link').first().click();
    // both pages have a heading
    await page.locator('.sub-places').waitFor();
    await settles(page);
    for (const action of ['Lock', 'Deactivate', 'Delete user'])
      await expect
        .poll(async () => await page.getByRole('button', { name: action, exact: true }).count())
        .toBe(0);
  });

  it('a manager of users: users and what is done to them, and nothing else', async () => {
    const { page } = await memberAtConsole(stage(), 'ORG_USER_MANAGER');
    await expect
      .poll(async () => await placesOf(page))
      .toEqual(expect.arrayContaining([expect.stringMatching(PLACES.users)]));
    expect((await placesOf(page)).filter((place) => /\/members$|\/instance\//.test(place))).toEqual([]);
    await page.locator('.mantine-AppShell-navbar').getByRole('link', { name: 'Users', exact: true }).click();
    await opens(page, 'Users');
    await page.getByRole('link', { name: 'Add a user' }).first().waitFor();
  });

  it('somebody without a role: no place at all, and the way to their own account', async () => {
    const { page } = await memberAtConsole(stage());
    await page.getByText('You have no role in an organization.').waitFor();
    expect(await placesOf(page)).toEqual([]);
    await page.locator('#content').getByRole('link', { name: 'Your account' }).waitFor();
  });
});

describe('hostile data', () => {
  it('is shown as text: names that are scripts run nothing', async () => {
    const script = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
    await stage().importHuman({
      profile: { firstName: script, lastName: 'Mallory', displayName: script, nickName: script },
    });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users?search=onerror`);
    await page.locator('.rows .row-link').first().click();
    await page.getByRole('heading', { level: 1, name: script, exact: true }).waitFor();
    await expect.poll(async () => await page.title()).toContain('<img');
    await expect.poll(async () => await page.title()).not.toBe('owned');
    expect(visitor.complaints).toEqual([]);
  });

  it('of an address leads nowhere else after a sign-in', async () => {
    const visitor = await stage().visit();
    await visitor.page.goto(`${stage().issuer}/console//evil.example/%2e%2e?next=https://evil.example`);
    await visitor.signIn(stage().credentials.admin.loginName, stage().credentials.admin.password);
    await visitor.page.locator('#content h1').waitFor();
    await expect.poll(() => new URL(visitor.page.url()).origin).toBe(stage().issuer);
  });
});

describe('giving somebody a role', () => {
  it('is as it was left when the page is loaded again, as on the way to a fresh sign-in', async () => {
    const human = await stage().importHuman({ password: PASSWORD });
    const { page, orgId } = await ownerAtConsole(stage());
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/members`);
    await page.getByRole('button', { name: 'Give somebody a role' }).click();
    const user = page.getByRole('combobox', { name: 'User' }).or(page.getByRole('textbox', { name: 'User' }));
    // users are found by their name; a login name has the organization's domain after it
    await user.first().fill(human.loginName.split('@')[0] ?? '');
    await page.getByRole('option', { name: human.loginName }).click();
    await page.getByRole('checkbox').first().check();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await expect.poll(async () => await user.first().inputValue()).toContain(human.loginName);
    await expect.poll(async () => await page.getByRole('checkbox').first().isChecked()).toBe(true);
  });
});

// the last one: for some seconds after the clock has jumped, the API makes tokens that have ended already
describe('a console that is left open for a day', () => {
  it('goes on after its token has ended, on the same page, as long as the session is there', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await page.goto(`${stage().issuer}/console/orgs/${orgId}/users`);
    await opens(page, 'Users');
    await page.evaluate('window.stillHere = true');
    // an access token is good for twelve hours
    await stage().advance(12 * 3600 + 60);
    const refused: string[] = [];
    const search = page.getByLabel('Search names, e-mail addresses, phone numbers, ids');
    let turn = 0;
    // the API hears of the jump within some seconds, and refuses the token then
    await expect
      .poll(async () => {
        turn += 1;
        // the page sends what has stood there for a moment: typing on at once would put that off each time
        const answered = page.waitForResponse((response) =>
          response.url().includes(`search=nobody-${turn}&`),
        );
        await search.fill(`nobody-${turn}`);
        await answered;
        await page.getByText('Nothing fits this search').waitFor();
        refused.push(...visitor.complaints.splice(0));
        return refused.length;
      })
      .toBeGreaterThan(0);
    expect(refused).toEqual(refused.map(() => expect.stringMatching(/^401 for .*\/users\?/) as unknown));
    await search.fill('somebody-else');
    await page.getByText('Nothing fits this search').waitFor();
    await expect.poll(async () => await page.evaluate('window.stillHere')).toBe(true);
  });
});
