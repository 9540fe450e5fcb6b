// SQL by hand: SMS of an hour ago are counted, which nobody sends in a test; a mail server that was away was another one's
import { describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { faultsIn, goesTo, opens, ownerAtConsole, settles } from './support/console.js';
import { useStage } from './support/stage.js';

// A message that was given up, in the console: found by its filter, its cause in words, and sent again, alone and with all others.

const stage = useStage();

interface Ledger {
  readonly result?: readonly { readonly id: string }[];
}

/** Messages to a user that were given up. */
async function givenUp(userId: string): Promise<readonly string[]> {
  const asked = { userId, deadLetter: true };
  const { result = [] } = await stage().asRoot<Ledger>('POST', 'admin/v1/notifications/_search', asked);
  return result.map(({ id }) => id);
}

/** Somebody whose mail server refused their invitation, and would take it now. @returns their address */
async function neverInvited(firstName: string): Promise<string> {
  return (await neverInvitedTo('', firstName)).email;
}

/** The same in another organization. */
async function neverInvitedTo(org: string, firstName: string) {
  const email = `${firstName.toLowerCase()}@post.example`;
  stage().refused.add(email);
  const { userId } = await stage().asRoot<{ userId: string }>(
    'POST',
    'management/v1/users/human/_import',
    {
      userName: firstName.toLowerCase(),
      profile: { firstName, lastName: 'Waits' },
      email: { email, isEmailVerified: true },
    },
    org,
  );
  await expect.poll(async () => (await givenUp(userId)).length).toBe(1);
  stage().refused.delete(email);
  return { email, userId };
}

describe('what SMS cost', () => {
  it('is not left out because it could not be read, and the list is there all the same', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const statistics = '**/management/v1/statistics*';
    await page.route(statistics, async (route) => {
      await route.fulfill({ status: 400, json: { code: 3, message: 'Not now' } });
    });
    await goesTo(page, `orgs/${orgId}/messages`);
    await opens(page, 'Messages');
    const alert = page.locator('#content').getByRole('alert');
    await alert.getByText('Not now').waitFor();
    await page.getByRole('checkbox', { name: 'Given up, can be sent again' }).waitFor();
    await page.unroute(statistics);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    for (const complaint of visitor.complaints.splice(0)) expect(complaint).toMatch(/^400 for .*statistics/);
  });
});

describe('SMS of the whole instance', () => {
  it('are charts for its administrators, with the organizations that spend most', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    const spender = await stage().asRoot<{ id: string }>('POST', 'admin/v1/orgs', { name: 'Big spender' });
    await goesTo(page, 'instance/providers');
    await opens(page, 'Message providers');
    // none were sent: empty charts would only be in the way
    await expect.poll(() => page.getByText('SMS by organization').count()).toBe(0);
    await runAsAdmin(
      stage().database.url,
      `WITH counted AS (
         SELECT '${spender.id}' AS org_id, date_trunc('hour', now()) AS hour, * FROM (VALUES ('smsAdmitted', 40), ('smsCost', 3000000)) v(counted, count)
         UNION ALL SELECT '${orgId}', date_trunc('hour', now()), 'smsAdmitted', 2),
       of_organizations AS (INSERT INTO organization_counts (org_id, hour, counted, count) SELECT * FROM counted)
       INSERT INTO instance_counts (hour, counted, count) SELECT hour, counted, sum(count) FROM counted GROUP BY hour, counted`,
    );
    await page.reload();
    await opens(page, 'Message providers');
    const rows = page.getByRole('region', { name: 'SMS by organization' }).locator('tbody > tr');
    await expect.poll(async () => await rows.count()).toBe(2);
    await expect.poll(async () => await rows.first().textContent()).toMatch(/Big spender.*40.*3\.00/);
    await page.getByRole('region', { name: 'Spent on SMS' }).getByText('3.00').first().waitFor();
    await page.mouse.move(0, 0);
    expect(await faultsIn(page)).toEqual([]);
    await rows.getByRole('link', { name: 'Big spender' }).click();
    await opens(page, 'Messages');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/orgs/${spender.id}/messages`);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('a message that was given up', () => {
  it('says why, and is sent again', async () => {
    const email = await neverInvited('Maud');
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/messages`);
    await opens(page, 'Messages');
    await page.getByRole('checkbox', { name: 'Given up, can be sent again' }).check();
    await expect.poll(() => new URL(page.url()).searchParams.get('dead')).toBe('true');
    // the rows of the list before go once those of the filter are asked for
    await settles(page);
    const row = page.getByRole('row').filter({ hasText: 'Maud Waits' });
    await row.getByText('Given up', { exact: true }).filter({ visible: true }).first().waitFor();
    await row.locator('.row-link').click();
    await opens(page, 'Invitation');
    const cause = page.getByRole('alert', { name: 'Why it was not delivered' });
    await cause.getByText('refuses the address or the message').waitFor();
    await cause.getByText('It can be sent again while its code is valid.').waitFor();
    expect(await faultsIn(page)).toEqual([]);

    await page.getByRole('button', { name: 'Send again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The same message with the same code is sent again').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The message is being sent again.').waitFor();
    await stage().mailTo(email);
    // the page hears of it by itself
    await page.locator('#content').getByText('Accepted', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    await cause.waitFor({ state: 'detached' });
    expect(visitor.complaints).toEqual([]);
  });

  it('is sent again with all others that a filter finds', async () => {
    const first = await neverInvited('Edna');
    const second = await neverInvited('Olga');
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/messages?dead=true`);
    await opens(page, 'Messages');
    await page.getByRole('button', { name: 'Send all of these again' }).click();
    await page.getByRole('dialog').getByText('2 messages go out again').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send all of these again' }).click();
    await page.getByText('2 messages are on the way again.').waitFor();
    for (const email of [first, second]) await stage().mailTo(email);
    await page.getByText('Nothing fits this search').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send all of these again' }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the ledger', () => {
  it('is searched by time and by a whole address, and the address of the page has both', async () => {
    const email = 'Whole.Ledger@post.example';
    await stage().importHuman({ profile: { firstName: 'Wanda', lastName: 'Ledger' }, email: { email } });
    await stage().mailTo(email);
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/messages`);
    await opens(page, 'Messages');
    const rows = page.locator('#content table tbody > tr');
    await page
      .getByRole('textbox', { name: 'Whole e-mail address or number' })
      .fill('whole.ledger@POST.example');
    await expect
      .poll(() => new URL(page.url()).searchParams.get('recipient'))
      .toBe('whole.ledger@POST.example');
    await expect.poll(async () => await rows.count()).toBe(1);
    await rows.getByText('Wanda Ledger').filter({ visible: true }).first().waitFor();

    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' });
    const from = page.getByLabel('From', { exact: true });
    await from.fill('2100-01-01T00:00');
    await page.getByText('Nothing fits this search').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe('2100-01-01T05:00Z');
    expect(await faultsIn(page)).toEqual([]);
    await from.fill('2020-01-01T00:00');
    await expect.poll(async () => await rows.count()).toBe(1);
    await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
    await page.getByText('Nothing fits this search').waitFor();
    // for a colleague elsewhere it is the same time
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
    await page.reload();
    await opens(page, 'Messages');
    await page.getByText('Nothing fits this search').waitFor();
    await expect.poll(async () => await from.inputValue()).toBe('2020-01-01T14:00');
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await rows.getByText('Wanda Ledger').filter({ visible: true }).first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the messages of the whole instance', () => {
  it('are found by organization and provider, name the host that failed, and go out again', async () => {
    const { id: org } = await stage().asRoot<{ id: string }>('POST', 'admin/v1/orgs', { name: 'Far Shore' });
    const here = await neverInvitedTo('', 'Hedda');
    const there = await neverInvitedTo(org, 'Thora');
    await runAsAdmin(
      stage().database.url,
      `UPDATE notifications SET last_error = 'smtp_connection', provider_id = 'gone-by-now',
         last_failure = '{"host": "mail.quay.example", "port": 587, "cause": "ECONNREFUSED"}'
       WHERE user_id = '${there.userId}'`,
    );
    const { page, visitor } = await ownerAtConsole(stage());
    await goesTo(page, 'instance/messages?dead=true');
    await opens(page, 'All messages');
    const rows = page.locator('#content table tbody > tr');
    const row = rows.filter({ hasText: 'Thora Waits' });
    await row.getByText('mail.quay.example:587').waitFor();
    await row.getByRole('link', { name: 'Far Shore' }).filter({ visible: true }).waitFor();
    await rows.filter({ hasText: 'Hedda Waits' }).waitFor();

    // a provider that is gone is named by its id
    await goesTo(page, 'instance/messages?dead=true&provider=gone-by-now');
    await opens(page, 'All messages');
    await expect.poll(async () => await rows.count()).toBe(1);
    await expect
      .poll(async () => await page.getByRole('combobox', { name: 'Provider' }).inputValue())
      .toBe('gone-by-now');

    await goesTo(page, 'instance/messages?dead=true');
    await opens(page, 'All messages');
    await page.getByRole('combobox', { name: 'Organization' }).fill('far sh');
    await page.getByRole('option', { name: 'Far Shore' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('organization')).toBe(org);
    await expect.poll(async () => await rows.count()).toBe(1);
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send all of these again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One message goes out again').waitFor();
    await dialog.getByRole('button', { name: 'Send all of these again' }).click();
    await page.getByText('One message is on the way again.').waitFor();
    await stage().mailTo(there.email);
    // not beyond the organization
    expect(await givenUp(here.userId)).toHaveLength(1);
    await expect.poll(async () => await givenUp(there.userId)).toEqual([]);
    await page.getByText('Nothing fits this search').waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await row.getByText('Accepted', { exact: true }).filter({ visible: true }).first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('are looked at and sent again one by one, and lead to their organization', async () => {
    const { id: org } = await stage().asRoot<{ id: string }>('POST', 'admin/v1/orgs', { name: 'Lee Shore' });
    const { email, userId } = await neverInvitedTo(org, 'Solveig');
    const [id] = await givenUp(userId);
    await runAsAdmin(
      stage().database.url,
      `UPDATE notifications SET last_error = 'smtp_connection',
         last_failure = '{"host": "mail.quay.example", "port": 587, "cause": "ECONNREFUSED"}'
       WHERE id = '${id}'`,
    );
    const { page, visitor } = await ownerAtConsole(stage());
    await goesTo(page, `instance/messages/${id}`);
    await opens(page, 'Invitation');
    await page.getByText('mail.quay.example:587').waitFor();
    await page.getByText('The mail server cannot be reached.').waitFor();
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The message is being sent again.').waitFor();
    await stage().mailTo(email);
    await page.locator('#content').getByText('Accepted', { exact: true }).waitFor();
    await page.locator('#content').getByRole('link', { name: 'Lee Shore' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/orgs/${org}`);
    expect(visitor.complaints).toEqual([]);
  });
});
