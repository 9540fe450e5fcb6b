import { afterEach, describe, expect, it, vi } from 'vitest';
import { patched, readPatch } from '../../../src/http/scim/patch.js';
import { USER_SCHEMA } from '../../../src/http/scim/user-attributes.js';
import { WRITTEN } from '../../../src/http/scim/user-resource.js';

// S368: however a PATCH is written, it is a bounded amount of work. One of 4 MiB held a replica for minutes.

const LONG = 'x'.repeat(2_000);
const USER = { userName: 'ada', emails: [{ value: LONG, type: 'work', primary: true }] };
type Operation = Parameters<typeof patched>[1][number];

function userAfter(user: Parameters<typeof patched>[0], ...operations: readonly Operation[]) {
  return patched(user, operations, WRITTEN, USER_SCHEMA);
}

function display(path: string, value: unknown = 'home'): Operation {
  return { op: 'replace', path, value };
}

const many = (count: number, term: string): string => Array.from({ length: count }, () => term).join(' or ');
const refused = (scimType: string) => expect.objectContaining({ scimType }) as Error;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('S368 a PATCH', () => {
  it('has 40 comparisons in the filter of a path at most', () => {
    expect(userAfter(USER, display(`emails[${many(40, 'type eq "work"')}].type`))).toMatchObject({
      emails: [{ type: 'home' }],
    });
    expect(() => userAfter(USER, display(`emails[${many(41, 'type eq "work"')}].type`))).toThrow(
      refused('invalidFilter'),
    );
  });

  it('takes no text that is longer than any field of a user', () => {
    for (const value of ['y'.repeat(2_049), { value: 'y'.repeat(2_049) }]) {
      expect(() => userAfter(USER, { op: 'add', path: 'emails', value: [value] })).toThrow(
        refused('invalidValue'),
      );
    }
    expect(() => userAfter(USER, display('displayName', 'y'.repeat(2_049)))).toThrow(refused('invalidValue'));
  });

  it('brings a value to lower case once, however many comparisons there are', () => {
    const fold = vi.spyOn(String.prototype, 'toLowerCase');
    userAfter(USER, display(`phoneNumbers[type eq "x"].value`), {
      op: 'remove',
      path: `emails[${many(40, 'value co "work"')}]`,
      value: undefined,
    });
    const folded = fold.mock.contexts.filter((text) => String(text) === LONG);
    expect(folded).toHaveLength(1);
  });

  it('has 10,000 comparisons in all of its operations at most', () => {
    const phoneNumbers = Array.from({ length: 100 }, (_, index) => ({ value: String(index), type: 'home' }));
    const user = { ...USER, phoneNumbers };
    const ten = many(10, 'type eq "none"');
    const operation: Operation = { op: 'remove', path: `phoneNumbers[${ten}]`, value: undefined };
    const operations = (count: number) => Array.from({ length: count }, () => operation);
    expect(userAfter(user, ...operations(10))).toEqual(user);
    expect(() => userAfter(user, ...operations(11))).toThrow(refused('invalidFilter'));
  });

  it('looks for no long part of a text', () => {
    const path = (length: number) => `emails[value co "${'x'.repeat(length)}"].type`;
    expect(userAfter(USER, display(path(200)))).toMatchObject({ emails: [{ type: 'home' }] });
    expect(() => userAfter(USER, display(path(201)))).toThrow(refused('invalidFilter'));
  });

  it('has no longer paths in its value than elsewhere', () => {
    const value = { [`name.${'.'.repeat(1_000)}`]: 'x' };
    expect(() => userAfter(USER, { op: 'replace', path: undefined, value })).toThrow(refused('invalidPath'));
  });

  it('is refused by the number of its operations, before one of them is read', () => {
    let read = 0;
    const operation = {
      get op() {
        read += 1;
        return 7;
      },
    };
    const Operations = Array.from({ length: 201 }, () => operation);
    expect(() => readPatch({ Operations })).toThrow(refused('invalidSyntax'));
    expect(read).toBe(0);
  });
});
