import { describe, expect, it } from 'vitest';
import { literals, oneOf, rowsOf } from '../../../src/storage/postgres/one-of.js';

describe('constants of a statement', () => {
  it('stand in its text as they are', () => {
    expect(oneOf(['initial', 'active'])).toBe("IN ('initial', 'active')");
    expect(literals(['send-notification', 'user.human.added'])).toBe(
      "'send-notification', 'user.human.added'",
    );
    expect(rowsOf(['keys', 'imports'])).toBe("('keys'), ('imports')");
  });

  it.each(["it's", 'two words', '', 'a\n', 'naïve'])('are plain words: %j is refused', (constant) => {
    expect(() => oneOf(['plain', constant])).toThrow('no plain word');
  });
});
