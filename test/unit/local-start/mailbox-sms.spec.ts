import { afterAll, beforeAll, expect, it } from 'vitest';
import { startMailbox, type Mailbox } from '../../../scripts/mailbox.mjs';
import { TwilioChannel } from '../../../src/outbound/sms/twilio-channel.js';
import { failureOf, messagesProvider, sms } from '../outbound/providers.js';

let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await startMailbox();
});
afterAll(() => mailbox.stop());

it('shows an SMS that was sent as npm start sets it up', async () => {
  const twilio = new TwilioChannel({
    baseUrl: mailbox.smsUrl,
    secretOf: () => Promise.resolve('local-mailbox'),
    timeoutMs: 5_000,
    checkTimeoutMs: 5_000,
  });
  const { providerMessageId } = await twilio.sendMessage(messagesProvider, sms);
  expect(providerMessageId).toMatch(/^SM[0-9a-f]{32}$/);
  expect(mailbox.messages(sms.to)).toMatchObject([{ channel: 'sms', to: sms.to, text: sms.text }]);
  const magic = { ...sms, to: '+15005550009' };
  expect(await failureOf(twilio.sendMessage(messagesProvider, magic))).toMatchObject({
    reason: 'twilio_21614',
    failure: 'terminal',
  });
});
