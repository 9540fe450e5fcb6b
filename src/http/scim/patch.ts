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
import { parseValuePath, type Comparison, type Filter } from './filter.js';

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const MOST_OPERATIONS = 200;

/** RFC 7644 §3.5.2. Names in any case: Entra ID writes `Add`, and others `operations`. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string | undefined;
  readonly value: unknown;
}

const operationSchema = z.looseObject({
  op: z
    .string()
    .transform((op) => op.toLowerCase())
    .pipe(z.enum(['add', 'remove', 'replace'])),
  path: z.string().max(1_000).nullish(),
  value: z.unknown().optional(),
});

/** @throws ScimError invalidSyntax */
export function readPatch(body: unknown): readonly PatchOperation[] {
  const given = isObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')
    : undefined;
  const read = z.array(operationSchema).min(1).max(MOST_OPERATIONS).safeParse(given?.[1]);
  if (read.success) return read.data.map(({ op, path, value }) => ({ op, path: path || undefined, value }));
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
  for (const { op, path, value, isNamed } of spelledOut(operations)) {
    const target = targetOf(path, attributes, schema);
    if (target === undefined) continue;
    if (target.attribute.mutability === 'readOnly') {
      // without a path it is the resource as it was read, sent back (Okta)
      if (!isNamed) continue;
      throw new ScimError('mutability', `${target.attribute.name} cannot be written`);
    }
    apply(after, op, target, value);
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
  throw new ScimError('invalidSyntax', `Operations can change ${MOST_OPERATIONS} attributes at most`);
}

function spelledOne({ op, path, value }: PatchOperation): readonly SpelledOperation[] {
  if (path !== undefined) return [{ op, path, value, isNamed: true }];
  if (op === 'remove') throw new ScimError('noTarget', 'what is removed must be named by a path');
  if (!isObject(value)) throw new ScimError('invalidValue', 'without a path, value must be an object');
  return Object.entries(value).map(([name, member]) => ({ op, path: name, value: member, isNamed: false }));
}

function apply(resource: Values, op: PatchOperation['op'], target: Target, value: unknown): void {
  const { attribute, sub } = target;
  if (op === 'remove') return remove(resource, target, value);
  if (attribute.multiValued) return writeItems(resource, op, target, value);
  const read = readValue(sub ?? attribute, value);
  if (read === undefined) return remove(resource, target, undefined);
  if (sub !== undefined)
    resource[attribute.name] = { ...objectOf(resource[attribute.name]), [sub.name]: read };
  else if (attribute.type === 'complex') {
    resource[attribute.name] = { ...objectOf(resource[attribute.name]), ...(read as Values) };
  } else resource[attribute.name] = read;
}

function remove(resource: Values, { attribute, filter, sub }: Target, value: unknown): void {
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
  // Entra ID names by value what it takes out of a list
  const named = itemsOf(readValue(attribute, value)).map((item) => item['value']);
  const isMeant = (item: Values): boolean =>
    (filter === undefined || meets(item, filter)) && (named.length === 0 || named.includes(item['value']));
  const left =
    sub === undefined
      ? items.filter((item) => !isMeant(item))
      : items.map((item) => (isMeant(item) ? { ...item, [sub.name]: undefined } : item));
  const isLost = left.length === 0 || (sub?.required === true && items.some(isMeant));
  if (attribute.required && isLost) throw required;
  resource[attribute.name] = left;
}

function writeItems(resource: Values, op: 'add' | 'replace', target: Target, value: unknown): void {
  const { attribute } = target;
  const items = writtenItems(itemsOf(resource[attribute.name]), op, target, value);
  requireFewValues(attribute, items.length);
  resource[attribute.name] = items;
}

function writtenItems(
  items: readonly Values[],
  op: 'add' | 'replace',
  { attribute, filter, sub }: Target,
  value: unknown,
): readonly Values[] {
  if (filter === undefined && sub === undefined) {
    const given = itemsOf(readValue(attribute, value));
    if (given.length === 0 && attribute.required)
      throw new ScimError('mutability', `${attribute.name} is required`);
    return op === 'replace' ? given : added(items, given);
  }
  const written = sub === undefined ? readItemOf(attribute, value) : { [sub.name]: readValue(sub, value) };
  const isMeant = (item: Values): boolean => filter === undefined || meets(item, filter);
  // where nothing is meant, what the filter asks for is made (Entra ID: `addresses[type eq "work"].country`)
  const base = items.some(isMeant) ? items : [...items, filter === undefined ? {} : askedFor(filter)];
  return base.map((item) => (isMeant(item) ? { ...item, ...written } : item));
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

/** Whether one of many values is meant by a filter. */
export function meets(item: Values, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => meets(item, part));
    case 'or':
      return filter.parts.some((part) => meets(item, part));
    case 'not':
      return !meets(item, filter.part);
    case 'value':
      throw new ScimError('invalidFilter', 'a filter within a filter is not known here');
    case 'compare':
      return compares(item, filter);
  }
}

function compares(item: Values, { path, operator, value }: Comparison): boolean {
  const name = Object.keys(item).find((key) => key.toLowerCase() === path.toLowerCase());
  const found = name === undefined ? undefined : item[name];
  if (operator === 'pr') return found !== undefined;
  const [is, wanted] = [folded(found), folded(value)];
  switch (operator) {
    case 'eq':
      return is === wanted;
    case 'ne':
      return is !== wanted;
    case 'co':
      return is.includes(wanted);
    case 'sw':
      return is.startsWith(wanted);
    case 'ew':
      return is.endsWith(wanted);
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      throw new ScimError('invalidFilter', `values of a list are not compared by ${operator}`);
  }
}

function folded(value: unknown): string {
  return typeof value === 'string' || typeof value === 'boolean' ? String(value).toLowerCase() : '';
}

function objectOf(value: Value | undefined): Values {
  return isObject(value) ? value : {};
}

export function itemsOf(value: Value | undefined): readonly Values[] {
  return Array.isArray(value) ? (value as readonly Values[]) : [];
}
