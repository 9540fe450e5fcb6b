import { z } from 'zod';
import { ScimError } from '../shared/scim-errors.js';
import {
  attributeNamed,
  isObject,
  readValue,
  requireFewValues,
  withoutSchema,
  type Attribute,
  type Value,
  type Values,
} from './attributes.js';
import { parseValuePath, type Filter } from './filter.js';
import { ValueFilters } from './value-filter.js';

const MOST_OPERATIONS = 200;
const LONGEST_PATH = 1_000;

/** RFC 7644 §3.5.2. Names in any case: Entra ID writes `Add`, and others `operations`. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string | undefined;
  readonly value: unknown;
}

const operationSchema = z.preprocess(
  // `Value` that is passed over would make of `remove` the removal of all
  (given) =>
    isObject(given)
      ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
      : given,
  z.looseObject({
    op: z
      .string()
      .transform((op) => op.toLowerCase())
      .pipe(z.enum(['add', 'remove', 'replace'])),
    path: z.string().max(LONGEST_PATH).nullish(),
    value: z.unknown().optional(),
  }),
);

/** @throws ScimError invalidSyntax */
export function readPatch(body: unknown): readonly PatchOperation[] {
  const given = isObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')
    : undefined;
  const list = given?.[1];
  // first: each element of a list that is not even one of operations would come with a fault of its own
  const isFew = Array.isArray(list) && list.length <= MOST_OPERATIONS;
  const read = isFew ? z.array(operationSchema).min(1).safeParse(list) : undefined;
  if (read?.success === true) {
    return read.data.map(({ op, path, value }) => ({ op, path: path || undefined, value }));
  }
  throw new ScimError(
    'invalidSyntax',
    `Operations must be a list of 1 to ${MOST_OPERATIONS} objects with op (add, remove, replace), path and value`,
  );
}

/** Where an operation goes: undefined for what the service does not keep, such as an extension. */
export interface Target {
  readonly attribute: Attribute;
  readonly filter: Filter | undefined;
  readonly sub: Attribute | undefined;
}

/**
 * What RFC 7643 §4.1 gives a user and we do not keep, in lower case: attributes with all that is in them, and single parts of
 * those that are kept. A directory sends it unasked, so it is passed over: refused, it would take `active: false` with it.
 */
const NOT_KEPT: ReadonlySet<string> = new Set([
  'schemas',
  'title',
  'usertype',
  'locale',
  'ims',
  'photos',
  'entitlements',
  'roles',
  'x509certificates',
  'name.formatted',
  'name.honorificprefix',
  'name.honorificsuffix',
  'emails.display',
  'phonenumbers.display',
  'addresses.display',
]);

/** @throws ScimError invalidPath */
export function targetOf(path: string, attributes: readonly Attribute[], schema: string): Target | undefined {
  const own = withoutSchema(path, schema);
  if (own === undefined || own === '') return undefined;
  const selected = parseValuePath(own);
  const [name = '', subName, ...rest] = selected ? [selected.attribute, selected.sub] : own.split('.');
  if (NOT_KEPT.has(name.toLowerCase())) return undefined;
  const attribute = attributeNamed(attributes, name);
  const sub = subName === undefined ? undefined : attributeNamed(attribute?.subAttributes ?? [], subName);
  const isPassedOver = NOT_KEPT.has(`${name}.${subName ?? ''}`.toLowerCase());
  const isKnown =
    attribute !== undefined &&
    (subName === undefined || sub !== undefined || isPassedOver) &&
    rest.length === 0;
  if (!isKnown || (selected !== undefined && !attribute.multiValued)) {
    throw new ScimError('invalidPath', `there is no attribute ${path.slice(0, 100)}`);
  }
  return isPassedOver ? undefined : { attribute, filter: selected?.filter, sub };
}

/** What the operations make of a resource, which stays as it is. @throws ScimError */
export function patched(
  resource: Values,
  operations: readonly PatchOperation[],
  attributes: readonly Attribute[],
  schema: string,
): Values {
  const after = structuredClone(resource);
  const filters = new ValueFilters();
  for (const { op, path, value, isNamed } of spelledOut(operations)) {
    const target = targetOf(path, attributes, schema);
    if (target === undefined) continue;
    if (target.attribute.mutability === 'readOnly') {
      // without a path it is the resource as it was read, sent back (Okta)
      if (!isNamed) continue;
      throw new ScimError('mutability', `${target.attribute.name} cannot be written`);
    }
    apply(after, { op, target, value, filters });
  }
  return after;
}

interface SpelledOperation {
  readonly op: PatchOperation['op'];
  readonly path: string;
  readonly value: unknown;
  /** Whether the operation itself had the path. */
  readonly isNamed: boolean;
}

/**
 * An operation without a path is one for each member of its value, whose name may itself be a path (Entra ID), and counts as
 * so many. @throws ScimError
 */
export function spelledOut(operations: readonly PatchOperation[]): readonly SpelledOperation[] {
  const spelled = operations.flatMap(spelledOne);
  if (spelled.length <= MOST_OPERATIONS) return spelled;
  throw tooManyOperations();
}

function tooManyOperations(): ScimError {
  return new ScimError('invalidSyntax', `Operations can change ${MOST_OPERATIONS} attributes at most`);
}

function spelledOne({ op, path, value }: PatchOperation): readonly SpelledOperation[] {
  if (path !== undefined) return [{ op, path, value, isNamed: true }];
  if (op === 'remove') throw new ScimError('noTarget', 'what is removed must be named by a path');
  if (!isObject(value)) throw new ScimError('invalidValue', 'without a path, value must be an object');
  const members = Object.entries(value);
  if (members.length > MOST_OPERATIONS) throw tooManyOperations();
  if (members.some(([name]) => name.length > LONGEST_PATH)) {
    throw new ScimError('invalidPath', `a path can have ${LONGEST_PATH} characters at most`);
  }
  return members.map(([name, member]) => ({ op, path: name, value: member, isNamed: false }));
}

/** One operation, where it goes, and what all of the request share. */
interface Change {
  readonly op: PatchOperation['op'];
  readonly target: Target;
  readonly value: unknown;
  readonly filters: ValueFilters;
}

function apply(resource: Values, change: Change): void {
  const { op, value } = change;
  const { attribute, sub } = change.target;
  if (op === 'remove') return remove(resource, change);
  if (attribute.multiValued) return writeItems(resource, change);
  const read = readValue(sub ?? attribute, value);
  if (read === undefined) return remove(resource, { ...change, value: undefined });
  if (sub !== undefined)
    resource[attribute.name] = { ...objectOf(resource[attribute.name]), [sub.name]: read };
  else if (attribute.type === 'complex') {
    resource[attribute.name] = { ...objectOf(resource[attribute.name]), ...(read as Values) };
  } else resource[attribute.name] = read;
}

function remove(resource: Values, { target, value, filters }: Change): void {
  const { attribute, filter, sub } = target;
  const required = new ScimError('mutability', `${attribute.name} is required`);
  if (attribute.required && !attribute.multiValued) throw required;
  if (sub !== undefined && !attribute.multiValued) {
    const { [sub.name]: _, ...left } = objectOf(resource[attribute.name]);
    resource[attribute.name] = left;
    return;
  }
  if (!attribute.multiValued || (filter === undefined && sub === undefined && value === undefined)) {
    if (attribute.required) throw required;
    delete resource[attribute.name];
    return;
  }
  const items = itemsOf(resource[attribute.name]);
  // Entra ID names by value what it takes out of a list; whoever names nothing takes nothing
  const isAll = value === undefined || value === null;
  const named = isAll ? [] : itemsOf(readValue(attribute, value));
  const chosen = filter === undefined ? undefined : filters.ready(filter);
  const meant = new Set(
    items.filter((item) => chosen?.(item) !== false && (isAll || named.some((one) => isNamedBy(item, one)))),
  );
  const left =
    sub === undefined
      ? items.filter((item) => !meant.has(item))
      : items.map((item) => (meant.has(item) ? { ...item, [sub.name]: undefined } : item));
  const isLost = left.length === 0 || (sub?.required === true && meant.size > 0);
  if (attribute.required && isLost) throw required;
  resource[attribute.name] = left;
}

/** By its value, or where none is given by all that is. */
function isNamedBy(item: Values, named: Values): boolean {
  const given = named['value'] === undefined ? Object.entries(named) : [['value', named['value']] as const];
  return given.every(([name, one]) => one === undefined || item[name] === one);
}

function writeItems(resource: Values, change: Change): void {
  const { attribute } = change.target;
  const items = writtenItems(itemsOf(resource[attribute.name]), change);
  requireFewValues(attribute, items.length);
  resource[attribute.name] = items;
}

function writtenItems(
  items: readonly Values[],
  { op, target: { attribute, filter, sub }, value, filters }: Change,
): readonly Values[] {
  if (filter === undefined && sub === undefined) {
    const given = itemsOf(readValue(attribute, value));
    if (given.length === 0 && attribute.required)
      throw new ScimError('mutability', `${attribute.name} is required`);
    return op === 'replace' ? given : added(items, given);
  }
  const written: Values =
    sub === undefined ? readItemOf(attribute, value) : { [sub.name]: readValue(sub, value) };
  const isMeant = filter === undefined ? () => true : filters.ready(filter);
  const meant = new Set(items.filter(isMeant));
  const others = items.map((item) => {
    if (meant.has(item)) return { ...item, ...written };
    return written['primary'] === true ? { ...item, primary: false } : item;
  });
  if (meant.size > 0) return others;
  // where nothing is meant, what the filter asks for is made (Entra ID: `addresses[type eq "work"].country`)
  const made = filter === undefined ? {} : askedFor(filter);
  return [...others, isMeant(made) ? { ...made, ...written } : made];
}

function readItemOf(attribute: Attribute, value: unknown): Values {
  const [item, ...others] = itemsOf(readValue(attribute, value));
  if (item !== undefined && others.length === 0) return item;
  throw new ScimError('invalidValue', `value must be one ${attribute.name}`);
}

/** One more that is primary is the only one (RFC 7644 §3.5.2). */
function added(items: readonly Values[], given: readonly Values[]): readonly Values[] {
  const takesOver = given.some((item) => item['primary'] === true);
  const values = new Set(given.map((item) => item['value']));
  const kept = items.filter((item) => item['value'] === undefined || !values.has(item['value']));
  return [...kept.map((item) => (takesOver ? { ...item, primary: false } : item)), ...given];
}

function askedFor(filter: Filter): Values {
  if (filter.kind === 'and') return Object.assign({}, ...filter.parts.map(askedFor)) as Values;
  if (filter.kind !== 'compare' || filter.operator !== 'eq') {
    throw new ScimError('noTarget', 'nothing meets the filter of the path');
  }
  const { path, value } = filter;
  return typeof value === 'string' || typeof value === 'boolean' ? { [path.toLowerCase()]: value } : {};
}

function objectOf(value: Value | undefined): Values {
  return isObject(value) ? value : {};
}

export function itemsOf(value: Value | undefined): readonly Values[] {
  return Array.isArray(value) ? (value as readonly Values[]) : [];
}
