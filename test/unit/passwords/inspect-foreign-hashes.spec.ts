import { describe, expect, it } from 'vitest';
import { HashRejected, type HashRule } from '../../../src/domain/passwords/schemes/password-scheme.js';
import { inspectHash } from '../../../src/domain/passwords/schemes/password-schemes.js';
import { importedHashes } from '../../support/imported-hashes.js';
import { growth, LINEAR } from '../../support/processor-time.js';

const b64 = (bytes: number): string => Buffer.alloc(bytes, 0x5a).toString('base64');
const hex = (bytes: number): string => '5a'.repeat(bytes);
const crypt = (characters: number): string => 'Z'.repeat(characters - 1);

const SALT = b64(16);
const scrypt = (cost: string, salt = SALT, hash = b64(32)): string => `$scrypt$${cost}$${salt}$${hash}`;
const cryptScrypt = (n: string, r = 'U....', p = '/....', salt = 'salt', hash = `${crypt(43)}.`): string =>
  `$7$${n}${r}${p}${salt}$${hash}`;
const firebase = (cost: string, hash = b64(64), separator = 'Bw==', key = b64(64)): string =>
  `$firescrypt$${cost}$${SALT}$${hash}$${separator}$${key}`;
const sha512 = (rounds: string, salt = 'saltsalt', hash = `${crypt(86)}.`): string =>
  `$6$${rounds}${salt}$${hash}`;
const phpass = (cost: string, salt = 'abcdEFGH', hash = `${crypt(22)}.`): string =>
  `$P$${cost}${salt}${hash}`;
const drupal = (cost: string, hash = crypt(44)): string => `$S$${cost}abcdEFGH${hash}`;
const aspnet3 = (digest: number, rounds: number, salt: number, rest: number): string => {
  const header = Buffer.alloc(13);
  header[0] = 1;
  header.writeUInt32BE(digest, 1);
  header.writeUInt32BE(rounds, 5);
  header.writeUInt32BE(salt, 9);
  return Buffer.concat([header, Buffer.alloc(rest, 0x5a)]).toString('base64');
};
const keycloak = (how: object | string, secret: object = { value: b64(32), salt: SALT }, more = {}): string =>
  JSON.stringify({ credentialData: JSON.stringify(how), secretData: JSON.stringify(secret), ...more });
const keycloakArgon2 = (changes: Readonly<Record<string, unknown>>): string => {
  const parameters = { type: ['id'], version: ['1.3'], memory: ['7168'], parallelism: ['1'], ...changes };
  return keycloak({ algorithm: 'argon2', hashIterations: 5, additionalParameters: parameters });
};
const PBKDF2 = { algorithm: 'pbkdf2-sha256', hashIterations: 27_500 };
const auth0 = (fields: object): string => JSON.stringify({ algorithm: 'sha256', ...fields });
const DIGEST = { value: hex(32), encoding: 'hex' };
const auth0Scrypt = (changes: object): string =>
  auth0({ algorithm: 'scrypt', hash: DIGEST, salt: { value: 'saltsalt' }, keylen: 32, ...changes });

const numbers = ['0', '-1', '+1', '1e9', '07', '1.5', '0x10', ' 12', '٣٠٠', 'NaN', ''];

const refused: [name: string, encoded: string, rule: HashRule][] = [
  ['passwords in clear', '{CLEARTEXT}password', 'unknown-scheme'],
  ['an account that Django has closed', '!unusable', 'unknown-scheme'],
  ['DES of crypt(3)', 'rl.3StKT.4T8M', 'unknown-scheme'],
  ['DES behind the label of a directory', '{CRYPT}rl.3StKT.4T8M', 'unknown-scheme'],
  ['yescrypt', `$y$j9T$saltsalt$${crypt(44)}`, 'unknown-scheme'],
  ['31 hexadecimal digits', hex(16).slice(1), 'unknown-scheme'],
  ['33 hexadecimal digits', `${hex(16)}5`, 'unknown-scheme'],
  ['32 digits with another letter', `${hex(16).slice(1)}g`, 'unknown-scheme'],
  ['32 digits and a line break', `${hex(16)}\n`, 'unknown-scheme'],
  ['an unknown label', `{SSHA3}${b64(40)}`, 'unknown-scheme'],
  ['a property of all objects as a label', `{constructor}${b64(40)}`, 'unknown-scheme'],
  ['JSON of something else', '{"hash":"x"}', 'unknown-scheme'],
  ['argon2d of Django', `argon2$argon2d$v=19$m=19456,t=2,p=1$${SALT}$${b64(32)}`, 'unknown-scheme'],

  ...numbers.map((n): [string, string, HashRule] => [
    `scrypt ln "${n}"`,
    scrypt(`ln=${n},r=8,p=1`),
    'bad-cost',
  ]),
  ['scrypt ln 18', scrypt('ln=18,r=8,p=1'), 'cost-too-high'],
  ['scrypt ln of endless digits', scrypt(`ln=${'9'.repeat(400)},r=8,p=1`), 'cost-too-high'],
  ['scrypt r 33', scrypt('ln=10,r=33,p=1'), 'cost-too-high'],
  ['scrypt p 17', scrypt('ln=10,r=8,p=17'), 'cost-too-high'],
  ['scrypt over 256 MiB', scrypt('ln=17,r=17,p=1'), 'cost-too-high'],
  ['scrypt over the work of a slot', scrypt('ln=17,r=8,p=5'), 'cost-too-high'],
  ['scrypt in another order', scrypt('r=8,ln=16,p=1'), 'bad-cost'],
  ['scrypt of 4 parts', `$scrypt$ln=16,r=8,p=1$${SALT}`, 'wrong-part-count'],
  ['scrypt of 6 parts', `${scrypt('ln=16,r=8,p=1')}$`, 'wrong-part-count'],
  ['scrypt without salt', scrypt('ln=16,r=8,p=1', ''), 'bad-salt'],
  ['scrypt without hash', scrypt('ln=16,r=8,p=1', SALT, ''), 'bad-hash'],
  ['scrypt in base64url', scrypt('ln=16,r=8,p=1', SALT, `_${b64(32).slice(1)}`), 'bad-hash'],
  ['scrypt hash of 15 bytes', scrypt('ln=16,r=8,p=1', SALT, b64(15)), 'bad-hash'],
  ['scrypt hash of 129 bytes', scrypt('ln=16,r=8,p=1', SALT, b64(129)), 'bad-hash'],
  ['scrypt of crypt(3), N 2^18', cryptScrypt('G'), 'cost-too-high'],
  ['scrypt of crypt(3), N 1', cryptScrypt('.'), 'bad-cost'],
  ['scrypt of crypt(3), r 0', cryptScrypt('C', '.....'), 'bad-cost'],
  ['scrypt of crypt(3), r 2^30', cryptScrypt('C', 'zzzzz'), 'cost-too-high'],
  ['scrypt of crypt(3), too short', '$7$CU../$hash', 'bad-cost'],
  ['scrypt of crypt(3), no salt', cryptScrypt('C', 'U....', '/....', ''), 'bad-salt'],
  [
    'scrypt of crypt(3), leftover bits',
    cryptScrypt('C', 'U....', '/....', 'salt', `${crypt(43)}z`),
    'bad-hash',
  ],

  ['Firebase without the project’s key', firebase('ln=14,r=8,p=1', b64(64), 'Bw==', ''), 'bad-key'],
  ['Firebase with a key not in base64', firebase('ln=14,r=8,p=1', b64(64), 'Bw==', '!'), 'bad-key'],
  ['Firebase with a separator not in base64', firebase('ln=14,r=8,p=1', b64(64), '*'), 'bad-salt'],
  ['Firebase with a hash as long as no key', firebase('ln=14,r=8,p=1', b64(63)), 'bad-hash'],
  ['Firebase of 6 parts', `$firescrypt$ln=14,r=8,p=1$${SALT}$${b64(64)}$Bw==`, 'wrong-part-count'],
  ['Firebase, memory cost 18', firebase('ln=18,r=8,p=1'), 'cost-too-high'],

  ...['0', '-1', '+1', '1e9', '0005000', '٣٠٠', 'NaN', ''].map((n): [string, string, HashRule] => [
    `SHA-crypt rounds "${n}"`,
    sha512(`rounds=${n}$`),
    'bad-cost',
  ]),
  ['SHA-crypt of 999 rounds', sha512('rounds=999$'), 'bad-cost'],
  ['SHA-crypt of 1,000,001 rounds', sha512('rounds=1000001$'), 'cost-too-high'],
  ['SHA-crypt without salt', sha512('', ''), 'bad-salt'],
  ['SHA-crypt with 17 characters of salt', sha512('', 'saltsaltsaltsalt1'), 'bad-salt'],
  ['SHA-crypt with a colon in the salt', sha512('', 'sa:lt'), 'bad-salt'],
  ['SHA-crypt with a short hash', sha512('', 'salt', crypt(86)), 'bad-hash'],
  ['SHA-crypt with leftover bits', sha512('', 'salt', `${crypt(86)}z`), 'bad-hash'],
  ['SHA-crypt with another hash’s length', `$5$salt$${crypt(86)}.`, 'bad-hash'],
  ['SHA-crypt of 2 parts', '$6$salt', 'wrong-part-count'],
  ['SHA-crypt of 5 parts', `$6$rounds=5000$salt$${crypt(86)}.$`, 'wrong-part-count'],
  ['MD5-crypt without salt', `$1$$${crypt(22)}.`, 'bad-salt'],
  ['MD5-crypt with 9 characters of salt', `$1$saltsalt9$${crypt(22)}.`, 'bad-salt'],
  ['MD5-crypt with a short hash', `$1$salt$${crypt(22)}`, 'bad-hash'],
  ['MD5-crypt with leftover bits', `$1$salt$${crypt(22)}z`, 'bad-hash'],
  ['MD5-crypt of 2 parts', '$1$salt', 'wrong-part-count'],
  ['salted MD5 without salt', `$md5salted-prefix$$${b64(16)}`, 'bad-salt'],
  ['salted MD5 with a hash of SHA-1', `$md5salted-prefix$salt$${b64(20)}`, 'bad-hash'],
  ['salted MD5 of 3 parts', '$md5salted-suffix$salt', 'wrong-part-count'],

  ['phpass under 2^7', phpass('4'), 'bad-cost'],
  ['phpass over 2^20', phpass('J'), 'cost-too-high'],
  ['phpass of 2^63', phpass('z'), 'cost-too-high'],
  ['phpass with another salt', phpass('B', 'abcd+FGH'), 'bad-salt'],
  ['phpass too short', phpass('B', 'abcdEFGH', crypt(22)), 'bad-hash'],
  ['phpass too long', `${phpass('B')}a`, 'bad-hash'],
  ['phpass with leftover bits', phpass('B', 'abcdEFGH', `${crypt(22)}z`), 'bad-hash'],
  ['phpass label only', '$P$', 'bad-salt'],
  ['Drupal under 2^7', drupal('4'), 'bad-cost'],
  ['Drupal over 2^20', drupal('J'), 'cost-too-high'],
  ['Drupal too short', drupal('C', crypt(43)), 'bad-hash'],
  ['Drupal too long', drupal('C', crypt(45)), 'bad-hash'],

  ...numbers.map((n): [string, string, HashRule] => [
    `Django iterations "${n}"`,
    `pbkdf2_sha256$${n}$seasalt2$${b64(32)}`,
    'bad-cost',
  ]),
  ['Django over the cap', `pbkdf2_sha256$2000001$seasalt2$${b64(32)}`, 'cost-too-high'],
  ['Django without salt', `pbkdf2_sha256$600000$$${b64(32)}`, 'bad-salt'],
  ['Django with a hash not in base64', 'pbkdf2_sha256$600000$seasalt2$%%%%', 'bad-hash'],
  ['Django of 3 parts', 'pbkdf2_sha256$600000$seasalt2', 'wrong-part-count'],
  ['Django scrypt, N no power of 2', `scrypt$16383$salt$8$1$${b64(64)}`, 'bad-cost'],
  ['Django scrypt, N 2^18', `scrypt$262144$salt$8$1$${b64(64)}`, 'cost-too-high'],
  ['Django bcrypt, cost 16', `bcrypt_sha256$$2b$16$${crypt(54)}`, 'cost-too-high'],
  ['Django bcrypt of something else', `bcrypt$md5$salt$${hex(16)}`, 'bad-hash'],
  ['Django sha1 with a hash of MD5', `sha1$salt$${hex(16)}`, 'bad-hash'],
  ['Django md5 with an odd digit', `md5$salt$${hex(16)}5`, 'bad-hash'],
  ['Werkzeug over the cap', `pbkdf2:sha256:2000001$salt$${hex(32)}`, 'cost-too-high'],
  ['Werkzeug without iterations', `pbkdf2:sha256$salt$${hex(32)}`, 'bad-cost'],
  ['Werkzeug with an unknown digest', `pbkdf2:constructor:1000$salt$${hex(32)}`, 'bad-cost'],
  ['Werkzeug scrypt, p 17', `scrypt:16384:8:17$salt$${hex(64)}`, 'cost-too-high'],
  ['Werkzeug scrypt of two numbers', `scrypt:16384:8$salt$${hex(64)}`, 'bad-cost'],
  ['Werkzeug without salt', `scrypt:16384:8:1$$${hex(64)}`, 'bad-salt'],
  ['Werkzeug with base64', `scrypt:16384:8:1$salt$${b64(64)}`, 'bad-hash'],
  ['Werkzeug of 4 parts', `scrypt:16384:8:1$salt$${hex(64)}$`, 'wrong-part-count'],

  ['ASP.NET of another version', `$aspnet-identity$${Buffer.alloc(49, 2).toString('base64')}`, 'bad-version'],
  ['ASP.NET with an unknown digest', `$aspnet-identity$${aspnet3(3, 10_000, 16, 48)}`, 'bad-version'],
  ['ASP.NET over the cap', aspnet3(1, 2_000_001, 16, 48), 'cost-too-high'],
  ['ASP.NET of 2^32-1 iterations', aspnet3(1, 4_294_967_295, 16, 48), 'cost-too-high'],
  ['ASP.NET of no iteration', aspnet3(1, 0, 16, 48), 'bad-cost'],
  ['ASP.NET without salt', aspnet3(1, 10_000, 0, 48), 'bad-salt'],
  ['ASP.NET with a salt past its end', aspnet3(1, 10_000, 4_294_967_295, 48), 'bad-hash'],
  ['ASP.NET that ends in its header', `$aspnet-identity$${b64(13).replace(/^../, 'AQ')}`, 'bad-version'],
  ['ASP.NET, version 2 with a byte more', `$aspnet-identity$${b64(50).replace(/^../, 'AA')}`, 'bad-hash'],
  ['ASP.NET not in base64', '$aspnet-identity$AQ-A', 'bad-hash'],

  ['{SSHA} without salt', `{SSHA}${b64(20)}`, 'bad-salt'],
  ['{SSHA} with 65 bytes of salt', `{SSHA}${b64(85)}`, 'bad-salt'],
  ['{SHA} with salt', `{SHA}${b64(24)}`, 'bad-salt'],
  ['{SSHA512} of {SSHA}', `{SSHA512}${b64(28)}`, 'bad-salt'],
  ['{SHA512} too short', `{SHA512}${b64(63)}`, 'bad-hash'],
  ['{SSHA} not in base64', '{SSHA}****', 'bad-hash'],
  ['{SSHA} with nothing', '{SSHA}', 'bad-hash'],
  ['{CRYPT} over its scheme’s cap', `{CRYPT}$6$rounds=1000001$salt$${crypt(86)}.`, 'cost-too-high'],
  ['{ARGON2} with argon2d', `{ARGON2}$argon2d$v=19$m=19456,t=2,p=1$${SALT}$${b64(32)}`, 'unknown-scheme'],
  ['WordPress, cost 16', `$wp$2y$16$${crypt(54)}`, 'cost-too-high'],
  ['WordPress without bcrypt', `$wp$P$B${crypt(31)}`, 'bad-hash'],

  ['passlib over the cap', `{PBKDF2-SHA256}2000001$${SALT}$${b64(32)}`, 'cost-too-high'],
  ['passlib with an unknown digest', `{PBKDF2-MD5}20000$${SALT}$${b64(16)}`, 'unknown-scheme'],
  ['passlib without end of label', `{PBKDF2-SHA256$20000$${SALT}$${b64(32)}`, 'wrong-part-count'],
  ['Atlassian too short', `{PKCS5S2}${b64(47)}`, 'bad-hash'],
  ['Cryptacular over the cap', `$p5k2$1e8481$${SALT}$${b64(20)}`, 'cost-too-high'],
  ['Cryptacular without rounds', `$p5k2$$${SALT}$${b64(20)}`, 'bad-cost'],
  ['Cryptacular in capitals', `$p5k2$1E84$${SALT}$${b64(20)}`, 'bad-cost'],
  ['Cryptacular in plain base64', `$p5k2$2710$${SALT}$+${b64(20).slice(1)}`, 'bad-hash'],
  ['Litzenberger with another salt', `$p5k2$2710$s+lt$${b64(24)}`, 'bad-salt'],
  ['GRUB over the cap', `grub.pbkdf2.sha512.2000001.${hex(64)}.${hex(64)}`, 'cost-too-high'],
  ['GRUB with half a byte of salt', `grub.pbkdf2.sha512.10000.5.${hex(64)}`, 'bad-salt'],
  ['GRUB without salt', `grub.pbkdf2.sha512.10000.${hex(64)}`, 'wrong-part-count'],
  ['bcrypt-sha256, cost 16', `$bcrypt-sha256$v=2,t=2b,r=16$${crypt(22)}e$${crypt(32)}`, 'cost-too-high'],
  ['bcrypt-sha256, version 3', `$bcrypt-sha256$v=3,t=2b,r=12$${crypt(22)}e$${crypt(32)}`, 'bad-cost'],
  ['bcrypt-sha256 with a short salt', `$bcrypt-sha256$v=2,t=2b,r=12$${crypt(22)}$${crypt(33)}`, 'bad-salt'],

  ['Keycloak, broken', '{"credentialData":', 'bad-json'],
  ['Keycloak, broken inside', JSON.stringify({ credentialData: '{', secretData: '{}' }), 'bad-json'],
  ['Keycloak, a list inside', JSON.stringify({ credentialData: '[]', secretData: '{}' }), 'bad-json'],
  ['Keycloak, an object inside', JSON.stringify({ credentialData: {}, secretData: '{}' }), 'bad-field'],
  ['Keycloak with an unknown field', keycloak(PBKDF2, undefined, { __proto__x: 1 }), 'bad-field'],
  ['Keycloak with an unknown algorithm', keycloak({ ...PBKDF2, algorithm: 'bcrypt' }), 'bad-field'],
  ['Keycloak, iterations a text', keycloak({ ...PBKDF2, hashIterations: '27500' }), 'bad-cost'],
  ['Keycloak, half an iteration', keycloak({ ...PBKDF2, hashIterations: 0.5 }), 'bad-cost'],
  ['Keycloak over the cap', keycloak({ ...PBKDF2, hashIterations: 2_000_001 }), 'cost-too-high'],
  ['Keycloak without salt', keycloak(PBKDF2, { value: b64(32) }), 'bad-field'],
  ['Keycloak with an empty salt', keycloak(PBKDF2, { value: b64(32), salt: '' }), 'bad-salt'],
  [
    'Keycloak with a salt of two parts',
    keycloak(PBKDF2, { value: b64(32), salt: `${SALT}$` }),
    'wrong-part-count',
  ],
  ['Keycloak, argon2d', keycloakArgon2({ type: ['d'] }), 'unknown-scheme'],
  ['Keycloak, type of all objects', keycloakArgon2({ type: ['toString'] }), 'unknown-scheme'],
  ['Keycloak, argon2 version 1.0', keycloakArgon2({ version: ['1.0'] }), 'bad-version'],
  ['Keycloak, argon2 over the cap', keycloakArgon2({ memory: ['262145'] }), 'cost-too-high'],
  ['Keycloak, argon2 with two memories', keycloakArgon2({ memory: ['7168', '8192'] }), 'bad-cost'],

  ['Auth0, broken', '{"algorithm":"md5"', 'bad-json'],
  ['Auth0, md4', auth0({ algorithm: 'md4', hash: DIGEST }), 'bad-field'],
  ['Auth0, property of all objects', auth0({ algorithm: 'constructor', hash: DIGEST }), 'bad-field'],
  ['Auth0 with an unknown field', auth0({ hash: DIGEST, pepper: 'x' }), 'bad-field'],
  ['Auth0 with an unknown field inside', auth0({ hash: { ...DIGEST, rounds: 1 } }), 'bad-field'],
  ['Auth0 without hash', auth0({}), 'bad-json'],
  ['Auth0 without encoding', auth0({ hash: { value: hex(32) } }), 'bad-field'],
  ['Auth0 with another digest’s length', auth0({ hash: { ...DIGEST, value: hex(20) } }), 'bad-hash'],
  ['Auth0, base64 called hex', auth0({ hash: { ...DIGEST, value: b64(32) } }), 'bad-hash'],
  ['Auth0 with an empty salt', auth0({ hash: DIGEST, salt: { value: '', position: 'prefix' } }), 'bad-salt'],
  ['Auth0 with a salt nowhere', auth0({ hash: DIGEST, salt: { value: 'salt' } }), 'bad-field'],
  [
    'Auth0, hmac without key',
    auth0({ algorithm: 'hmac', hash: { ...DIGEST, digest: 'sha256' } }),
    'bad-json',
  ],
  [
    'Auth0, hmac with an empty key',
    auth0({ algorithm: 'hmac', hash: { ...DIGEST, digest: 'sha256', key: { value: '' } } }),
    'bad-key',
  ],
  [
    'Auth0, bcrypt that is something else',
    auth0({ algorithm: 'bcrypt', hash: { value: `{SHA}${b64(20)}` } }),
    'unknown-scheme',
  ],
  [
    'Auth0, pbkdf2 whose length is another',
    auth0({
      algorithm: 'pbkdf2',
      hash: { value: `$pbkdf2-sha256$i=100000,l=64$${SALT}$${b64(32)}` },
    }),
    'bad-hash',
  ],
  ['Auth0, scrypt of N 2^18', auth0Scrypt({ cost: 262_144 }), 'cost-too-high'],
  ['Auth0, scrypt of another length', auth0Scrypt({ keylen: 64 }), 'bad-hash'],
  ['Auth0, scrypt without salt', auth0Scrypt({ salt: undefined }), 'bad-json'],
  ['Auth0, password in EBCDIC', auth0({ hash: DIGEST, password: { encoding: 'ebcdic' } }), 'bad-field'],
];

const accepted: [name: string, encoded: string, weak: boolean][] = [
  ['scrypt at the highest N', scrypt('ln=17,r=8,p=1'), false],
  ['scrypt at 256 MiB', scrypt('ln=17,r=16,p=1'), false],
  ['scrypt at the work of a slot', scrypt('ln=17,r=8,p=4'), false],
  ['scrypt at the floor', scrypt('ln=14,r=8,p=1'), false],
  ['scrypt under the floor', scrypt('ln=13,r=8,p=1'), true],
  ['scrypt with a short salt', scrypt('ln=16,r=8,p=1', b64(7)), true],
  ['scrypt of crypt(3) at the highest N', cryptScrypt('F', '6....'), false],
  ['Firebase without a separator', firebase('ln=14,r=8,p=1', b64(64), ''), false],
  ['Firebase under the floor', firebase('ln=8,r=8,p=1'), true],
  ['SHA-crypt at the fewest rounds', sha512('rounds=1000$'), true],
  ['SHA-crypt under the floor', sha512('rounds=9999$'), true],
  ['SHA-crypt at the floor', sha512('rounds=10000$'), false],
  ['SHA-crypt at the cap', sha512('rounds=1000000$'), false],
  ['SHA-crypt with the longest salt', sha512('', 'saltsaltsaltsalt'), true],
  ['phpass at the least', phpass('5'), true],
  ['phpass at the cap', phpass('I'), true],
  ['Drupal under the floor', drupal('B'), true],
  ['Drupal at the floor', drupal('C'), false],
  ['Drupal at the cap', drupal('I'), false],
  ['Django at the cap', `pbkdf2_sha256$2000000$seasalt2$${b64(32)}`, false],
  ['Django at the floor', `pbkdf2_sha256$10000$seasalt2$${b64(32)}`, false],
  ['Django under the floor', `pbkdf2_sha256$9999$seasalt2$${b64(32)}`, true],
  ['Werkzeug at the cap', `pbkdf2:sha256:2000000$saltsalt$${hex(32)}`, false],
  ['ASP.NET at the cap', aspnet3(1, 2_000_000, 16, 48), false],
  ['ASP.NET under the floor', aspnet3(1, 9_999, 16, 48), true],
  ['{SSHA} with the longest salt', `{SSHA}${b64(84)}`, true],
  ['{SSHA} with the shortest salt', `{SSHA}${b64(21)}`, true],
  ['WordPress at the cap', `$wp$2y$15$${crypt(54)}`, false],
  ['Cryptacular at the cap', `$p5k2$1e8480$${SALT}$${b64(20)}`, false],
  ['Keycloak at the cap', keycloak({ ...PBKDF2, hashIterations: 2_000_000 }), false],
  ['Keycloak at the floor', keycloak({ ...PBKDF2, hashIterations: 10_000 }), false],
  ['Keycloak, argon2 at the cap', keycloakArgon2({ memory: ['262144'] }), false],
  ['Auth0 scrypt at the cap', auth0Scrypt({ cost: 131_072 }), false],
];

function refusal(encoded: string): HashRejected | undefined {
  try {
    inspectHash(encoded);
    return undefined;
  } catch (error) {
    if (error instanceof HashRejected) return error;
    throw error;
  }
}

describe('a hash of another product that is refused (security S147–S149)', () => {
  it.each(refused)('%s', (_name, encoded, rule) => {
    const error = refusal(encoded);
    expect(error?.rule).toBe(rule);
    expect(error?.text).toContain(`rule ${rule}`);
    expect(error?.message).not.toContain('ZZZZZZZZ');
    expect(error?.message).not.toContain(hex(8));
  });
});

describe('a hash of another product at its cap and at its floor (security S149, S150)', () => {
  it.each(accepted)('%s', (_name, encoded, weak) => {
    expect(inspectHash(encoded).weak).toBe(weak);
  });
});

describe('a hash that somebody damaged', () => {
  const hostile = ['', '$', '{', '"', '\0', '\n', '٣', '😀', '\u202e', '=', ',', '9'.repeat(50)];

  it.each(importedHashes.map((hash) => [`${hash.family}: ${hash.name}`, hash.encoded] as const))(
    'is refused by a rule or read, and nothing else happens: %s',
    (_name, encoded) => {
      const damaged = Array.from({ length: encoded.length + 1 }, (_, at) => [
        encoded.slice(0, at),
        encoded.slice(at),
        ...hostile.map((text) => encoded.slice(0, at) + text + encoded.slice(at + 1)),
      ]).flat();
      expect(() => damaged.forEach(refusal)).not.toThrow();
    },
  );

  it('is refused in linear time when it was made to cost time (S153)', async () => {
    const starts = [
      '$',
      '{',
      '{"',
      '{ "',
      '{SSHA}',
      '$6$',
      '$P$',
      'pbkdf2:',
      'AQAAAA',
      '$7$',
      '$p5k2$',
      'md5$',
    ];
    const fillings = ['a', ' ', '$', '=', '{', 'A'.repeat(63), '\\"', '[', 'é'];
    const texts = (size: number) =>
      starts.flatMap((start) => fillings.map((filling) => (start + filling.repeat(size)).slice(0, size)));
    for (const text of texts(4096)) expect(refusal(text)).toBeInstanceOf(HashRejected);
    const [short, long] = [texts(512), texts(4096)];
    const refuseAll = (size: number) => (size === 512 ? short : long).forEach(refusal);
    expect(await growth(refuseAll, 512)).toBeLessThan(LINEAR);
  });
});
