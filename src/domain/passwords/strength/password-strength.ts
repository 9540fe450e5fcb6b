import { Injectable } from '@nestjs/common';
import type { HashingBill } from '../hashing/hashing-bill.js';
import { PasswordHashing } from '../hashing/password-hashing.js';
import { Threads } from '../primitives/threads.js';

export interface GuessTask {
  readonly texts: readonly string[];
  readonly words: readonly string[];
}

/** What somebody gets through who tries passwords at our pages for months, lockouts and all. */
const FEWEST_GUESSES = 1e6;
/** Of a longer password its beginning is looked at: the time that it takes grows faster than its length. */
const MOST_CHARACTERS = 32;
/** Shorter ones are in every other password by chance. */
const SHORTEST_WORD = 3;
const MOST_WORDS = 40;
/** What a password must have at least that has nothing else (NIST SP 800-63B-4 §3.1.1.2). */
const SHORTEST_REST = 8;

const threads = new Threads<GuessTask>(new URL('./guess-thread.mjs', import.meta.url), {
  maxOldGenerationSizeMb: 256,
  maxYoungGenerationSizeMb: 32,
});

/** Whether a password is among those that are tried first, by the lists of zxcvbn (ASVS 5 §6.2.4, NIST SP 800-63B-4 §3.1.1.2). */
@Injectable()
export class PasswordStrength {
  constructor(private readonly hashing: PasswordHashing) {}

  /**
   * What is left of it without the words that everybody knows of its user must be a password as well: a name with a year is
   * none.
   *
   * @param about names and addresses of its user and of whom they sign in to
   * @throws HashingOverloaded it costs about as much as a hash, and waits in the same line
   */
  async isGuessable(password: string, about: readonly string[], bill: HashingBill): Promise<boolean> {
    const begin = Array.from(password).slice(0, MOST_CHARACTERS).join('');
    const words = wordsOf(about);
    const folded = begin.toLowerCase();
    const rest = words.reduce((left, word) => left.replaceAll(word, ''), folded);
    if (rest !== folded && Array.from(rest).length < SHORTEST_REST) return true;
    const texts = rest === folded ? [begin] : [begin, rest];
    const guesses = await this.hashing.inTurn(bill, () => threads.ask<number>({ texts, words }));
    return guesses < FEWEST_GUESSES;
  }
}

/** The parts of names and addresses, the longest first. */
function wordsOf(about: readonly string[]): readonly string[] {
  const parts = about.flatMap((text) => [
    text.toLowerCase(),
    // an address's part before the @ as it is: its own parts may be too short to count
    ...text.toLowerCase().split('@'),
    ...text.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u),
  ]);
  return [...new Set(parts)]
    .filter((word) => word.length >= SHORTEST_WORD)
    .sort((one, other) => other.length - one.length)
    .slice(0, MOST_WORDS);
}
