import { createHmac } from 'node:crypto';
import { tellsAllApart } from '../primitives/told-apart.js';
import { bcrypt } from './bcrypt.js';
import type { PasswordScheme } from './password-scheme.js';

/**
 * WordPress from 6.8 on, `$wp$2y$…`: bcrypt over the base64 of HMAC-SHA384 of the password, under a key that all
 * installations share, so that more than 72 bytes count. Older ones are phpass's `$P$`.
 */
const PREFIX = '$wp';
const PRE_HASH_KEY = 'wp-sha384';

export const wordpress: PasswordScheme = {
  name: 'wordpress',
  forms: ['$wp$2y$'],
  recognises: (encoded) => encoded.startsWith(`${PREFIX}$`),
  read(encoded) {
    const inner = bcrypt.read(encoded.slice(PREFIX.length));
    return {
      ...inner,
      scheme: 'wordpress-bcrypt',
      matches: async (password, lane) =>
        inner.matches(
          Buffer.from(createHmac('sha384', PRE_HASH_KEY).update(password).digest('base64')),
          lane,
        ),
      distinguishes: tellsAllApart,
    };
  },
};
