import { describe, expect, it } from 'vitest';
import { fill, foreignPlaceholder, uses } from '../../../src/domain/notifications/templates/placeholders.js';

describe('filling in', () => {
  it('replaces each name by its value, blanks around it or not', () => {
    const values = { displayName: 'Ada', organizationName: 'Acme' };
    expect(fill('{{displayName}} at {{ organizationName }}, {{displayName}}', values)).toBe(
      'Ada at Acme, Ada',
    );
  });

  it('happens once: what a value says is no placeholder', () => {
    const values = { displayName: '{{code}} $& $1 {{displayName}}', code: 'SECRET' };
    expect(fill('Hello {{displayName}}', values)).toBe('Hello {{code}} $& $1 {{displayName}}');
    // nor do a text and a value make one together
    expect(fill('{{{displayName}}', { displayName: '{code}}', code: 'SECRET' })).not.toContain('SECRET');
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'code'])('knows no value for %s', (name) => {
    expect(() => fill(`{{${name}}}`, { displayName: 'Ada' })).toThrow();
  });
});

describe('what is in double braces and no placeholder (S178)', () => {
  it.each([
    ['{{code}}', '{{code}}'],
    ['{{Displayname}}', '{{Displayname}}'],
    ["{{constructor.constructor('return process')()}}", "{{constructor.constructor('return process')()}}"],
    ['{{__proto__}}', '{{__proto__}}'],
    ['{{constructor}}', '{{constructor}}'],
    ['Hi {{#displayName}}x{{/displayName}}', '{{#displayName}}'],
    ['{{^displayName}}', '{{^displayName}}'],
    ['{{> header}}', '{{> header}}'],
    ['{{! note }}', '{{! note }}'],
    ['{{=<% %>=}}', '{{=<% %>=}}'],
    ['{{&displayName}}', '{{&displayName}}'],
    ['{{displayName.length}}', '{{displayName.length}}'],
    ['{{displayName}}{{', '{{'],
    ['}}', '}}'],
    ['{{\ndisplayName}}', '{{\ndisplayName}}'],
    ['{{}}', '{{}}'],
  ])('%j is named', (source, named) => {
    expect(foreignPlaceholder(source, ['displayName'])).toBe(named);
  });

  it('has raw output refused as well', () => {
    expect(foreignPlaceholder('Hi {{{displayName}}}', ['displayName'])).toBe('{{{displayName');
    expect(foreignPlaceholder('{{displayName}}}', ['displayName'])).toBe('}}}');
  });

  it('is named in a few words, however long it is', () => {
    expect(foreignPlaceholder(`{{${'x'.repeat(10_000_000)}`, ['displayName'])).toHaveLength(60);
  });

  it.each(['', '{displayName}', 'a } b { c', '${7*7} <%= 7 %> {% x %} #{y}', '{{ displayName }}'])(
    '%j is fine',
    (source) => {
      expect(foreignPlaceholder(source, ['displayName'])).toBeUndefined();
    },
  );
});

it('tells whether a placeholder is used', () => {
  expect(uses('your {{ code }}', 'code')).toBe(true);
  expect(uses('your {{displayName}} code', 'code')).toBe(false);
});
