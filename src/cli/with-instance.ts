import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AppConfig } from '../config/config.js';
import { PinoLog } from '../ops/pino-log.js';
import { requireUsableDatabase } from '../storage/postgres/require-usable-database.js';
import { InstanceModule } from './instance.module.js';

/** Runs something on the configured, migrated database. */
export async function withInstance<T>(
  config: AppConfig,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  // before anything opens the storage: without its tables that would fail with a riddle
  await requireUsableDatabase(config);
  const log = new PinoLog({ level: config.logLevel, process: 'cli' });
  // Nest would log a failure with its stack, too; one line of the command tells it
  const app = await NestFactory.createApplicationContext(InstanceModule.with(config, log), {
    logger: false,
    abortOnError: false,
  });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
