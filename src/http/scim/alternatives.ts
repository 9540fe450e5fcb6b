import type { AnyOf, Term } from '../../domain/users/user-filter.js';
import { invalid, type Comparison, type Filter } from './filter.js';

/** Each is a search of its own. `and` between alternatives multiplies them. */
const MOST_ALTERNATIVES = 20;

/** What a comparison comes to; true for what everything meets. `path` is whole: `emails.type` within `emails[…]`. */
type ConditionOf<Condition> = (path: string, comparison: Comparison) => Condition | true;

/**
 * A filter as alternatives of what must hold together (its disjunctive normal form), so that each alternative can begin with an
 * index. `not` is carried down to the comparisons (De Morgan).
 *
 * @throws ScimError invalidFilter for more alternatives than one statement should have
 */
export function alternativesOf<Condition>(
  filter: Filter | undefined,
  conditionOf: ConditionOf<Condition>,
): AnyOf<Condition> {
  if (filter === undefined) return EVERYTHING;
  return expanded(filter, false, '', conditionOf);
}

const EVERYTHING: AnyOf<never> = [[]];
const NOTHING: AnyOf<never> = [];

function expanded<Condition>(
  filter: Filter,
  negated: boolean,
  prefix: string,
  conditionOf: ConditionOf<Condition>,
): AnyOf<Condition> {
  switch (filter.kind) {
    case 'compare': {
      const condition = conditionOf(prefix + filter.path, filter);
      if (condition === true) return negated ? NOTHING : EVERYTHING;
      return [[{ condition, negated }]];
    }
    case 'not':
      return expanded(filter.part, !negated, prefix, conditionOf);
    case 'value':
      requireOneValue(filter.path, filter.filter);
      return expanded(filter.filter, negated, `${prefix}${filter.path}.`, conditionOf);
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => expanded(part, negated, prefix, conditionOf));
      return (filter.kind === 'and') === negated ? either(parts) : both(parts);
    }
  }
}

function either<Condition>(parts: readonly AnyOf<Condition>[]): AnyOf<Condition> {
  const all = parts.flat();
  return all.some((terms) => terms.length === 0) ? EVERYTHING : few(all);
}

function both<Condition>(parts: readonly AnyOf<Condition>[]): AnyOf<Condition> {
  return parts.reduce<AnyOf<Condition>>((before, part) => {
    // first: what would be too many is not made
    few({ length: before.length * part.length });
    return before.flatMap((terms) => part.map((more): readonly Term<Condition>[] => [...terms, ...more]));
  }, EVERYTHING);
}

function few<Alternatives extends { readonly length: number }>(alternatives: Alternatives): Alternatives {
  if (alternatives.length <= MOST_ALTERNATIVES) return alternatives;
  throw invalid(`the filter comes to more than ${MOST_ALTERNATIVES} alternatives: ask in parts`);
}

/**
 * A group has many members, and a filter of theirs is of one member at a time (RFC 7644 §3.4.2.2): only `or` says the same of
 * the group. Of anything else a resource has one value at most.
 */
function requireOneValue(path: string, filter: Filter): void {
  if (!/(?:^|:)members$/i.test(path)) return;
  const isSimple = (part: Filter): boolean =>
    part.kind === 'compare' || (part.kind === 'or' && part.parts.every(isSimple));
  if (!isSimple(filter)) throw invalid('within members[…] there can be comparisons joined by or');
}
