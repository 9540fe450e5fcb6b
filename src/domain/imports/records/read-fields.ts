import { z } from 'zod';
import { ApiError } from '../../shared/errors.js';
import { FieldError } from './record-errors.js';

/** Fields that a JSON object may have: text, a boolean, anything, or an object of its own. */
export interface ObjectShape {
  readonly [field: string]: 'text' | 'flag' | 'any' | ObjectShape;
}

/** What is read from an object of that shape; a field that was absent or null is missing. */
export type FieldsOf<Shape extends ObjectShape> = {
  readonly [Field in keyof Shape]?: Shape[Field] extends 'text'
    ? string
    : Shape[Field] extends 'flag'
      ? boolean
      : Shape[Field] extends ObjectShape
        ? FieldsOf<Shape[Field]>
        : unknown;
};

/** What a schema says of the kinds of its fields; what each may hold is for its own reader. */
type ShapeOf<Schema extends z.ZodRawShape> = {
  readonly [Field in keyof Schema]: KindOf<Schema[Field]>;
};
type KindOf<Schema> =
  Schema extends z.ZodOptional<infer Inner>
    ? KindOf<Inner>
    : Schema extends z.ZodString
      ? 'text'
      : Schema extends z.ZodBoolean
        ? 'flag'
        : Schema extends z.ZodObject<infer Fields>
          ? ShapeOf<Fields>
          : 'any';

/**
 * The shape of records that a schema describes. Records are read by it and not by the schema, since errors about fields
 * have the texts of protocol §1.4, which its reader has; the check by zod would cost 1 µs of 5 for a record.
 */
export function shapeOf<Fields extends z.ZodRawShape>({ shape }: z.ZodObject<Fields>): ShapeOf<Fields> {
  const kinds = Object.entries(shape).map(([field, schema]) => [field, kindOf(schema)]);
  return Object.fromEntries(kinds) as ShapeOf<Fields>;
}

function kindOf(schema: unknown): ObjectShape[string] {
  if (schema instanceof z.ZodOptional) return kindOf(schema.unwrap());
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodBoolean) return 'flag';
  return schema instanceof z.ZodObject ? shapeOf(schema) : 'any';
}

interface Field {
  readonly name: string;
  /** The same name in snake_case; equal to `name` when that is one word. */
  readonly alias: string;
  readonly kind: 'text' | 'flag' | 'any' | CompiledShape;
}

interface CompiledShape {
  readonly fields: readonly Field[];
  readonly byWireName: ReadonlyMap<string, Field>;
}

/** So many unknown fields are named in the error, each cut to so many characters, however many were sent. */
const MOST_NAMED = 5;
const LONGEST_NAMED = 60;

/**
 * Makes a reader of JSON objects as architecture §6 wants them: only known fields, lowerCamelCase or
 * snake_case but not both, null as absent, no conversion between types. The reader throws ApiError
 * `invalid-argument`; unknown fields come first, because a typo explains the faults that follow from it.
 * Nothing below an unknown field is looked at. The shape is compiled once: a bulk import reads a million records.
 */
export function fieldReader<Shape extends ObjectShape>(shape: Shape): (value: unknown) => FieldsOf<Shape> {
  const compiled = compile(shape);
  return (value) => {
    if (!isObject(value)) throw invalid('the record must be a JSON object');
    const unknown = unknownFields(compiled, value, '');
    const [first] = unknown;
    if (first !== undefined) throw new FieldError(first, unknownText(unknown));
    // The compiled shape is the type's own source, which the compiler cannot follow.
    return readObject(compiled, value, '') as FieldsOf<Shape>;
  };
}

function compile(shape: ObjectShape): CompiledShape {
  const fields = Object.entries(shape).map(([name, kind]) => ({
    name,
    alias: name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
    kind: typeof kind === 'string' ? kind : compile(kind),
  }));
  const byWireName = new Map(
    fields.flatMap((field) => [
      [field.name, field],
      [field.alias, field],
    ]),
  );
  return { fields, byWireName };
}

/** Paths of the first unknown fields, one more than are named at most. */
function unknownFields(shape: CompiledShape, object: Record<string, unknown>, path: string): string[] {
  const found: string[] = [];
  for (const key of Object.keys(object)) {
    const field = shape.byWireName.get(key);
    const value = object[key];
    if (field === undefined) found.push(path + readableKey(key));
    else if (typeof field.kind === 'object' && isObject(value)) {
      found.push(...unknownFields(field.kind, value, `${path}${field.name}.`));
    }
    if (found.length > MOST_NAMED) break;
  }
  return found;
}

/** `project_id` → `projectId` */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `unknown field "x"`, or the first few of many. @param paths as `readableKey` made them */
export function unknownText(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => `"${path}"`);
  if (named.length === 1) return `unknown field ${named.join('')}`;
  return `unknown fields ${named.join(', ')}${paths.length > MOST_NAMED ? ' and more' : ''}`;
}

/** Callers' keys stand in our error text: cut, and with nothing that quotes, controls or reverses. */
export function readableKey(key: string): string {
  const cut = key.length > LONGEST_NAMED ? `${key.slice(0, LONGEST_NAMED)}…` : key;
  return cut.replace(/["\\\p{C}\p{Z}]/gu, '?');
}

function readObject(
  shape: CompiledShape,
  object: Record<string, unknown>,
  path: string,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of shape.fields) {
    const value = readValue(field, pick(field, object, path), path + field.name);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

/** Only own properties count: a field must never be read from a prototype. */
function pick(field: Field, object: Record<string, unknown>, path: string): unknown {
  const plain = Object.hasOwn(object, field.name);
  if (field.alias === field.name || !Object.hasOwn(object, field.alias))
    return plain ? object[field.name] : undefined;
  if (plain) {
    const text = `field "${path}${field.name}" is given twice, also as "${path}${field.alias}"`;
    throw new FieldError(path + field.name, text);
  }
  return object[field.alias];
}

function readValue(field: Field, value: unknown, path: string): unknown {
  if (value === undefined || value === null) return undefined;
  if (field.kind === 'any') return value;
  if (field.kind === 'text') return typeof value === 'string' ? value : refuse(path, 'must be a string');
  if (field.kind === 'flag')
    return typeof value === 'boolean' ? value : refuse(path, 'must be true or false');
  if (!isObject(value)) return refuse(path, 'must be an object');
  return readObject(field.kind, value, `${path}.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(path: string, rule: string): never {
  throw new FieldError(path, `${path} ${rule}`);
}

function invalid(text: string): ApiError {
  return new ApiError('invalid-argument', text);
}
