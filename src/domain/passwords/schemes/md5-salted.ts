import { base64Hash, splitParts, textSalt } from '../primitives/read-parts.js';
import { digestHash } from '../primitives/salted-digest.js';
import type { PasswordScheme } from './password-scheme.js';

/**
 * MD5 with a salt, `$md5salted-prefix$<salt>$<hash>` (salt before the password) and `$md5salted-suffix$…` (behind
 * it). The salt counts as the text it is, even when that looks like base64. Always weak.
 */
export const md5Salted: PasswordScheme = {
  name: 'md5-salted',
  forms: ['md5salted-prefix', 'md5salted-suffix'],
  recognises: (encoded) =>
    encoded.startsWith('$md5salted-prefix$') || encoded.startsWith('$md5salted-suffix$'),
  read(encoded) {
    const form = '$md5salted-<prefix or suffix>$<salt>$<hash>';
    const [, label = '', saltText = '', hashText = ''] = splitParts(encoded, '$', 4, form);
    const salt = textSalt(saltText);
    const place = label.endsWith('prefix') ? { before: salt } : { after: salt };
    return digestHash({ digest: 'md5', ...place, hash: base64Hash(hashText) });
  },
};
