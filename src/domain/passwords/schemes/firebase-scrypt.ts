import { createCipheriv } from 'node:crypto';
import { equalBytes } from '../primitives/equal-bytes.js';
import { scryptWork } from '../primitives/hashing-work.js';
import { base64Hash, base64Salt, splitParts } from '../primitives/read-parts.js';
import { deriveScrypt, describeScrypt, isWeakScrypt } from '../primitives/scrypt-key.js';
import { tellsHmacKeysApart } from '../primitives/told-apart.js';
import { HashRejected, type PasswordScheme } from './password-scheme.js';
import { readScryptCost } from './scrypt.js';
import { strictBase64Length } from './strict-base64.js';

/**
 * Firebase Authentication's scrypt: the derived key encrypts (AES-256-CTR) the project's signer key, and the result
 * is the hash. A hash alone says nothing of its project, so the encoded form carries the project's parameters along:
 * `$firescrypt$ln=<memory cost>,r=<rounds>,p=1$<salt>$<hash>$<salt separator>$<signer key>`, base64 each, the same
 * form that other open products take.
 */
const HASH_BYTES = { least: 16, most: 128 };
const KEY_BYTES = 32;
const NO_IV = Buffer.alloc(16);

export const firebaseScrypt: PasswordScheme = {
  name: 'firebase-scrypt',
  forms: ['firescrypt'],
  recognises: (encoded) => encoded.startsWith('$firescrypt$'),
  read(encoded) {
    const form = '$firescrypt$ln=,r=,p=1$<salt>$<hash>$<salt separator>$<signer key>';
    const [, , costText = '', saltText = '', hashText = '', separatorText = '', keyText = ''] = splitParts(
      encoded,
      '$',
      7,
      form,
    );
    const cost = readScryptCost(costText);
    const userSalt = base64Salt(saltText);
    const hash = base64Hash(hashText);
    const separator = separatorText === '' ? Buffer.alloc(0) : base64Salt(separatorText);
    // Only looked at: an import checks a million of them and needs none.
    const keyLength = strictBase64Length(keyText);
    if (keyLength === undefined) throw new HashRejected('bad-key', 'the signer key must be base64');
    if (hash.length < HASH_BYTES.least || hash.length > HASH_BYTES.most || hash.length !== keyLength) {
      throw new HashRejected(
        'bad-hash',
        `the hash must have ${HASH_BYTES.least} to ${HASH_BYTES.most} bytes, as many as the signer key`,
      );
    }
    return {
      scheme: 'firebase-scrypt',
      weak: isWeakScrypt(cost),
      cost: describeScrypt(cost),
      work: () => scryptWork(cost.n, cost.blockSize, cost.lanes),
      matches: async (password, lane) => {
        const salt = Buffer.concat([userSalt, separator]);
        const key = await deriveScrypt(cost, password, salt, KEY_BYTES, lane);
        const signerKey = Buffer.from(keyText, 'base64');
        return equalBytes(createCipheriv('aes-256-ctr', key, NO_IV).update(signerKey), hash);
      },
      distinguishes: tellsHmacKeysApart('sha256'),
    };
  },
};
