import { digestHash } from '../primitives/salted-digest.js';
import type { PasswordScheme } from './password-scheme.js';

/** A bare MD5 digest as 32 hexadecimal digits, the one form without any mark of its own. Always weak. */
export const md5Plain: PasswordScheme = {
  name: 'md5-plain',
  forms: ['MD5 in hexadecimal'],
  recognises: (encoded) => encoded.length === 32 && /^[0-9A-Fa-f]{32}$/.test(encoded),
  read: (encoded) => digestHash({ digest: 'md5', hash: Buffer.from(encoded, 'hex') }),
};
