// SQL by hand: an event is given up after twenty attempts, over four hours
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAsAdmin } from '../support/databases.js';
import { isSignedBy, WebhookReceiver } from '../support/webhook-receiver.js';
import { faultsIn, goesTo, opens, ownerAtConsole } from './support/console.js';
import { useStage } from './support/stage.js';

// A webhook in the console: added, its secret seen once, tried out, switched off, removed; axe finds no fault.

const stage = useStage();
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await receiver.stop();
});

describe('webhooks', () => {
  it('are added, tried out, switched off and removed', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/webhooks`);
    await opens(page, 'Webhooks');
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('link', { name: 'Add a webhook' }).first().click();
    await opens(page, 'Add a webhook');
    await page.getByRole('textbox', { name: 'Name' }).fill('Directory sync');
    await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url());
    const events = page.getByRole('combobox', { name: 'Events' });
    await events.fill('user.*');
    await events.press('Enter');
    // closes the choices
    await page.getByRole('heading', { name: 'Add a webhook' }).click();
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add the webhook' }).click();
    const secret = await page.getByText(/^whsec_/).innerText();
    expect(await faultsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open the webhook' }).click();
    await opens(page, 'Directory sync');
    await expect.poll(() => page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Send a ping' }).click();
    await page.getByText('The ping was taken').waitFor();
    const ping = receiver.received.find(({ json }) => json.type === 'webhook.ping');
    expect(ping && isSignedBy(secret, ping)).toBe(true);
    expect(await faultsIn(page)).toEqual([]);

    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Nothing is sent any more.').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();

    await page.getByRole('button', { name: 'Remove the webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Directory sync');
    await dialog.getByRole('button', { name: 'Remove the webhook' }).click();
    await opens(page, 'Webhooks');
    await page.getByText('No webhook yet').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('that give up an event have it sent again, as well as all events since a time', async () => {
    const LAST_ATTEMPT = 'UPDATE webhooks SET attempts = 19';
    receiver.reply = () => 500;
    const { id, secret } = await stage().asRoot<{ id: string; secret: string }>(
      'POST',
      'management/v1/webhooks',
      { name: 'Payroll', url: receiver.url('/payroll'), eventTypes: ['project.added'] },
    );
    await runAsAdmin(stage().database.url, LAST_ATTEMPT);
    await stage().asRoot('POST', 'management/v1/projects', { name: 'Payroll one' });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/webhooks/${id}`);
    await opens(page, 'Payroll');
    // they come while the page is open
    const givenUp = page.getByRole('table', { name: 'Given up' });
    const rows = givenUp.getByRole('row').filter({ hasText: 'project.added' });
    await expect.poll(async () => await rows.count()).toBe(1);
    await rows.getByText('http_500').waitFor();
    expect(await faultsIn(page)).toEqual([]);

    // it still fails, and is given up once more
    await rows.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('They are sent again within seconds.').waitFor();
    await expect.poll(() => receiver.at('/payroll').length).toBe(2);
    await rows.getByRole('button', { name: 'Send again' }).waitFor();
    receiver.reply = () => 204;
    await page.getByRole('button', { name: 'Send all again' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('All events that were given up (1) are sent again').waitFor();
    await question.getByRole('button', { name: 'Send all again' }).click();
    await expect.poll(() => receiver.at('/payroll').length).toBe(3);
    // taken, and gone from the page by itself
    await givenUp.waitFor({ state: 'detached' });
    const [first, , third] = receiver.at('/payroll');
    expect(third?.headers['webhook-id']).toBe(first?.headers['webhook-id']);

    await page.getByRole('button', { name: 'Change the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change the secret' }).click();
    const shown = page.getByText(/^whsec_/);
    await expect.poll(() => shown.innerText()).not.toBe(secret);
    const other = await shown.innerText();
    await page.getByText('The previous secret also signs until').waitFor();
    expect(await faultsIn(page)).toEqual([]);

    const since = page.getByRole('textbox', { name: 'Since' });
    const again = page.getByRole('region', { name: 'Send again' });
    const sends = again.getByRole('button', { name: 'Send again' });
    await expect.poll(() => sends.isDisabled()).toBe(true);
    await since.fill('tomorrow');
    await page.getByText('Enter a date and a time in the past.').waitFor();
    await expect.poll(() => sends.isDisabled()).toBe(true);
    // which Chromium takes for the 12th of January
    await since.fill('01.12.2025');
    await page.getByText('Enter a date and a time in the past.').waitFor();
    await expect.poll(() => sends.isDisabled()).toBe(true);
    await since.fill(new Date(Date.now() - 3_600_000).toISOString());
    await sends.click();
    await page.getByText(/^Events sent since \S.* are sent again\.$/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The events are sent again.').waitFor();
    // signed by both, for a day
    const sentAgain = () =>
      receiver
        .at('/payroll')
        .slice(3)
        .filter(({ headers }) => headers['webhook-id'] === first?.headers['webhook-id'])
        .map((hook) => [isSignedBy(secret, hook), isSignedBy(other, hook)]);
    await expect.poll(sentAgain).toEqual([[true, true]]);
    await page.reload();
    await opens(page, 'Payroll');
    await expect.poll(async () => await page.content()).not.toContain(other);
    await stage().asRoot('DELETE', `management/v1/webhooks/${id}`);
    expect(visitor.complaints).toEqual([]);
  });

  it('of claims is set, asked about oneself, and removed', async () => {
    receiver.reply = () => ({ status: 200, body: '{"claims":{"tier":"gold"}}' });
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/webhooks`);
    const section = page.getByRole('region', { name: 'Claims webhook' });
    // its fields stand in its card, and in no other inside of it
    await section.getByRole('textbox', { name: 'URL' }).waitFor();
    await expect.poll(async () => await section.locator('.mantine-Paper-root').count()).toBe(0);
    await section.getByRole('textbox', { name: 'URL' }).fill(receiver.url('/claims'));
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The claims webhook is set.').waitFor();
    const secret = await section.getByText(/^whsec_/).innerText();
    expect(await faultsIn(page)).toEqual([]);
    await section.getByRole('button', { name: 'Test with my account' }).click();
    await section.getByText('"tier": "gold"').waitFor();
    const [question] = receiver.at('/claims');
    expect(question && isSignedBy(secret, question)).toBe(true);
    expect(await faultsIn(page)).toEqual([]);
    await section.getByRole('button', { name: 'Remove the claims webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the claims webhook' }).click();
    await page.getByText('The claims webhook is removed.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('of claims is not set over one that somebody else has set meanwhile', async () => {
    const { page, visitor, orgId } = await ownerAtConsole(stage());
    await goesTo(page, `orgs/${orgId}/webhooks`);
    const section = page.getByRole('region', { name: 'Claims webhook' });
    const url = section.getByRole('textbox', { name: 'URL' });
    await url.fill(receiver.url('/mine'));
    await stage().asRoot('PUT', 'management/v1/claims_webhook', { url: receiver.url('/theirs') });
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else changed this meanwhile').waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringMatching(/^412 for .*\/claims_webhook$/)]);
    await page.getByRole('button', { name: 'Show their change' }).click();
    await page.getByText('Your own input is kept.').waitFor();
    await expect.poll(async () => await url.inputValue()).toBe(receiver.url('/theirs'));
    await page.getByRole('button', { name: 'Show mine again' }).click();
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The claims webhook is set.').waitFor();
    const { claimsWebhook } = await stage().asRoot<{ claimsWebhook: { url: string } }>(
      'GET',
      'management/v1/claims_webhook',
    );
    expect(claimsWebhook.url).toBe(receiver.url('/mine'));
    await stage().asRoot('DELETE', 'management/v1/claims_webhook');
    expect(visitor.complaints).toEqual([]);
  });
});
