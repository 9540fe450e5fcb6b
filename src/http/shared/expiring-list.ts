import { wireEnum } from './schemas/wire-enum.js';

/** What a list of credentials is put in order and searched by: when they were made, when they end, and whether they have. */
export function expiringList(kind: 'KEY' | 'PERSONAL_ACCESS_TOKEN') {
  const sortedBy: Readonly<Record<string, string>> = {
    [`${kind}_FIELD_NAME_UNSPECIFIED`]: 'createdAt',
    [`${kind}_FIELD_NAME_CREATION_DATE`]: 'createdAt',
    [`${kind}_FIELD_NAME_EXPIRATION_DATE`]: 'expiresAt',
  };
  const state = wireEnum<Readonly<Record<string, 'active' | 'expired' | undefined>>>({
    [`${kind}_STATE_UNSPECIFIED`]: undefined,
    [`${kind}_STATE_ACTIVE`]: 'active',
    [`${kind}_STATE_EXPIRED`]: 'expired',
  });
  return { sortedBy, filters: { stateQuery: { state } } };
}
