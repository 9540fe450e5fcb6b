import '../config/quiet-debug.js';
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig, type AppConfig } from '../config/config.js';
import { crashAt } from '../config/crash-at.js';
import { Bootstrap, type BootstrapPlan, type BootstrapSummary } from '../domain/bootstrap/bootstrap.js';
import { armCrashPoint } from '../domain/shared/crash-point.js';
import { AlgorithmTakeover, type PendingTakeover } from '../domain/signing-keys/algorithm-takeover.js';
import { messageForLog } from '../ops/error-for-log.js';
import { bootstrapReport } from './bootstrap-report.js';
import { CredentialsFile } from './credentials-file.js';
import { LinkFile } from './link-file.js';
import { TokenFile } from './token-file.js';
import { withInstance } from './with-instance.js';

/**
 * `npm run bootstrap -- [--credentials FILE] [--mailbox-url URL] [--renew]`: makes an empty, migrated database usable.
 * Safe to repeat and to run twice at once; what exists is not changed. Without a file for it no secret is issued, but
 * for the one-time link of a new administrator, which is printed. Exit codes: 0 done, 1 failed, 64 wrong arguments,
 * 78 configuration at fault.
 */
const EX_USAGE = 64;

interface Arguments {
  readonly credentials: string | undefined;
  readonly mailboxUrl: string | undefined;
  readonly renew: boolean;
}

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      options: {
        credentials: { type: 'string' },
        'mailbox-url': { type: 'string' },
        renew: { type: 'boolean', default: false },
      },
    });
    const { credentials, 'mailbox-url': mailboxUrl, renew } = values;
    return { credentials, mailboxUrl, renew };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(problem: string): never {
  console.error(problem);
  console.error('usage: bootstrap [--credentials FILE] [--mailbox-url URL] [--renew]');
  process.exit(EX_USAGE);
}

function planOf({ bootstrap, issuer }: AppConfig): BootstrapPlan {
  const { orgName, primaryDomain, adminUserName, adminEmail, adminPassword } = bootstrap;
  const email = adminEmail ?? `${adminUserName}@${primaryDomain}`;
  return {
    orgName,
    primaryDomain,
    publicUrl: issuer.url,
    admin: { userName: adminUserName, email, password: adminPassword },
  };
}

interface Outcome {
  readonly summary: BootstrapSummary;
  readonly takeover: PendingTakeover | undefined;
}

async function bootstrap(config: AppConfig, given: Arguments): Promise<Outcome> {
  const { credentials, mailboxUrl, renew } = given;
  const { adminLinkFile, serviceUserTokenFile } = config.bootstrap;
  const keepers = {
    credentials:
      credentials === undefined
        ? undefined
        : new CredentialsFile(credentials, { issuer: config.issuer.url, mailboxUrl }),
    token: serviceUserTokenFile === undefined ? undefined : new TokenFile(serviceUserTokenFile),
    link: adminLinkFile === undefined ? undefined : new LinkFile(adminLinkFile),
    renew,
  };
  return await withInstance(config, async (app) => ({
    summary: await app.get(Bootstrap).run(planOf(config), keepers),
    takeover: await app.get(AlgorithmTakeover).find(),
  }));
}

const given = readArguments();
const config = loadConfig();
armCrashPoint(crashAt());
if (given.renew && given.credentials === undefined && config.bootstrap.serviceUserTokenFile === undefined) {
  refuse('--renew needs a file for what it makes: --credentials FILE or BOOTSTRAP_SERVICE_USER_TOKEN_FILE');
}
if (config.production && given.credentials !== undefined) {
  refuse(
    '--credentials is for development: it makes applications to try the service with. With NODE_ENV=production, ' +
      'BOOTSTRAP_SERVICE_USER_TOKEN_FILE names a file for the token of one service user.',
  );
}
try {
  const { summary, takeover } = await bootstrap(config, given);
  const files = {
    credentials: given.credentials,
    link: config.bootstrap.adminLinkFile,
    token: config.bootstrap.serviceUserTokenFile,
  };
  for (const line of bootstrapReport(summary, takeover, files)) console.log(line);
} catch (error) {
  console.error('The bootstrap failed:', messageForLog(error));
  // a context that could not be built may have left connections open, which would keep the process alive
  process.exit(1);
}
