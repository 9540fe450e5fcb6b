import { isPbkdf2Digest, pbkdf2Hash, requirePbkdf2Iterations } from '../primitives/pbkdf2-key.js';
import { hexHash, splitParts, textSalt, wholeNumber } from '../primitives/read-parts.js';
import { digestHash, type Digest } from '../primitives/salted-digest.js';
import { scryptCost, scryptHash } from '../primitives/scrypt-key.js';
import { HashRejected, type PasswordScheme, type ReadHash } from './password-scheme.js';

/**
 * Werkzeug (Flask): `pbkdf2:<digest>:<iterations>$<salt>$<hex>` and `scrypt:<N>:<r>:<p>$<salt>$<hex>`; before
 * version 3 also `<digest>$<salt>$<hex>`, an HMAC with the salt as its key. Of these, `md5$` and `sha1$` are read as
 * Django's, which look the same and are far more common.
 */
const OLD = /^(sha224|sha256|sha384|sha512)\$/;

function read(encoded: string): ReadHash {
  const form = '<method>$<salt>$<hash in hexadecimal>';
  const [method = '', saltText = '', hashText = ''] = splitParts(encoded, '$', 3, form);
  const [name, ...settings] = method.split(':');
  const salt = textSalt(saltText);
  const hash = hexHash(hashText);
  if (name === 'scrypt') {
    if (settings.length !== 3) throw new HashRejected('bad-cost', 'wanted scrypt:<N>:<r>:<p>');
    const [n = '', r = '', p = ''] = settings;
    const cost = scryptCost(wholeNumber(n, 'N'), wholeNumber(r, 'r'), wholeNumber(p, 'p'));
    return scryptHash(cost, salt, hash);
  }
  if (name !== 'pbkdf2') return digestHash({ digest: name as Digest, hmacKey: salt, hash });
  const [digest = '', iterationText = ''] = settings;
  if (settings.length !== 2 || !isPbkdf2Digest(digest)) {
    throw new HashRejected('bad-cost', 'wanted pbkdf2:<digest>:<iterations>');
  }
  const iterations = requirePbkdf2Iterations(wholeNumber(iterationText, 'iterations'));
  return pbkdf2Hash({ digest, iterations, salt, hash });
}

export const werkzeug: PasswordScheme = {
  name: 'werkzeug',
  forms: ['pbkdf2: and scrypt: of Werkzeug'],
  recognises: (encoded) =>
    encoded.startsWith('pbkdf2:') || encoded.startsWith('scrypt:') || OLD.test(encoded),
  read,
};
