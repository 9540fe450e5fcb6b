import { z } from 'zod';
import { camelCase } from '../../../domain/imports/records/read-fields.js';
import { ApiError } from '../../../domain/shared/errors.js';

/**
 * The same value with the names that its schema knows: snake_case becomes lowerCamelCase, a field that is null counts as
 * absent (protocol §0.1). What the schema does not know stays as it is, for it to refuse.
 *
 * @throws ApiError invalid-argument for a field that is given under both names
 */
export function withOwnNames(schema: z.ZodType, value: unknown, path = ''): unknown {
  const inner = wireSide(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withOwnNames(inner.element as z.ZodType, item, path));
  }
  if (!(inner instanceof z.ZodObject) || !isObject(value)) return value;
  const shape = inner.shape as Readonly<Record<string, z.ZodType>>;
  const named: [string, unknown][] = [];
  for (const [given, content] of Object.entries(value)) {
    const name = Object.hasOwn(shape, given) ? given : camelCase(given);
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) named.push([given, content]);
    else {
      if (name !== given && Object.hasOwn(value, name)) {
        const text = `field "${path}${name}" is given twice, also as "${path}${given}"`;
        throw new ApiError('invalid-argument', text);
      }
      if (content !== null) named.push([name, withOwnNames(field, content, `${path}${name}.`)]);
    }
  }
  return Object.fromEntries(named);
}

/** The schema of what travels, without what says that it may be left out or what becomes of it. */
function wireSide(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
  ) {
    return wireSide(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? wireSide(schema.in as z.ZodType) : schema;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
