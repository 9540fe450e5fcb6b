import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    await section.getByRole('button', { name: 'Ask about me' }).click();
    await section.getByText('"tier": "gold"').waitFor();
    const [question] = receiver.at('/claims');
    expect(question && isSignedBy(secret, question)).toBe(true);
    expect(await faultsIn(page)).toEqual([]);
    await section.getByRole('button', { name: 'Remove the claims webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the claims webhook' }).click();
    await page.getByText('The claims webhook is removed.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
