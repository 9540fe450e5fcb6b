import { describe, expect, it } from 'vitest';
import { readMetadata } from '../../../src/domain/client-registration/metadata/client-metadata.js';
import { userSearchBody } from '../../../src/http/management-api/user-search.schemas.js';
import { readPatch } from '../../../src/http/scim/patch.js';
import { checkBody } from '../../../src/http/shared/body.pipe.js';

// S369: a list that is too long is refused by its length, before an element is looked at: each that is wrong would come with a
// fault of its own, of some hundred bytes. zod does so where a schema has a maximum.

/** A long list of zeros, and how many of them were looked at. */
function zeros(): { readonly list: readonly unknown[]; readonly seen: Set<string> } {
  const seen = new Set<string>();
  const list = new Proxy(
    Array.from({ length: 10_000 }, () => 0),
    {
      get: (target, name, receiver): unknown => {
        if (typeof name === 'string' && /^\d+$/.test(name)) seen.add(name);
        return Reflect.get(target, name, receiver);
      },
    },
  );
  return { list, seen };
}

describe('S369 a list that is longer than it may be', () => {
  it.each(['redirect_uris', 'post_logout_redirect_uris', 'contacts', 'grant_types', 'response_types'])(
    'is refused by its length in the %s of a client that registers',
    (name) => {
      const { list, seen } = zeros();
      expect(() => readMetadata({ [name]: list }, 'anyone', 'ES256')).toThrow();
      expect(seen.size).toBe(0);
    },
  );

  it('is refused so in the conditions of a search for users', () => {
    const { list, seen } = zeros();
    expect(() => checkBody(userSearchBody, { queries: [{ inUserIdsQuery: { userIds: list } }] })).toThrow();
    expect(seen.size).toBe(0);
  });

  it('is refused so as the operations of a PATCH', () => {
    const { list, seen } = zeros();
    expect(() => readPatch({ Operations: list })).toThrow();
    expect(seen.size).toBe(0);
  });
});
