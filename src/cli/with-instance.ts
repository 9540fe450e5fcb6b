import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AppConfig } from '../config/config.js';
import { PinoLog } from '../ops/pino-log.js';
import { requireUsableDatabase, withoutHaste } from '../storage/postgres/require-usable-database.js';
import { InstanceModule } from './instance.module.js';

/**
 * Runs something on the configured, migrated database.
 * @param haste `none` for statements that go through whole tables: they take as long as they take
 */
export async function withInstance<T>(
  config: AppConfig,
  work: (app: INestApplicationContext) => Promise<T>,
  haste: 'as-configured' | 'none' = 'as-configured',
): Promise<T> {
  // before anything opens the storage: without its tables that would fail with a riddle
  await requireUsableDatabase(config);
  const log = new PinoLog({ level: config.logLevel, process: 'cli' });
  // Nest would log a failure with its stack, too; the command prints one line
  const app = await NestFactory.createApplicationContext(
    InstanceModule.with(haste === 'none' ? withoutHaste(config) : config, log),
    {
      logger: false,
      abortOnError: false,
    },
  );
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
