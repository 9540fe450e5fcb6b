import { ScimError } from '../shared/scim-errors.js';

/** A user has so many e-mail addresses, numbers and the like at most: each operation of a PATCH looks at all of them. */
const MOST_VALUES = 100;
/** As a URL, which is the longest that a user has: what is longer is none of their fields, whose own rules are stricter. */
const LONGEST_TEXT = 2_048;

/**
 * An attribute as RFC 7643 §7 describes it. One list of them is what `/Schemas` answers, by what bodies are read, by what
 * paths and filters find their way, and by what an answer is cut down.
 */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned: 'always' | 'default' | 'never' | 'request';
  readonly uniqueness: 'none' | 'server' | 'global';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

/** An attribute that says of itself only what is unusual. */
export function attribute(
  name: string,
  description: string,
  unusual: Partial<Omit<Attribute, 'name' | 'description'>> = {},
): Attribute {
  return {
    name,
    type: unusual.subAttributes === undefined ? 'string' : 'complex',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...unusual,
  };
}

/** A resource, or a complex value, under the names that the schema writes. */
export type Values = { [name: string]: Value | undefined };
export type Value = string | boolean | Values | readonly Values[];

/** RFC 7643 §2.1: names are the same in any case. */
export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const folded = name.toLowerCase();
  return attributes.find((one) => one.name.toLowerCase() === folded);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What of a body the schema knows; the rest, and what only the service writes, is passed over (RFC 7644 §3.3). @throws ScimError */
export function readResource(attributes: readonly Attribute[], body: unknown): Values {
  if (!isObject(body)) throw new ScimError('invalidSyntax', 'the body must be a JSON object');
  return readMembers(attributes, body, '');
}

function readMembers(
  attributes: readonly Attribute[],
  given: Readonly<Record<string, unknown>>,
  prefix: string,
): Values {
  const values: Values = {};
  for (const [name, value] of Object.entries(given)) {
    const known = attributeNamed(attributes, name);
    if (known === undefined || known.mutability === 'readOnly') continue;
    if (values[known.name] !== undefined)
      throw new ScimError('invalidSyntax', `${prefix}${name} is there twice`);
    values[known.name] = readValue(known, value, prefix);
  }
  return values;
}

/** A value of an attribute; null and an empty list are none (RFC 7643 §2.5). @throws ScimError */
export function readValue(known: Attribute, value: unknown, prefix = ''): Value | undefined {
  if (value === null || value === undefined) return undefined;
  if (!known.multiValued) return readOne(known, value, prefix);
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  requireFewValues(known, items.length);
  return items.length === 0 ? undefined : items.map((item) => readItem(known, item, prefix));
}

/** Members of a group come and go in one pass, and have a limit of their own. @throws ScimError invalidValue */
export function requireFewValues({ name }: Attribute, values: number): void {
  if (values <= MOST_VALUES || name === 'members') return;
  throw new ScimError('invalidValue', `${name} can have ${MOST_VALUES} values at most`);
}

/** One of many: a plain text stands for its `value`. */
function readItem(known: Attribute, item: unknown, prefix: string): Values {
  const complex = typeof item === 'string' ? { value: item } : item;
  if (!isObject(complex))
    throw new ScimError('invalidValue', `${prefix}${known.name} must be a list of objects`);
  return readMembers(known.subAttributes ?? [], complex, `${prefix}${known.name}.`);
}

function readOne(known: Attribute, value: unknown, prefix: string): Value {
  const name = `${prefix}${known.name}`;
  if (known.type === 'complex') {
    if (!isObject(value)) throw new ScimError('invalidValue', `${name} must be an object`);
    return readMembers(known.subAttributes ?? [], value, `${name}.`);
  }
  if (known.type === 'boolean') return readBoolean(name, value);
  if (typeof value !== 'string') throw new ScimError('invalidValue', `${name} must be a string`);
  if (value.length > LONGEST_TEXT)
    throw new ScimError('invalidValue', `${name} can have ${LONGEST_TEXT} characters at most`);
  return value;
}

/** Entra ID writes "True" and "False". */
function readBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ScimError('invalidValue', `${name} must be true or false`);
}

/** A sub-attribute, `name.familyName`, or all of it. */
export function withoutSchema(path: string, schema: string): string | undefined {
  const folded = path.toLowerCase();
  if (!folded.startsWith('urn:')) return path;
  const prefix = `${schema.toLowerCase()}:`;
  return folded.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}
