import { ScimError } from '../shared/scim-errors.js';

/**
 * Filters of RFC 7644 §3.4.2.2, as a tree. Attribute paths are kept as they are written; what they mean, and whether anything
 * can be found by them, is decided by whoever asked. Beyond the grammar `emails[type eq "work"].value eq "…"` is read, by
 * which Entra ID looks for people.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'value'; readonly path: string; readonly filter: Filter }
  | Comparison;

export interface Comparison {
  readonly kind: 'compare';
  readonly path: string;
  readonly operator: Operator;
  /** Undefined with `pr`. */
  readonly value: string | number | boolean | null | undefined;
}

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'pr', 'gt', 'ge', 'lt', 'le'] as const;
type Operator = (typeof OPERATORS)[number];

const LONGEST_FILTER = 2_000;
/** Each is a condition of the statement that answers, with a parameter of its own, or is held against every value of a list. */
const MOST_COMPARISONS = 40;
/** Nobody needs more, and each level is a call of the parser in itself. */
const DEEPEST = 10;
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;

/** @throws ScimError invalidFilter */
export function parseFilter(text: string): Filter {
  // PostgreSQL has no NUL in a text: what is looked for with one is nowhere
  if (text.includes('\u0000') || text.includes('\\u0000')) throw invalid('the filter has a NUL in it');
  if (text.length > LONGEST_FILTER) throw invalid(`the filter has more than ${LONGEST_FILTER} characters`);
  const parser = new Parser(tokens(text));
  const filter = parser.either(0);
  parser.end();
  return filter;
}

/** The filter of a value path in a PATCH, and what stands behind it: `members[value eq "…"].display`. @throws ScimError */
export function parseValuePath(
  path: string,
): { attribute: string; filter: Filter; sub: string | undefined } | undefined {
  const open = path.indexOf('[');
  if (open === -1) return undefined;
  const close = path.lastIndexOf(']');
  const rest = path.slice(close + 1);
  if (close < open || !/^(?:\.[\w$-]+)?$/.test(rest))
    throw new ScimError('invalidPath', 'the path is malformed');
  const filter = parseFilter(path.slice(open + 1, close));
  return { attribute: path.slice(0, open), filter, sub: rest === '' ? undefined : rest.slice(1) };
}

function tokens(text: string): readonly string[] {
  const found: string[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw invalid(`the filter cannot be read from character ${at + 1} on`);
    found.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return found;
}

class Parser {
  private at = 0;
  private comparisons = 0;

  constructor(private readonly list: readonly string[]) {}

  end(): void {
    if (this.at < this.list.length) throw invalid(`"${this.list[this.at] ?? ''}" is not expected there`);
  }

  /** `or` binds less than `and`. */
  either(depth: number): Filter {
    return this.joined('or', () => this.both(depth));
  }

  private both(depth: number): Filter {
    return this.joined('and', () => this.term(depth));
  }

  private joined(kind: 'and' | 'or', next: () => Filter): Filter {
    const parts = [next()];
    while (this.isWord(kind)) {
      this.at += 1;
      parts.push(next());
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind, parts };
  }

  private term(depth: number): Filter {
    if (depth > DEEPEST) throw invalid('the filter is nested too deep');
    if (this.isWord('not') && this.list[this.at + 1] === '(') {
      this.at += 2;
      const part = this.either(depth + 1);
      this.expect(')');
      return { kind: 'not', part };
    }
    if (this.list[this.at] === '(') {
      this.at += 1;
      const part = this.either(depth + 1);
      this.expect(')');
      return part;
    }
    return this.comparison(depth);
  }

  private comparison(depth: number): Filter {
    const path = this.path();
    if (this.list[this.at] !== '[') return this.compared(path);
    this.at += 1;
    const filter = this.either(depth + 1);
    this.expect(']');
    const behind = this.list[this.at];
    if (behind?.startsWith('.') !== true) return { kind: 'value', path, filter };
    this.at += 1;
    const value = this.compared(behind.slice(1));
    return { kind: 'value', path, filter: { kind: 'and', parts: [filter, value] } };
  }

  private compared(path: string): Comparison {
    this.comparisons += 1;
    if (this.comparisons > MOST_COMPARISONS) {
      throw invalid(`the filter has more than ${MOST_COMPARISONS} comparisons`);
    }
    const operator = this.next().toLowerCase() as Operator;
    if (!OPERATORS.includes(operator)) throw invalid(`"${operator}" is not an operator`);
    if (operator === 'pr') return { kind: 'compare', path, operator, value: undefined };
    return { kind: 'compare', path, operator, value: this.value() };
  }

  private value(): string | number | boolean | null {
    const text = this.next();
    try {
      const value: unknown = JSON.parse(/^(?:true|false|null)$/i.test(text) ? text.toLowerCase() : text);
      if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as string;
    } catch {
      // reported below
    }
    throw invalid('a filter compares with a string in double quotes, a number, true, false or null');
  }

  private path(): string {
    const text = this.next();
    if (/^[A-Za-z$][\w$.:-]*$/.test(text)) return text;
    throw invalid(`"${text}" is not an attribute`);
  }

  private next(): string {
    const text = this.list[this.at];
    if (text === undefined) throw invalid('the filter ends too early');
    this.at += 1;
    return text;
  }

  private expect(text: string): void {
    if (this.next() !== text) throw invalid(`"${text}" is missing`);
  }

  private isWord(word: string): boolean {
    return this.list[this.at]?.toLowerCase() === word;
  }
}

export function invalid(detail: string): ScimError {
  return new ScimError('invalidFilter', detail);
}
