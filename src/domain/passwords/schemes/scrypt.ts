import { crypt64Number, encodeCrypt64 } from '../primitives/crypt64.js';
import { equalText } from '../primitives/equal-bytes.js';
import { scryptWork } from '../primitives/hashing-work.js';
import { base64Hash, base64Salt, splitParts, textSalt, wholeNumber } from '../primitives/read-parts.js';
import {
  deriveScrypt,
  describeScrypt,
  isWeakScrypt,
  scryptCost,
  scryptHash,
  type ScryptCost,
} from '../primitives/scrypt-key.js';
import { tellsHmacKeysApart } from '../primitives/told-apart.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * scrypt (RFC 7914) as `$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>` in base64, the PHC form, which may carry the
 * label `$7$` as well. crypt(3) writes `$7$<N><r><p><salt>$<hash>` instead: one character of N, five each of r and p,
 * a literal salt and a hash of 43 characters, all in the alphabet of crypt.
 */
const COST = /^ln=([0-9]+),r=([0-9]+),p=([0-9]+)$/;
const CRYPT = /^([./0-9A-Za-z])([./0-9A-Za-z]{5})([./0-9A-Za-z]{5})([^$]*)$/;
/** 32 bytes; the last character holds four bits. */
const CRYPT_HASH = /^[./0-9A-Za-z]{42}[./0-9A-D]$/;

/** `ln`, `r` and `p` of the PHC form; throws HashRejected outside the caps. */
export function readScryptCost(text: string): ScryptCost {
  const match = COST.exec(text);
  if (match === null) throw new HashRejected('bad-cost', 'wanted ln=<log2 N>,r=<block size>,p=<lanes>');
  const [, ln = '', r = '', p = ''] = match;
  return scryptCost(2 ** wholeNumber(ln, 'ln'), wholeNumber(r, 'r'), wholeNumber(p, 'p'));
}

function readPhc(encoded: string): ReadHash {
  const form = '$scrypt$ln=,r=,p=$<salt>$<hash>';
  const [, , costText = '', saltText = '', hashText = ''] = splitParts(encoded, '$', 5, form);
  const cost = readScryptCost(costText);
  return scryptHash(cost, base64Salt(saltText), base64Hash(hashText));
}

function readCrypt(encoded: string): ReadHash {
  const [, , setting = '', hash = ''] = splitParts(encoded, '$', 4, '$7$<N><r><p><salt>$<hash>');
  const match = CRYPT.exec(setting);
  if (match === null) throw new HashRejected('bad-cost', 'wanted one character of N, five of r, five of p');
  const [, ln = '', r = '', p = '', saltText = ''] = match;
  const cost = scryptCost(2 ** crypt64Number(ln), crypt64Number(r), crypt64Number(p));
  const salt = textSalt(saltText);
  if (!CRYPT_HASH.test(hash)) {
    throw new HashRejected('bad-hash', 'the hash must have 43 characters of crypt’s alphabet');
  }
  return {
    scheme: 'scrypt',
    weak: isWeakScrypt(cost),
    cost: describeScrypt(cost),
    work: () => scryptWork(cost.n, cost.blockSize, cost.lanes),
    matches: async (password, lane) =>
      equalText(encodeCrypt64(await deriveScrypt(cost, password, salt, 32, lane)), hash),
    distinguishes: tellsHmacKeysApart('sha256'),
  };
}

export const scrypt: PasswordScheme = {
  name: 'scrypt',
  forms: ['scrypt', '$7$'],
  recognises: (encoded) => encoded.startsWith('$scrypt$') || encoded.startsWith('$7$'),
  read: (encoded) =>
    encoded.startsWith('$7$') && !encoded.startsWith('$7$ln=') ? readCrypt(encoded) : readPhc(encoded),
};
