import './config/quiet-debug.js';
import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { buildApi } from './build-api.js';
import { loadConfig } from './config/config.js';
import { crashAt } from './config/crash-at.js';
import { armCrashPoint } from './domain/shared/crash-point.js';
import { AnnounceTakeover } from './domain/signing-keys/announce-takeover.js';
import { EnsureKeys } from './domain/signing-keys/ensure-keys.js';
import { Health } from './ops/health.js';
import { logUncaught } from './ops/log-uncaught.js';
import { PinoLog } from './ops/pino-log.js';
import { waitForDatabase } from './ops/wait-for-database.js';
import { watchLoop } from './ops/watch-loop.js';
import { retryWhileAway } from './storage/postgres/retry-while-away.js';
import { Tracing } from './tracing/tracing.js';

/** From SIGTERM to the end, whatever happens in between. */
const SHUTDOWN_MS = 19_500;

const config = loadConfig();
const log = new PinoLog({ level: config.logLevel, process: 'api' });
logUncaught(log);
armCrashPoint(crashAt());

function stopOnSignals(app: NestFastifyApplication): void {
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => setTimeout(() => process.exit(0), SHUTDOWN_MS).unref());
  }
}

try {
  // asked before anything reads a table: on an old schema the reason must be readable
  await waitForDatabase(config, 'api', log);
  const app = await buildApi(config, log);
  stopOnSignals(app);
  await app.get(Tracing, { strict: false }).start('api');
  await retryWhileAway(() => app.get(EnsureKeys).run());
  await retryWhileAway(() => app.get(AnnounceTakeover).begin());
  await app.listen({ host: config.http.host, port: config.http.port });
  watchLoop('api');
  log.info('api ready', { issuer: config.issuer.url, port: config.http.port });
  await app.get(Health, { strict: false }).sayNoticed(log);
} catch (error) {
  log.error('the API cannot start', error);
  process.exit(1);
}
