// What the local start decides before anything runs: ports, addresses, the master key, and the environment that
// the processes of the service get. Whatever the shell sets wins.
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { anyFreePort, isPortFree, nextFreePort } from './ports.mjs';
import { writePrivateFile } from './private-file.mjs';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.localhost)$/;

/** A mistake that the person at the keyboard can put right; shown without a stack. */
export class SettingError extends Error {}

/** Secrets may be given as they are or as the path of a file (src/config). Empty means not given. */
export function isGiven(name, env = process.env) {
  return Boolean(env[name] || env[`${name}_FILE`]);
}

/** What was given, by either way; undefined for a file that cannot be read, which the service then refuses. */
export function givenValue(name, env = process.env) {
  if (env[name]) return env[name];
  try {
    return readFileSync(env[`${name}_FILE`] ?? '', 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Ports and addresses. A port that was asked for must be free; one of our choosing moves on to the next. */
export async function chooseAddresses(env = process.env) {
  const host = env.HOST || '127.0.0.1';
  const port = await choosePort('PORT', env.PORT || portOfPublicUrl(env.PUBLIC_URL), 8080, host, []);
  const publicUrl = (env.PUBLIC_URL || `http://localhost:${port}`).replace(/\/+$/, '');
  const opsHost = env.OPS_HOST || '127.0.0.1';
  const taken = [port];
  const next = async (name, given, first, address) => {
    const chosen = await choosePort(name, given, first, address, taken);
    taken.push(chosen);
    return chosen;
  };
  return {
    host,
    port,
    publicUrl,
    wantedPort: Number(env.PORT || portOfPublicUrl(env.PUBLIC_URL) || 8080),
    /** Where this machine reaches the API; a wildcard address is none to connect to. */
    apiUrl: `http://${reachable(host)}:${port}`,
    apiOps: { host: opsHost, port: await next('OPS_PORT', env.OPS_PORT, 9464, opsHost) },
    workerOps: { host: opsHost, port: await next('worker ops port', undefined, 9465, opsHost) },
    mailboxPort: await next('MAILBOX_HTTP_PORT', env.MAILBOX_HTTP_PORT, 8025, '127.0.0.1'),
    smtpPort: await next('MAILBOX_SMTP_PORT', env.MAILBOX_SMTP_PORT, 1025, '127.0.0.1'),
  };
}

export function reachable(host) {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

async function choosePort(name, given, first, host, taken) {
  if (!given) return nextFreePort(first, host, taken);
  const port = Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new SettingError(`${name}=${given} is not a port number.`);
  if (port === 0) return anyFreePort(host);
  if (taken.includes(port) || !(await isPortFree(port, host))) {
    throw new SettingError(`${name} ${port} is in use. Stop what listens there or choose another ${name}.`);
  }
  return port;
}

/** PUBLIC_URL=http://localhost:9000 alone means: listen there. */
function portOfPublicUrl(publicUrl) {
  if (!publicUrl) return undefined;
  const url = URL.parse?.(publicUrl) ?? parse(publicUrl);
  if (url === null)
    throw new SettingError(`PUBLIC_URL=${publicUrl} is not an address such as http://localhost:8080.`);
  return url.protocol === 'http:' && LOOPBACK.test(url.hostname) ? url.port || '80' : undefined;
}

function parse(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/**
 * Made once: what it protects in the database can be read with no other key. It appears under its name only when it
 * is whole and on the disk, so that an interrupted first start begins anew.
 */
export function masterKeyFile(data, env = process.env) {
  if (isGiven('MASTER_KEY', env)) return undefined;
  const file = path.join(data, 'master.key');
  if (!existsSync(file)) {
    writePrivateFile(file, `${randomBytes(32).toString('base64')}\n`);
    flushFolder(data);
  }
  if (statSync(file).size === 0) {
    throw new SettingError(
      `${file} is empty. Put the master key back into it; with nothing stored under a key yet, remove the file.`,
    );
  }
  return file;
}

function flushFolder(folder) {
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/**
 * The environment of migrate, bootstrap, API and worker (`all`), and what of it was decided here (`own`). Ops
 * addresses are added for each. `databaseUrl` and `redisUrl` are those of private servers.
 */
export function serviceEnvironment({ addresses, data, databaseUrl, redisUrl, mailbox, env = process.env }) {
  const derived = {
    HOST: addresses.host,
    PORT: String(addresses.port),
    PUBLIC_URL: addresses.publicUrl,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    ...(redisUrl === undefined && !isGiven('REDIS_URL', env) ? { QUEUE_BACKEND: 'postgres' } : {}),
  };
  const keyFile = masterKeyFile(data, env);
  const defaults = {
    NODE_ENV: 'development',
    ...(keyFile === undefined ? {} : { MASTER_KEY_FILE: keyFile }),
    ...(isGiven('SMTP_URL', env) ? {} : { SMTP_URL: mailbox.smtpUrl }),
    // The mailbox accepts any account: these are no secrets, they only have the shape of a Twilio account.
    ...(env.TWILIO_ACCOUNT_SID
      ? {}
      : {
          TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
          TWILIO_AUTH_TOKEN: 'local-mailbox',
          TWILIO_FROM: '+15005550006',
          TWILIO_BASE_URL: mailbox.smsUrl,
          // costs nothing, and Twilio's test numbers are personal ones
          SMS_NUMBER_TYPES: '*',
        }),
  };
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  return { own: { ...defaults, ...derived }, all: { ...defaults, ...given, ...derived } };
}

/** The derived settings as a file for `node --env-file`, so that single processes can be started by hand. */
export function writeEnvironmentFile(file, own) {
  const lines = Object.entries(own).map(([name, value]) => `${name}="${value}"`);
  const head =
    '# What npm start decided, beside what the shell had set. Another process by hand:\n' +
    '# OPS_PORT=9470 node --env-file=.data/local.env dist/workers/main.js';
  writePrivateFile(file, `${head}\n${lines.join('\n')}\n`);
}
