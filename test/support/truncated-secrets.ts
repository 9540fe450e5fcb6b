import { createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { hash as argon2Hash } from '@node-rs/argon2';
import { hashSync as bcryptHash } from '@node-rs/bcrypt';
import { BruteForceMeter } from '../../src/domain/passwords/attempts/brute-force-meter.js';
import { BruteForceProtection } from '../../src/domain/passwords/attempts/brute-force-protection.js';
import { CheckPassword } from '../../src/domain/passwords/check-password.js';
import { PasswordHashing } from '../../src/domain/passwords/hashing/password-hashing.js';
import {
  PasswordsStore,
  type CountedAttempt,
  type EncodedPassword,
  type StoredPassword,
} from '../../src/domain/passwords/passwords.store.js';
import type { UserId } from '../../src/domain/shared/ids.js';
import { Log } from '../../src/domain/shared/log.js';
import type { Draw } from './draw.js';
import { TEST_BILL } from './hashing.js';
import { importedHashes } from './imported-hashes.js';

/** Makes the hash that an old home had of a password. */
type Maker = (password: string) => string | Promise<string>;

const SALT = Buffer.from('sixteen byte slt');
const SALT64 = SALT.toString('base64');
const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const hex = (digest: string, text: string): string => createHash(digest).update(text).digest('hex');
const pbkdf2 = (digest: string, password: string | Buffer, bytes = 32): Buffer =>
  pbkdf2Sync(password, SALT, 2, bytes, digest);
const scrypt = (password: string): Buffer => scryptSync(password, SALT, 32, { N: 16, r: 1, p: 1 });
const bcrypt = (text: string | Buffer): string => bcryptHash(text, { cost: 4 });

/** Every way in which a form uses the password; the forms that are left differ in how they are written only. */
const MAKERS: Readonly<Record<string, Maker>> = {
  argon2id: (p) => argon2Hash(p, { memoryCost: 64, timeCost: 1, parallelism: 1 }),
  bcrypt,
  'bcrypt 2y': (p) => bcrypt(p).replace('$2b$', '$2y$'),
  '{CRYPT} bcrypt': (p) => `{CRYPT}${bcrypt(p)}`,
  'Django bcrypt': (p) => `bcrypt$${bcrypt(p)}`,
  'Django bcrypt_sha256': (p) => `bcrypt_sha256$${bcrypt(hex('sha256', p))}`,
  WordPress: (p) =>
    `$wp${bcrypt(createHmac('sha384', 'wp-sha384').update(p).digest('base64')).replace('$2b$', '$2y$')}`,
  'Auth0 bcrypt': (p) => JSON.stringify({ algorithm: 'bcrypt', hash: { value: bcrypt(p) } }),
  'Auth0 bcrypt, utf16le': (p) =>
    JSON.stringify({
      algorithm: 'bcrypt',
      hash: { value: bcrypt(Buffer.from(p, 'utf16le')) },
      password: { encoding: 'utf16le' },
    }),
  'Auth0 sha512, utf16le': (p) =>
    JSON.stringify({
      algorithm: 'sha512',
      hash: {
        value: createHash('sha512').update(Buffer.from(p, 'utf16le')).digest('hex'),
        encoding: 'hex',
      },
      password: { encoding: 'utf16le' },
    }),
  ...Object.fromEntries(
    ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map((digest): [string, Maker] => [
      `PBKDF2 ${digest}`,
      (p) => `$pbkdf2-${digest}$2$${SALT64}$${pbkdf2(digest, p).toString('base64')}`,
    ]),
  ),
  'Django PBKDF2': (p) =>
    `pbkdf2_sha256$2$${SALT64}$${pbkdf2Sync(p, SALT64, 2, 32, 'sha256').toString('base64')}`,
  scrypt: (p) => `$scrypt$ln=4,r=1,p=1$${bare(SALT)}$${bare(scrypt(p))}`,
  'Werkzeug hmac': (p) => `sha256$saltsalt$${createHmac('sha256', 'saltsalt').update(p).digest('hex')}`,
  md5: (p) => hex('md5', p),
  'Django sha1': (p) => `sha1$seasalt2$${hex('sha1', `seasalt2${p}`)}`,
  '{SSHA}': (p) =>
    `{SSHA}${Buffer.concat([createHash('sha1').update(p).update('salt').digest(), Buffer.from('salt')]).toString('base64')}`,
};

/** Ends of what schemes read, digests and blocks of HMAC: where lengths matter. */
const LENGTHS = [1, 7, 8, 16, 20, 28, 32, 48, 55, 63, 64, 65, 71, 72, 73, 80, 127, 128, 129, 200, 255, 256];
const LETTERS = [
  'a',
  'B',
  '7',
  '!',
  ' ',
  'ä',
  'Ä',
  'é',
  'e\u0301',
  'ß',
  'ſ',
  '漢',
  '😀',
  '\u00a0',
  '\ufffd',
  'ﬁ',
];

function drawPassword(draw: Draw): string {
  const bytes = draw.pick(LENGTHS) + draw.int(-1, 1);
  const letters = draw.bool(0.4) ? LETTERS.slice(0, 5) : LETTERS;
  let password = draw.pick(letters);
  while (Buffer.byteLength(password) < bytes) password += draw.pick(letters);
  return password;
}

/** What somebody else could type where `password` is right: everything that some scheme somewhere takes for the same. */
function drawGuess(draw: Draw, password: string): string {
  const bytes = Buffer.from(password);
  const cut = draw.pick([7, 8, 55, 71, 72, 73, 127, 254, 255]);
  const tail = drawPassword(draw);
  const guesses: readonly (() => string)[] = [
    () => bytes.subarray(0, cut).toString(),
    () => bytes.subarray(0, cut).toString() + tail,
    () => password.slice(0, cut) + tail,
    () => password + tail,
    () => `${password}\0`,
    () => `${password}\0${password}`,
    () => `${password}\0${tail}`,
    () => password.repeat(2),
    () => bytes.toString('latin1'),
    () => Buffer.from(bytes.map((byte) => byte & 0x7f)).toString(),
    () => password.toLowerCase(),
    () => password.toUpperCase(),
    () => password.normalize('NFC'),
    () => password.normalize('NFD'),
    () => password.normalize('NFKC'),
    () => password.trim(),
    () => `${password} `,
    () => password.replaceAll('\ufffd', '\ud800'),
    () =>
      createHash(draw.pick(['sha1', 'sha256', 'sha512']))
        .update(password)
        .digest()
        .toString(),
    () => tail,
  ];
  return draw.pick(guesses)();
}

const neverCounted = (): Promise<never> => Promise.reject(new Error('no name of elsewhere is tried here'));

/** One password, which may be guessed at without bound. */
class OnePassword extends PasswordsStore {
  constructor(public stored: StoredPassword) {
    super();
  }
  override findByUser(): Promise<StoredPassword> {
    return Promise.resolve(this.stored);
  }
  override findAttemptPolicy(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
  override replaceIfUnchanged(_id: UserId, previous: string, { hash }: EncodedPassword): Promise<boolean> {
    if (this.stored.hash !== previous) return Promise.resolve(false);
    this.stored = { hash, changeRequired: false, setAt: 'then' };
    return Promise.resolve(true);
  }
  override withholdRehash(): Promise<boolean> {
    if (this.stored.rehashWithheld === true) return Promise.resolve(false);
    this.stored = { ...this.stored, rehashWithheld: true };
    return Promise.resolve(true);
  }
  override replaceSetAt(): Promise<boolean> {
    return Promise.reject(new Error('nobody changes a password here'));
  }
  override set(): Promise<void> {
    return Promise.reject(new Error('nobody sets a password here'));
  }
  override takeAttempt(): Promise<CountedAttempt> {
    return Promise.resolve({ number: 1, failures: 1 });
  }
  override mustWait(): Promise<boolean> {
    return Promise.resolve(false);
  }
  override forgiveAttempts(): Promise<void> {
    return Promise.resolve();
  }
  override failAttempt(): Promise<void> {
    return Promise.resolve();
  }
  override giveBackAttempt(): Promise<void> {
    return Promise.resolve();
  }
  override clearAttempts(): Promise<boolean> {
    return Promise.resolve(false);
  }
  override takeNameAttempt = neverCounted;
  override giveBackNameAttempt = neverCounted;
  override forgetNameAttempts = neverCounted;
}

class Silent extends Log {
  override debug(): void {}
  override info(): void {}
  override warn(): void {}
  override error(message: string, error: unknown): void {
    throw new Error(message, { cause: error });
  }
}

class NoMeter extends BruteForceMeter {
  override refused(): void {}
  override locked(): void {}
  override alarmed(): void {}
}

const hashing = new PasswordHashing({
  memoryKib: 128,
  iterations: 1,
  parallelism: 1,
  slots: 2,
  queueLimit: 100,
  schemesOff: [],
});
const user = '1001' as UserId;

export interface SecretsSeen {
  /** Guesses that opened an imported hash without being its password. */
  readonly accepted: number;
  /** True passwords that took the place of an imported hash. */
  readonly rehashed: number;
  /** What went wrong, each with all that is needed to repeat it. */
  readonly faults: readonly string[];
}

/**
 * Draws a scheme and a password, lets somebody sign in with what may be taken for it, then its owner. The owner's must
 * open the account every time, and nothing else may ever be what is stored.
 */
export async function tryTruncatedSecrets(draw: Draw, rounds: number): Promise<SecretsSeen> {
  const names = Object.keys(MAKERS);
  let [accepted, rehashed] = [0, 0];
  const faults: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // the forms that nothing here can make are tried with the passwords that they are known of
    const known = draw.bool(0.05) ? draw.pick(importedHashes) : undefined;
    const name = known === undefined ? draw.pick(names) : `${known.family} ${known.name}`;
    const password = known?.password ?? drawPassword(draw);
    const imported = known?.encoded ?? (await MAKERS[name]?.(password)) ?? '';
    const store = new OnePassword({ hash: imported, changeRequired: false, setAt: 'then' });
    const log = new Silent();
    const check = new CheckPassword(store, new BruteForceProtection(store, new NoMeter(), log), hashing, log);
    const opens = async (typed: string): Promise<boolean> => {
      const { matches } = await check.check(user, typed, TEST_BILL);
      await check.settled();
      return matches;
    };
    const told = (what: string, typed: string): string =>
      `${what}: ${name}, password ${JSON.stringify(password)}, typed ${JSON.stringify(typed)}`;
    for (let guesses = draw.int(1, 3); guesses > 0; guesses -= 1) {
      const guess = drawGuess(draw, password);
      if (Buffer.from(guess).equals(Buffer.from(password))) continue;
      if (await opens(guess)) {
        accepted += 1;
        if (store.stored.hash !== imported) faults.push(told('became the password', guess));
      }
    }
    for (const time of ['first', 'second']) {
      if (!(await opens(password))) faults.push(told(`the ${time} time its owner was refused`, password));
    }
    if (store.stored.hash !== imported) {
      rehashed += 1;
      const guess = drawGuess(draw, password);
      if (!Buffer.from(guess).equals(Buffer.from(password)) && (await opens(guess))) {
        faults.push(told('opened the new hash', guess));
      }
    }
  }
  return { accepted, rehashed, faults };
}
