import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { ProviderSecrets } from '../../../domain/notifications/providers/provider-secrets.js';
import { CONFIG_SMTP, CONFIG_TWILIO } from '../../../domain/notifications/providers/provider.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import { Sql } from '../sql.js';
import { providerPlace } from './provider-row.js';

const SECRET = {
  name: 'notification-providers-secret',
  text: `SELECT secret_sealed, data_key_id FROM notification_providers WHERE id = $1 AND secret_sealed IS NOT NULL`,
};

@Injectable()
export class PgProviderSecrets extends ProviderSecrets {
  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
    private readonly config: Config,
  ) {
    super();
  }

  override async open(id: ProviderId): Promise<string | undefined> {
    const { mail, sms } = this.config.app;
    if (id === CONFIG_TWILIO) return sms.authToken;
    if (id === CONFIG_SMTP) return passwordIn(mail.smtpUrl);
    const row = await this.sql.row<{ secret_sealed: Buffer; data_key_id: number }>(SECRET, [id]);
    if (row === undefined) return undefined;
    const value = { dataKeyId: row.data_key_id, sealed: row.secret_sealed };
    return (await this.sealer.open(providerPlace(id), value)).toString();
  }
}

function passwordIn(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { password } = new URL(url);
  return password === '' ? undefined : decodeURIComponent(password);
}
