// `npm start`: from a fresh clone to a running service with nothing but Node. Installs and builds what is missing,
// starts private PostgreSQL, Redis and mailbox where no URL is given, migrates, bootstraps, runs API and worker, and
// ends all of it in order. Only modules of Node itself are imported here: the dependencies may not be there yet.
import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildIfStale } from './build.mjs';
import { installDependencies } from './dependencies.mjs';
import { LocalServices } from './local-services.mjs';
import {
  chooseAddresses,
  givenValue,
  isGiven,
  serviceEnvironment,
  SettingError,
  writeEnvironmentFile,
} from './local-settings.mjs';
import { nodeVersion } from './node-version.mjs';
import { writePrivateFile } from './private-file.mjs';
import { run } from './processes.mjs';
import { takeRunLock } from './run-lock.mjs';
import { stopRequests } from './stop-requests.mjs';
import { bold, clearSteps, cyan, dim, green, red, say, yellow } from './terminal.mjs';

const root = path.join(import.meta.dirname, '..');
const data = path.join(root, '.data');
const credentialsFile = path.join(data, 'credentials.json');
/** What `npx identity` reads in this clone (src/config/cli-environment.ts). */
const profileFile = path.join(data, 'cli.json');
const shown = (file) => path.relative(process.cwd(), file);

const stop = stopRequests();
const services = new LocalServices({ root, data, stop });

function prepareDataFolder() {
  try {
    for (const folder of [data, path.join(data, 'run'), path.join(data, 'logs')]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    }
  } catch {
    throw new SettingError(
      `${shown(data)}/ cannot be written. If another user (root, say) ran this here before, ` +
        'run it as that user again or move that folder away.',
    );
  }
}

function takeLock() {
  const lock = takeRunLock(path.join(data, 'run', 'start.lock'));
  if (lock.owner === undefined) return lock;
  const where = lock.owner.url === undefined ? '' : ` at ${lock.owner.url}`;
  throw new SettingError(`It is running already${where} (process ${lock.owner.pid}). Stop that one first.`);
}

async function bringUp(lock) {
  const { signal } = stop;
  await services.step('Dependencies', (step) => installDependencies({ root, step, signal }));
  await services.step('Build', (step) => buildIfStale({ root, step, signal }));
  await services.endKilledRun();
  const addresses = await chooseAddresses();
  lock.describe({ url: addresses.publicUrl });

  const [databaseUrl, redisUrl, mailbox] = await allOrFirstError([
    services.startPostgres(isGiven('DATABASE_URL')),
    services.startRedis(isGiven('REDIS_URL'), process.env.QUEUE_BACKEND),
    services.startMailbox(addresses),
    isGiven('SMTP_URL') ? services.tryMailServer(givenValue('SMTP_URL')) : undefined,
  ]);
  const { own, all: env } = serviceEnvironment({ addresses, data, databaseUrl, redisUrl, mailbox });
  writeEnvironmentFile(path.join(data, 'local.env'), own);

  await services.step('Migrations', (step) => command(step, env, 'migrate.js'));
  await services.step('Bootstrap', (step) =>
    command(step, env, 'bootstrap.js', '--credentials', credentialsFile, '--mailbox-url', mailbox.url),
  );
  const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8'));
  writeProfile(credentials);
  const [, , sampleUrl] = await allOrFirstError([
    services.startApi(addresses, env),
    services.startWorker(addresses, env),
    services.startSampleApplication(credentials, credentialsFile),
  ]);
  services.keepRunning();
  printSummary(addresses, { credentials, mailboxUrl: mailbox.url, sampleUrl });
  const { deadMailServer } = services;
  if (deadMailServer !== undefined) say(`  ${yellow('!')} ${deadMailServer}\n`);
}

/** For the command line. A token that bootstrap cannot tell leaves the profile as it is: it may know one. */
function writeProfile({ issuer: url, adminServiceUser: { pat: token } }) {
  if (token !== undefined) writePrivateFile(profileFile, `${JSON.stringify({ url, token }, null, 2)}\n`);
}

async function command(step, env, script, ...args) {
  const file = path.join('dist', 'src', 'cli', script);
  const { code, output } = await run(process.execPath, [file, ...args], {
    cwd: root,
    env,
    signal: stop.signal,
  });
  if (code !== 0) throw new Error(`${file} failed.\n${output.trim().split('\n').slice(-20).join('\n')}`);
  step.done('done');
}

/** Waits for all, so that nothing is still starting when an error begins the shutdown. */
async function allOrFirstError(promises) {
  const results = await Promise.allSettled(promises);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.map(({ value }) => value);
}

function printSummary({ publicUrl, port, wantedPort }, { credentials: { admin }, mailboxUrl, sampleUrl }) {
  const row = (label, value, remark = '') => {
    say(`  ${dim(label.padEnd(11))} ${value}${remark === '' ? '' : `  ${dim(remark)}`}`);
  };
  const moved = port === wantedPort ? '' : dim(`  (on port ${port}: ${wantedPort} was in use)`);
  say(`\n  ${green(bold('The service is running.'))}${moved}\n`);
  row('Sign in', cyan(`${publicUrl}/login`));
  row('', `as ${bold(admin.loginName)}`, passwordRemark(admin));
  row('Console', cyan(`${publicUrl}/console`), 'users, applications, imports; for the same sign-in');
  if (sampleUrl !== undefined)
    row('Sample app', cyan(sampleUrl), 'signs in with the service, shows who came');
  row(
    'Mailbox',
    cyan(mailboxUrl),
    isGiven('SMTP_URL') ? 'every SMS ends up here' : 'every e-mail and SMS ends up here',
  );
  row('Queues', cyan(`${publicUrl}/admin/queues`), 'for the same sign-in');
  row('Discovery', cyan(`${publicUrl}/.well-known/openid-configuration`));
  row('Logs', shown(path.join(data, 'logs')));
  say();
  row('Try', bold('npm run tour'), 'in another terminal: import, job, mail, sign-in, tokens');
  row('', 'README.md', 'the same by hand, with curl');
  row('', bold('npx identity users list'), `the command line, with ${shown(profileFile)}`);
  row('Stop', bold('Ctrl-C'));
  say();
}

function passwordRemark({ userId, password }) {
  if (password !== undefined) return `the password is in ${shown(credentialsFile)}`;
  if (userId === undefined) return 'who was deleted';
  return 'with the password that was chosen; lost: npx identity admin recover';
}

let lock;
let failure;
let ready = false;
try {
  prepareDataFolder();
  lock = takeLock();
  say(`\n  ${bold('Identity service')} ${dim(`in ${root}, Node ${nodeVersion}`)}\n`);
  await bringUp(lock);
  ready = true;
  const reason = await stop.requested;
  failure = reason.error;
} catch (error) {
  // An abort is the echo of a request to stop, not a failure.
  if (!stop.signal.aborted) failure = error;
}
clearSteps();
if (failure !== undefined) {
  const text =
    failure instanceof SettingError
      ? failure.message
      : failure instanceof Error
        ? describe(failure)
        : String(failure);
  say(`\n${red(text.replace(/^/gm, '  '))}\n`);
} else if (ready) {
  say();
}
// Whatever waits for readiness must give up now, also after a failure of ours.
if (!stop.signal.aborted) stop.fail(failure);
await services.stop();
lock?.release?.();
process.exit(failure !== undefined ? 1 : ready ? 0 : 130);

function describe(error) {
  return process.env.DEBUG ? error.stack : error.message;
}
