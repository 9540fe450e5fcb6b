import { describe, expect, it } from 'vitest';
import { cursorField, cursorOf, nameOfList, writeCursor } from '../../../src/http/shared/cursors.js';

describe('a cursor', () => {
  it('is the same in the usual order and in that order asked for by its name', () => {
    const usual = nameOfList({ ascending: false }, 'a');
    expect(nameOfList({ by: 'createdAt', ascending: false }, 'a')).toBe(usual);
    expect(nameOfList({ by: 'name', ascending: false }, 'a')).not.toBe(usual);
    expect(nameOfList({ ascending: true }, 'a')).not.toBe(usual);
  });

  // a display name is a first and a last name of 200 characters each
  it.each(['\u{1D4EA}', '"', '\u0001'])('of the longest name, of %j alone, is taken again', (character) => {
    const list = nameOfList({ by: 'displayName', ascending: true });
    const key = character.repeat(401);
    const cursor = writeCursor({ list, key, id: '252990096238706692' });
    expect(cursorField.safeParse(cursor).success).toBe(true);
    expect(cursorOf(cursor, list)).toEqual({ list, key, id: '252990096238706692' });
  });
});
