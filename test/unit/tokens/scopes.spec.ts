import { describe, expect, it } from 'vitest';
import { audienceProject, knownScopes, parseScopes } from '../../../src/domain/tokens/scopes/scopes.js';

describe('parseScopes', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['openid email', ['openid', 'email']],
    ['  openid   email  ', ['openid', 'email']],
    ['openid openid', ['openid']],
    ['', []],
    [' ', []],
    ['a"b', undefined],
    ['a\\b', undefined],
    ['a\tb', undefined],
    ['a\u0000', undefined],
    ['ä', undefined],
    ['x'.repeat(4097), undefined],
  ])('%j', (text, expected) => {
    expect(parseScopes(text)).toEqual(expected);
  });
});

describe('scopes that name a project', () => {
  it.each([
    ['urn:zitadel:iam:org:project:id:123:aud', '123'],
    ['urn:service:iam:org:project:id:123:aud', '123'],
    ['urn:zitadel:iam:org:project:id:zitadel:aud', 'own'],
    ['urn:service:iam:org:project:id:service:aud', 'own'],
    ['urn:zitadel:iam:org:project:id::aud', undefined],
    ['urn:other:iam:org:project:id:123:aud', undefined],
    ['xurn:zitadel:iam:org:project:id:123:aud', undefined],
    ['openid', undefined],
  ])('%s', (scope, project) => {
    expect(audienceProject(scope, 'own')).toBe(project);
    expect(knownScopes([scope])).toEqual(project === undefined && scope !== 'openid' ? [] : [scope]);
  });
});
