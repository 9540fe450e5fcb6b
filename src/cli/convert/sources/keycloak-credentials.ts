import { readTotpSeed, writeTotpSeed } from '../../../domain/factors/totp/totp-seed.js';
import { toBase32 } from '../../../domain/shared/base32.js';
import { Unconvertible, type Note } from '../converted-human.js';
import { asList, asObject, asText, asTotpSecret, type JsonObject } from '../values.js';

/** A credential with what Keycloak keeps as JSON within JSON: since version 8 that is where everything stands. */
interface Credential {
  readonly fields: JsonObject;
  /** What it is checked with. */
  readonly secret: JsonObject;
  /** How it was made. */
  readonly settings: JsonObject;
}

/** The encoded form of the user's password (protocol §9), if there is one. */
export function passwordHashOf(credentials: readonly unknown[], note: Note): string | undefined {
  const [password, ...others] = credentialsOf(credentials, 'password');
  if (others.length > 0) throw new Unconvertible('the user has several passwords');
  if (password === undefined) return undefined;
  if (password.fields['temporary'] === true) note('a temporary password need not be changed here');
  const { fields, secret, settings } = password;
  const algorithm = asText(settings['algorithm'] ?? fields['algorithm']);
  const iterations = asText(settings['hashIterations'] ?? fields['hashIterations']) ?? '';
  const salt = standardBase64(secret['salt'] ?? fields['salt']);
  const hash = standardBase64(secret['value'] ?? fields['hashedSaltedValue']);
  if (algorithm === undefined || salt === undefined || hash === undefined) {
    throw new Unconvertible('the password has no algorithm, salt or hash');
  }
  switch (algorithm) {
    // Keycloak's first form is PBKDF2 with SHA-1, as is ours of that name
    case 'pbkdf2':
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512':
      return `$${algorithm}$${iterations}$${salt}$${hash}`;
    case 'argon2':
      return argon2(asObject(settings['additionalParameters']) ?? {}, iterations, salt, hash);
    default:
      throw new Unconvertible('the password is hashed by an algorithm that is none of Keycloak itself');
  }
}

function argon2(parameters: JsonObject, iterations: string, salt: string, hash: string): string {
  const parameter = (name: string) => asText(asList(parameters[name])[0] ?? parameters[name]);
  const version = parameter('version') ?? '1.3';
  if (version !== '1.3') throw new Unconvertible('the password is hashed by an Argon2 before version 1.3');
  const cost = `m=${parameter('memory') ?? ''},t=${iterations},p=${parameter('parallelism') ?? '1'}`;
  const encoded = [`argon2${parameter('type') ?? 'id'}`, 'v=19', cost, unpadded(salt), unpadded(hash)];
  return `$${encoded.join('$')}`;
}

/**
 * The user's first TOTP secret, as an import takes it. Keycloak's secret is text whose bytes are the key, unless it says that
 * it is base32 already. Counter-based ones, and unsupported settings, are reported, not guessed.
 */
export function totpSecretOf(credentials: readonly unknown[], note: Note): string | undefined {
  const secrets: string[] = [];
  for (const credential of [...credentialsOf(credentials, 'otp'), ...credentialsOf(credentials, 'totp')]) {
    const secret = totpOf(credential);
    if (secret === undefined) note('a second factor that cannot be carried over');
    else secrets.push(secret);
  }
  for (const credential of credentials) noteOther(asText(asObject(credential)?.['type']) ?? '', note);
  if (secrets.length > 1) note('a second factor that cannot be carried over');
  return secrets[0];
}

function totpOf({ fields, secret, settings }: Credential): string | undefined {
  const value = asText(secret['value'] ?? fields['value']);
  const isBase32 = settings['secretEncoding'] === 'BASE32';
  const key =
    value !== undefined && isBase32 ? asTotpSecret(value) : value && toBase32(Buffer.from(value, 'utf8'));
  const text = (name: string, usual: string): string => asText(settings[name]) ?? usual;
  if (key === undefined || text('subType', 'totp') !== 'totp') return undefined;
  const parameters = new URLSearchParams({
    secret: key,
    algorithm: text('algorithm', 'HmacSHA1').replace(/^Hmac/, ''),
    digits: text('digits', '6'),
    period: text('period', '30'),
  });
  const seed = readTotpSeed(`otpauth://totp/imported?${parameters.toString()}`);
  return seed && writeTotpSeed(seed);
}

/** Credentials beside passwords and TOTP secrets, none of which comes along. */
function noteOther(type: string, note: Note): void {
  if (CARRIED.has(type)) return;
  if (type.startsWith('webauthn')) note('a passkey or security key, which cannot be carried over');
  else if (type === 'recovery-authn-codes') note('recovery codes, which cannot be carried over');
  else note('a second factor that cannot be carried over');
}

const CARRIED = new Set(['password', 'otp', 'totp', 'password-history']);

function credentialsOf(credentials: readonly unknown[], type: string): Credential[] {
  return credentials
    .map(asObject)
    .filter((fields) => fields !== undefined)
    .filter((fields) => fields['type'] === type)
    .map((fields) => ({
      fields,
      secret: within(fields['secretData']),
      settings: within(fields['credentialData']),
    }));
}

function within(value: unknown): JsonObject {
  if (typeof value !== 'string') return asObject(value) ?? {};
  try {
    return asObject(JSON.parse(value)) ?? {};
  } catch {
    throw new Unconvertible('a credential is damaged');
  }
}

function standardBase64(value: unknown): string | undefined {
  const text = asText(value);
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('base64');
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, '');
}
