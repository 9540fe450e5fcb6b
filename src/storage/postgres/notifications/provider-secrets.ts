import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { ProviderSecrets } from '../../../domain/notifications/providers/provider-secrets.js';
import { CONFIG_SMTP, CONFIG_TWILIO } from '../../../domain/notifications/providers/provider.js';
import { Sealer } from '../../../domain/secrets/sealer.js';
import type { ProviderId } from '../../../domain/shared/ids.js';
import { openSecret } from '../secrets/secret-columns.js';
import { Sql } from '../sql.js';
import { Table } from '../table.js';
import { NotificationProviderEntity } from '../tables/notification-provider.entity.js';
import { providerPlace } from './provider-row.js';

@Injectable()
export class PgProviderSecrets extends ProviderSecrets {
  private readonly rows: Table<NotificationProviderEntity>;

  constructor(
    sql: Sql,
    private readonly sealer: Sealer,
    private readonly config: Config,
  ) {
    super();
    this.rows = new Table(sql, NotificationProviderEntity);
  }

  override async open(id: ProviderId): Promise<string | undefined> {
    const { mail, sms } = this.config.app;
    if (id === CONFIG_TWILIO) return sms.authToken;
    if (id === CONFIG_SMTP) return passwordIn(mail.smtpUrl);
    return await openSecret(this.sealer, providerPlace(id), await this.rows.find({ id }));
  }
}

function passwordIn(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { password } = new URL(url);
  return password === '' ? undefined : decodeURIComponent(password);
}
