// SQL by hand: nothing but this reads a sealed secret
import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { ProviderSecrets } from '../../../domain/notifications/providers/provider-secrets.js';
import { CONFIG_SMTP, CONFIG_TWILIO } from '../../../domain/notifications/providers/provider.js';
import { Sealer, type SealedValue } from '../../../domain/secrets/sealer.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import { Sql } from '../sql.js';
import { providerPlace } from './provider-row.js';

const SECRET = {
  name: 'notification-providers-secret',
  text: `SELECT secret_sealed AS sealed, data_key_id AS "dataKeyId" FROM notification_providers WHERE id = $1 AND secret_sealed IS NOT NULL`,
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
    const row = await this.sql.row<Pick<SealedValue, keyof SealedValue>>(SECRET, [id]);
    if (row === undefined) return undefined;
    return (await this.sealer.open(providerPlace(id), row)).toString();
  }
}

function passwordIn(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { password } = new URL(url);
  return password === '' ? undefined : decodeURIComponent(password);
}
