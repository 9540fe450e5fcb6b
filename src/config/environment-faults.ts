import { debugFaults } from './debug-output.js';
import { DEVELOPMENT_DATABASE_URL, DEVELOPMENT_MASTER_KEY, type Environment } from './environment.js';
import { serversOf } from './postgres-servers.js';
import { isLoopbackHost, redisContradictions, redisFaults } from './redis-servers.js';
import { accountOf, isWellKnown, MAKE_PASSWORD } from './well-known-passwords.js';

type Given = Readonly<Record<string, string | undefined>>;

/**
 * What is wrong with variables of which each is right by itself. No text repeats a value.
 * @param given the variables as they were set, to distinguish a default from the same value
 */
export function faultsOf(env: Environment, given: Given): string[] {
  const production = env.NODE_ENV === 'production';
  const reachable = env.NODE_ENV !== 'test' && !isLoopback(env.PUBLIC_URL);
  return [
    ...twilioFaults(env),
    ...serviceRoleFaults(env),
    ...registrationFaults(env),
    ...mutualTlsFaults(env),
    ...redisContradictions(env, given),
    ...(production || reachable ? masterKeyFaults(env, given) : []),
    ...(production ? productionFaults(env, given) : []),
  ];
}

/** The same for `migrate`, which is given the secrets of the database and no other. */
export function faultsOfMigration(env: Environment, given: Given): string[] {
  const production = env.NODE_ENV === 'production';
  return [
    ...serviceRoleFaults(env),
    ...(production ? [...databaseFaults(env, given), ...debugFaults(given)] : []),
  ];
}

export function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

/** A key somebody typed or padded: too few different bytes to have come from a random generator. */
function looksWeak(key: string): boolean {
  return new Set(Buffer.from(key, 'base64')).size < 12;
}

/** What `npm start` and the tests use and everybody can read here. */
const DEVELOPMENT_SECRETS: Readonly<Record<string, string>> = { TWILIO_AUTH_TOKEN: 'local-mailbox' };

/**
 * A service that other machines can reach must not run on a key that everybody knows, whether or not somebody
 * remembered to say that this is production.
 */
function masterKeyFaults(env: Environment, given: Given): string[] {
  if (given['MASTER_KEY'] === undefined) {
    return ['MASTER_KEY: is required off loopback; make one with: openssl rand -base64 32'];
  }
  const named = [
    ['MASTER_KEY', [env.MASTER_KEY]],
    ['MASTER_KEY_PREVIOUS', env.MASTER_KEY_PREVIOUS],
  ] as const;
  return named.flatMap(([name, keys]) => {
    if (keys.includes(DEVELOPMENT_MASTER_KEY))
      return `${name}: is the development key, which everybody knows`;
    return keys.some(looksWeak)
      ? `${name}: is too regular to be random; make one with: openssl rand -base64 32`
      : [];
  });
}

/** Half an account sends nothing, and nobody would notice before the first SMS. */
function twilioFaults(env: Environment): string[] {
  const { TWILIO_ACCOUNT_SID: account, TWILIO_AUTH_TOKEN: token } = env;
  const senders = [env.TWILIO_FROM, env.TWILIO_MESSAGING_SERVICE_SID, env.TWILIO_VERIFY_SERVICE_SID];
  const named = senders.filter((sender) => sender !== undefined).length;
  if (account === undefined) {
    return named > 0 ? ['TWILIO_ACCOUNT_SID: is required beside the other TWILIO settings'] : [];
  }
  const faults: string[] = [];
  if (token === undefined) faults.push('TWILIO_AUTH_TOKEN: is required beside TWILIO_ACCOUNT_SID');
  if (named === 0) {
    faults.push(
      'TWILIO_FROM: is required beside TWILIO_ACCOUNT_SID, or one of TWILIO_MESSAGING_SERVICE_SID and TWILIO_VERIFY_SERVICE_SID',
    );
  }
  return faults;
}

/**
 * A database with a password that is guessed first is everybody's who reaches it. One without may be right: a socket,
 * a client certificate, a password file.
 */
function databaseFaults(env: Environment, given: Given): string[] {
  const { DATABASE_URL: url } = env;
  if (given['DATABASE_URL'] === undefined || url === DEVELOPMENT_DATABASE_URL)
    return ['DATABASE_URL: is required in production and must not be the development one'];
  const account = accountOf(serversOf(url)[0] ?? '');
  if (account === undefined) return [];
  const own = [account.user || given['PGUSER'], account.database || given['PGDATABASE']];
  if (account.password !== '') {
    return isWellKnown(account.password, own)
      ? [`DATABASE_URL: its password is one that everybody tries; ${MAKE_PASSWORD}`]
      : [];
  }
  const { PGPASSWORD: password } = given;
  if (password === undefined || !isWellKnown(password, own)) return [];
  return [`PGPASSWORD: is a password that everybody tries; ${MAKE_PASSWORD}`];
}

function productionFaults(env: Environment, given: Given): string[] {
  const faults: string[] = [];
  for (const [name, secret] of Object.entries(DEVELOPMENT_SECRETS)) {
    if (given[name] === secret) faults.push(`${name}: is the development secret`);
  }
  if (!env.PUBLIC_URL.startsWith('https://') && !isLoopback(env.PUBLIC_URL)) {
    faults.push('PUBLIC_URL: must be https in production (http is for loopback only)');
  }
  if (given['PUBLIC_URL'] === undefined) faults.push('PUBLIC_URL: is required in production');
  if (given['REDIS_URL'] === undefined && env.QUEUE_BACKEND === 'redis') {
    faults.push('REDIS_URL: is required in production');
  }
  faults.push(...databaseFaults(env, given), ...redisFaults(env, given), ...debugFaults(given));
  const { TWILIO_BASE_URL: twilioUrl } = env;
  if (twilioUrl !== undefined && !twilioUrl.startsWith('https://') && !isLoopback(twilioUrl)) {
    faults.push('TWILIO_BASE_URL: must be https in production (http is for loopback only)');
  }
  if (env.SIGN_IN_RESPONSE_PADDING < 250)
    faults.push('SIGN_IN_RESPONSE_PADDING: must be at least 250ms in production');
  if (env.PASSWORD_MEMORY_KIB < 7_168)
    faults.push('PASSWORD_MEMORY_KIB: must be at least 7168 in production');
  if (env.BOOTSTRAP_ADMIN_PASSWORD !== undefined && env.BOOTSTRAP_ADMIN_PASSWORD.length < 8) {
    faults.push('BOOTSTRAP_ADMIN_PASSWORD: must have at least 8 characters in production');
  }
  return faults;
}

function serviceRoleFaults(env: Environment): string[] {
  const { DATABASE_SERVICE_ROLE: role, DATABASE_SERVICE_PASSWORD: password } = env;
  if (role === undefined) {
    return password === undefined
      ? []
      : ['DATABASE_SERVICE_ROLE: is required beside DATABASE_SERVICE_PASSWORD'];
  }
  if (accountOf(serversOf(env.DATABASE_URL)[0] ?? '')?.user === role) {
    return ['DATABASE_SERVICE_ROLE: must not be the user of DATABASE_URL, which owns the schema'];
  }
  if (password === undefined || !isWellKnown(password, [role])) return [];
  return [`DATABASE_SERVICE_PASSWORD: is one that everybody tries; ${MAKE_PASSWORD}`];
}

function registrationFaults(env: Environment): string[] {
  if (env.CLIENT_REGISTRATION_PROJECT !== undefined) return [];
  const beside = [
    ...(env.CLIENT_REGISTRATION === 'open' ? ['CLIENT_REGISTRATION=open'] : []),
    ...(env.CLIENT_ID_METADATA_DOCUMENTS === 'on' ? ['CLIENT_ID_METADATA_DOCUMENTS=on'] : []),
  ];
  return beside.map((setting) => `CLIENT_REGISTRATION_PROJECT: is required beside ${setting}`);
}

function mutualTlsFaults(env: Environment): string[] {
  if (env.MTLS_CERTIFICATE_HEADER === undefined) {
    return (['MTLS_BASE_URL', 'MTLS_CA_CERTIFICATES'] as const)
      .filter((name) => env[name] !== undefined)
      .map((name) => `MTLS_CERTIFICATE_HEADER: is required beside ${name}`);
  }
  // from anybody else the header does not count
  return env.TRUSTED_PROXIES.length > 0
    ? []
    : ['TRUSTED_PROXIES: is required beside MTLS_CERTIFICATE_HEADER'];
}
