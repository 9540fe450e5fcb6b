import { wireEnum } from './schemas/wire-enum.js';

type Kind = 'KEY' | 'PERSONAL_ACCESS_TOKEN' | 'SCIM_TOKEN' | 'INITIAL_ACCESS_TOKEN';

/**
 * What a list of credentials is put in order and searched by: when they were made, when they end, and whether they have; and by
 * their names, where they have some.
 */
export function expiringList(kind: Kind, { isNamed = false } = {}) {
  const sortedBy: Readonly<Record<string, string>> = {
    [`${kind}_FIELD_NAME_UNSPECIFIED`]: 'createdAt',
    [`${kind}_FIELD_NAME_CREATION_DATE`]: 'createdAt',
    [`${kind}_FIELD_NAME_EXPIRATION_DATE`]: 'expiresAt',
    ...(isNamed && { [`${kind}_FIELD_NAME_NAME`]: 'name' }),
  };
  const state = wireEnum<Readonly<Record<string, 'active' | 'expired' | undefined>>>({
    [`${kind}_STATE_UNSPECIFIED`]: undefined,
    [`${kind}_STATE_ACTIVE`]: 'active',
    [`${kind}_STATE_EXPIRED`]: 'expired',
  });
  return { sortedBy, filters: { stateQuery: { state } }, isNamed };
}
