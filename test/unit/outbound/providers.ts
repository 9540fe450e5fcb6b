import {
  ChannelError,
  type MailMessage,
  type SmsMessage,
} from '../../../src/domain/notifications/channels.js';
import type {
  HttpProvider,
  SmtpProvider,
  TwilioMessagesProvider,
  TwilioVerifyProvider,
} from '../../../src/domain/notifications/providers/provider.js';
import type { NotificationId, ProviderId } from '../../../src/domain/shared/ids.js';
import { ACCOUNT_SID, VERIFY_SID } from '../../support/twilio-double.js';

const common = {
  id: 'p1' as ProviderId,
  name: 'test',
  priority: 1,
  ratePerSecond: null,
  connections: 2,
  version: '1',
};

export function smtpProvider(url: string, changes: Partial<SmtpProvider['settings']> = {}): SmtpProvider {
  const { hostname, port } = new URL(url);
  const settings = {
    host: hostname,
    port: Number(port),
    tls: 'none',
    from: 'id@mail.test',
    ...changes,
  } as const;
  return { ...common, kind: 'smtp', channel: 'email', settings };
}

export const messagesProvider: TwilioMessagesProvider = {
  ...common,
  kind: 'twilio_messages',
  channel: 'sms',
  settings: { accountSid: ACCOUNT_SID, from: '+15005550006' },
};

export const verifyProvider: TwilioVerifyProvider = {
  ...common,
  kind: 'twilio_verify',
  channel: 'sms',
  settings: { accountSid: ACCOUNT_SID, verifyServiceSid: VERIFY_SID },
};

export function httpProvider(url: string): HttpProvider {
  return { ...common, kind: 'http', channel: 'email', settings: { url } };
}

export const mail: MailMessage = {
  messageId: 'n1@id.test',
  to: 'ada@mail.test',
  subject: 'Grüezi',
  text: 'Text',
  html: '<p>Text</p>',
};

export const sms: SmsMessage = {
  notificationId: 'n1' as NotificationId,
  to: '+41791234567',
  text: 'Your code is ABC123',
  code: 'ABC123',
  language: 'de-CH',
  statusCallbackUrl: 'https://id.test/cb?n=1',
};

/** What a send failed with; fails itself when the send did not. */
export async function failureOf(work: Promise<unknown>): Promise<ChannelError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ChannelError)) throw new Error('no ChannelError', { cause: error });
  return error;
}
