import { ScimError } from '../shared/scim-errors.js';
import type { Values } from './attributes.js';
import { invalid, type Comparison, type Filter } from './filter.js';

/** Operations times values times comparisons of a filter, in one request. A directory comes to some hundred. */
const MOST_COMPARISONS = 10_000;
/** To look for a long part takes the product of both lengths where they are chosen for it. */
const LONGEST_PART = 200;

/** Whether one of many values is meant by a filter. */
type IsMeant = (item: Values) => boolean;

/**
 * The filters of value paths in one request. What they compare is brought to lower case once: the filter when it is made
 * ready, a value when it is first looked at. The comparisons of all of them are counted.
 */
export class ValueFilters {
  private left = MOST_COMPARISONS;
  /** Values are never changed in place: another one is another object. */
  private readonly known = new WeakMap<Values, ReadonlyMap<string, string | undefined>>();

  /** @throws ScimError invalidFilter, also later, once there were too many comparisons */
  ready(filter: Filter): IsMeant {
    switch (filter.kind) {
      case 'and': {
        const parts = filter.parts.map((part) => this.ready(part));
        return (item) => parts.every((meets) => meets(item));
      }
      case 'or': {
        const parts = filter.parts.map((part) => this.ready(part));
        return (item) => parts.some((meets) => meets(item));
      }
      case 'not': {
        const meets = this.ready(filter.part);
        return (item) => !meets(item);
      }
      case 'value':
        throw new ScimError('invalidFilter', 'a filter within a filter is not known here');
      case 'compare':
        return this.comparing(filter);
    }
  }

  private comparing({ path, operator, value }: Comparison): IsMeant {
    const [name, wanted] = [path.toLowerCase(), folded(value)];
    if (operator === 'co' && wanted.length > LONGEST_PART) {
      throw invalid(`what is looked for by co can have ${LONGEST_PART} characters at most`);
    }
    const compare = comparisonOf(operator, wanted);
    return (item) => {
      if (this.left === 0) throw invalid(`the operations come to more than ${MOST_COMPARISONS} comparisons`);
      this.left -= 1;
      return compare(this.foldedValues(item).get(name));
    };
  }

  private foldedValues(item: Values): ReadonlyMap<string, string | undefined> {
    const before = this.known.get(item);
    if (before !== undefined) return before;
    const values = new Map<string, string | undefined>();
    for (const [key, value] of Object.entries(item)) {
      const name = key.toLowerCase();
      if (!values.has(name)) values.set(name, value === undefined ? undefined : folded(value));
    }
    this.known.set(item, values);
    return values;
  }
}

function comparisonOf(
  operator: Comparison['operator'],
  wanted: string,
): (found: string | undefined) => boolean {
  switch (operator) {
    case 'pr':
      return (found) => found !== undefined;
    case 'eq':
      return (found = '') => found === wanted;
    case 'ne':
      return (found = '') => found !== wanted;
    case 'co':
      return (found = '') => found.includes(wanted);
    case 'sw':
      return (found = '') => found.startsWith(wanted);
    case 'ew':
      return (found = '') => found.endsWith(wanted);
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      throw invalid(`values of a list are not compared by ${operator}`);
  }
}

function folded(value: unknown): string {
  return typeof value === 'string' || typeof value === 'boolean' ? String(value).toLowerCase() : '';
}
