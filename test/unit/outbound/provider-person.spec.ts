import { describe, expect, it } from 'vitest';
import type { OAuthProvider } from '../../../src/domain/identity-providers/identity-provider.js';
import { namesFrom, subjectOf, tenantSubject } from '../../../src/outbound/oauth/provider-person.js';

describe('the subject of a directory among many', () => {
  it('is one of its directory alone', () => {
    expect(tenantSubject({ tid: 'a', sub: 's' })).toBe('a/s');
    expect(tenantSubject({ tid: 'b', sub: 's' })).not.toBe(tenantSubject({ tid: 'a', sub: 's' }));
  });

  it.each([undefined, null, '', 7, ['a'], {}])('is none where the directory is %j', (tid) => {
    expect(tenantSubject({ tid, sub: 's' })).toBeUndefined();
    expect(() => subjectOf(tenantSubject({ tid, sub: 's' }))).toThrow('the subject is none');
  });
});

describe('the name that Apple tells beside its answer', () => {
  const provider = (kind: 'apple' | 'google') => ({ kind }) as OAuthProvider;
  const from = (user: string, kind: 'apple' | 'google' = 'apple') =>
    namesFrom(provider(kind), new URLSearchParams({ user }));

  it('is a first and a last one, and nothing else of it is taken', () => {
    const user = { name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'ada@mail.test', sub: 'x' };
    expect(from(JSON.stringify(user))).toEqual({ given_name: 'Ada', family_name: 'Lovelace' });
  });

  it('is none of another provider', () => {
    expect(from('{"name":{"firstName":"Ada"}}', 'google')).toEqual({});
  });

  it.each(['', 'nonsense', 'null', '7', '[]', '{}', '{"name":null}', '{"name":7}'])(
    'is none in %j',
    (user) => {
      const { given_name: first, family_name: last } = from(user);
      expect([first, last]).toEqual([undefined, undefined]);
    },
  );

  it('is none where there is no such field', () => {
    expect(namesFrom(provider('apple'), new URLSearchParams())).toEqual({});
  });
});
