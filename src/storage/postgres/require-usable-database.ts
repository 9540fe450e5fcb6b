import type { AppConfig } from '../../config/config.js';
import { requireSession, requireUsablePooler } from './connections/pooler.js';
import type { PostgresSettings } from './data-source.js';
import { pendingMigrations } from './migrating/schema-version.js';

/** Connection settings that every process checks. */
export function postgresSettings({ postgres }: Pick<AppConfig, 'postgres'>): PostgresSettings {
  const { url, poolSize, pipelineConnections, statementTimeoutMs } = postgres;
  return { url, poolSize, pipelineConnections, statementTimeoutMs, applicationName: 'identity' };
}

/** For a command whose statements read whole tables: no statement timeout, neither ours nor a pooler's. */
export function withoutHaste(config: AppConfig): AppConfig {
  const { postgres } = config;
  return { ...config, postgres: { ...postgres, url: postgres.directUrl, statementTimeoutMs: 0 } };
}

/**
 * Before anything reads a table: by way of what stands between, and with the schema that is there, this program can work.
 * @throws Error with the reason, for people
 */
export async function requireUsableDatabase(config: Pick<AppConfig, 'postgres'>): Promise<void> {
  const settings = postgresSettings(config);
  const { directUrl } = config.postgres;
  const kind = await requireUsablePooler(settings);
  if (kind === 'transaction' || directUrl !== settings.url) {
    await requireSession({ ...settings, url: directUrl });
  }
  const pending = await pendingMigrations(settings.url);
  if (pending.length > 0) {
    throw new Error(`the database lacks ${pending.length} migration(s): run npm run migrate`);
  }
}
