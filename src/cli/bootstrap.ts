import '../config/quiet-debug.js';
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { type AppConfig, loadConfig } from '../config/config.js';
import { Bootstrap, type BootstrapPlan, type BootstrapSummary } from '../domain/bootstrap/bootstrap.js';
import { messageForLog } from '../ops/error-for-log.js';
import { PinoLog } from '../ops/pino-log.js';
import { pendingMigrations } from '../storage/postgres/schema-version.js';
import { BootstrapModule } from './bootstrap.module.js';
import { CredentialsFile } from './credentials-file.js';

/**
 * `npm run bootstrap -- [--credentials FILE] [--mailbox-url URL]`: makes an empty, migrated database usable. Safe to
 * repeat and to run twice at once. Secrets go into the file and nowhere else; without one none is issued. Exit codes:
 * 0 done, 1 failed, 64 wrong arguments, 78 configuration at fault.
 */
const EX_USAGE = 64;

interface Arguments {
  readonly credentials: string | undefined;
  readonly mailboxUrl: string | undefined;
}

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      options: { credentials: { type: 'string' }, 'mailbox-url': { type: 'string' } },
    });
    return { credentials: values.credentials, mailboxUrl: values['mailbox-url'] };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('usage: bootstrap [--credentials FILE] [--mailbox-url URL]');
    process.exit(EX_USAGE);
  }
}

function planOf({ bootstrap }: AppConfig): BootstrapPlan {
  const { orgName, primaryDomain, adminUserName, adminEmail, adminPassword } = bootstrap;
  const email = adminEmail ?? `${adminUserName}@${primaryDomain}`;
  return { orgName, primaryDomain, admin: { userName: adminUserName, email, password: adminPassword } };
}

async function bootstrap(config: AppConfig, given: Arguments): Promise<BootstrapSummary> {
  // before anything opens the storage: without its tables that would fail with a riddle
  const pending = await pendingMigrations(config.postgres.url);
  if (pending.length > 0) {
    throw new Error(`the database lacks ${pending.length} migration(s): run npm run migrate`);
  }
  const log = new PinoLog({ level: config.logLevel, process: 'cli' });
  // Nest would log a failure with its stack, too; the one line at the end of this file tells it
  const app = await NestFactory.createApplicationContext(BootstrapModule.with(config, log), {
    logger: false,
    abortOnError: false,
  });
  try {
    const { credentials, mailboxUrl } = given;
    const keeper =
      credentials === undefined
        ? undefined
        : new CredentialsFile(credentials, { issuer: config.issuer.url, mailboxUrl });
    return await app.get(Bootstrap).run(planOf(config), keeper);
  } finally {
    await app.close();
  }
}

const given = readArguments();
const config = loadConfig();
try {
  const { organization, adminLoginName, adminHasPassword } = await bootstrap(config, given);
  console.log(
    `Organization ${organization.id} with the primary domain ${organization.primaryDomain} is set up.`,
  );
  console.log(`The administrator is ${adminLoginName}.`);
  if (!adminHasPassword) {
    console.log('No password is set: run again with --credentials FILE or with BOOTSTRAP_ADMIN_PASSWORD.');
  }
  if (given.credentials !== undefined) console.log(`The credentials are in ${given.credentials}.`);
} catch (error) {
  console.error('The bootstrap failed:', messageForLog(error));
  // a context that could not be built may have left connections open, which would keep the process alive
  process.exit(1);
}
