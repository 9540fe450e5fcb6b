import type { AppConfig } from '../../../config/config.js';
import {
  CONFIG_SMTP,
  CONFIG_TWILIO,
  type Provider,
} from '../../../domain/notifications/providers/provider.js';

/** After every stored one, whatever its priority. */
const LAST = 1_000_000;
const COMMON = { priority: LAST, ratePerSecond: null, connections: 8, version: '0' };

/** The providers that the environment names, without their secrets. */
export function configuredProviders(app: AppConfig): readonly Provider[] {
  const { mail, sms } = app;
  const providers: Provider[] = [];
  if (mail.smtpUrl !== undefined) {
    const url = new URL(mail.smtpUrl);
    const implicit = url.protocol === 'smtps:';
    providers.push({
      ...COMMON,
      id: CONFIG_SMTP,
      name: 'SMTP_URL',
      kind: 'smtp',
      channel: 'email',
      settings: {
        host: url.hostname,
        port: url.port === '' ? (implicit ? 465 : 587) : Number(url.port),
        tls: implicit ? 'implicit' : 'opportunistic',
        ...(url.username === '' ? {} : { user: decodeURIComponent(url.username) }),
        from: mail.from,
      },
    });
  }
  const twilio = { ...COMMON, id: CONFIG_TWILIO, name: 'TWILIO_ACCOUNT_SID', channel: 'sms' } as const;
  const { accountSid, from, messagingServiceSid, verifyServiceSid } = sms;
  if (accountSid === undefined || sms.authToken === undefined) return providers;
  if (verifyServiceSid !== undefined) {
    providers.push({ ...twilio, kind: 'twilio_verify', settings: { accountSid, verifyServiceSid } });
  } else {
    providers.push({
      ...twilio,
      kind: 'twilio_messages',
      settings: { accountSid, from, messagingServiceSid },
    });
  }
  return providers;
}
