/**
 * JSON in which an object has a member twice means one thing to who checked it and another to who acts on it (RFC 8259
 * §4 leaves it open, RFC 8725 §2.4 warns of it). Everything that strangers send is read by these functions.
 */

/** A member that an object has twice, however its name is spelt: `"a"` and `"\u0061"` are the same. */
export class DuplicateMember extends SyntaxError {
  constructor(
    /** Cut, and without what a log or an answer could stumble over: `profile.firstName`. */
    readonly path: string,
  ) {
    super(`"${path}" is given twice`);
    this.name = 'DuplicateMember';
  }
}

/** @throws SyntaxError for what is no JSON, DuplicateMember */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  requireUniqueMembers(text, countMembers(value));
  return value;
}

/**
 * The result of `JSON.parse` has one member less for each duplicate in `text`, so comparing both counts finds them. Only
 * if they differ is the text read a second time, to name the member.
 *
 * @param members of what was made of it (`countMembers`)
 * @throws DuplicateMember
 */
export function requireUniqueMembers(text: string, members: number): void {
  if (countNames(text) !== members) throw new DuplicateMember(findDuplicate(text));
}

/** Members that a value has, at all levels. */
export function countMembers(value: unknown): number;
/** Undefined where it is more than `mostValues` values: objects, lists, and what is in them. */
export function countMembers(value: unknown, mostValues: number): number | undefined;
export function countMembers(value: unknown, mostValues = Number.POSITIVE_INFINITY): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  let [values, members] = [1, 0];
  // without recursion, since a body may be brackets and nothing else
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      values += next.length;
      if (values > mostValues) return undefined;
      for (const element of next as readonly unknown[]) {
        if (typeof element === 'object' && element !== null) open.push(element);
      }
      continue;
    }
    const before = members;
    // nothing but its own members: what JSON.parse makes inherits none
    for (const name in next) {
      members += 1;
      const member = (next as Readonly<Record<string, unknown>>)[name];
      if (typeof member === 'object' && member !== null) open.push(member);
    }
    values += members - before;
    if (values > mostValues) return undefined;
  }
  return members;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Names in a text that is JSON: the texts with a colon behind them. A million records of an import pass here. */
function countNames(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0;) {
    const behind = afterBlanks(text, endOfText(text, at) + 1);
    if (text.charCodeAt(behind) === COLON) count += 1;
    at = text.indexOf('"', behind);
  }
  return count;
}

/** Place of the quote that ends the text which begins at `from`: the next without an odd number of backslashes before. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/** RFC 8259 §2 */
function afterBlanks(text: string, from: number): number {
  let at = from;
  for (let character = text.charCodeAt(at); isBlank(character); character = text.charCodeAt(at)) at += 1;
  return at;
}

function isBlank(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

interface Level {
  /** Undefined for a list. */
  readonly names: Set<string> | undefined;
  step: string;
}

const MOST_STEPS = 8;
const LONGEST_STEP = 60;

function findDuplicate(text: string): string {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    const level = levels.at(-1);
    if (character === OPEN_OBJECT) levels.push({ names: new Set(), step: '' });
    else if (character === OPEN_LIST) levels.push({ names: undefined, step: '0' });
    else if (character === CLOSE_OBJECT || character === CLOSE_LIST) levels.pop();
    else if (character === COMMA && level !== undefined && level.names === undefined) {
      level.step = String(Number(level.step) + 1);
    } else if (character === QUOTE) {
      const end = endOfText(text, at);
      const written = text.slice(at, end + 1);
      at = end;
      if (level?.names === undefined || text.charCodeAt(afterBlanks(text, end + 1)) !== COLON) continue;
      const name = JSON.parse(written) as string;
      level.step = name;
      if (level.names.has(name)) return pathOf(levels);
      level.names.add(name);
    }
  }
  return '?';
}

/** The outermost steps and the last: `orgs[0].user.email`. */
function pathOf(levels: readonly Level[]): string {
  const kept =
    levels.length <= MOST_STEPS ? levels : [...levels.slice(0, MOST_STEPS - 1), ...levels.slice(-1)];
  const steps = kept.map(({ names, step }, index) => {
    const gap = kept.length < levels.length && index === kept.length - 1 ? '…' : '';
    return names === undefined ? `${gap}[${step}]` : `${gap}.${readable(step)}`;
  });
  return steps.join('').replace(/^\./, '');
}

function readable(name: string): string {
  const cut = name.length > LONGEST_STEP ? `${name.slice(0, LONGEST_STEP)}…` : name;
  return cut.replace(/["\\\p{C}\p{Z}]/gu, '?');
}
