import { z } from 'zod';
import { fieldReader } from '../../domain/imports/records/read-fields.js';
import { ApiError } from '../../domain/shared/errors.js';
import { nameFault } from '../../domain/shared/hidden-characters.js';
import { pathOf } from './wire-errors.js';

/**
 * Fields of the APIs' JSON bodies: lowerCamelCase with snake_case as an alias, null as absent, unknown ones refused
 * by name, enums by name or number (architecture §6, protocol §0.1). Messages read as the rest of a sentence that
 * begins with the field's name.
 */
export function bodyReader<Shape extends z.ZodRawShape>(shape: Shape): BodyReader<z.ZodObject<Shape>> {
  const schema = z.strictObject(shape);
  const readFields = fieldReader(
    Object.fromEntries(Object.keys(shape).map((name) => [name, 'any' as const])),
  );
  const read = (body: unknown): z.output<z.ZodObject<Shape>> => {
    const result = schema.safeParse(readFields(body));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new ApiError('invalid-argument', `${pathOf(issue?.path ?? [])} ${issue?.message ?? 'is invalid'}`);
  };
  return Object.assign(read, { schema });
}

/** Reads a body, and has the schema that it reads by: the OpenAPI document is made from that one. */
export interface BodyReader<Schema extends z.ZodType = z.ZodType> {
  (body: unknown): z.output<Schema>;
  readonly schema: z.ZodType;
}

export function text(least: number, most: number) {
  const rule = `must have ${least} to ${most} characters`;
  return z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .meta({ minLength: least, maxLength: most })
    .trim()
    .refine((value) => value.length >= least && value.length <= most, rule)
    .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), 'must not contain control characters');
}

/** Tells the first character that must not be in a name. */
export function refuseFaults(value: string, context: z.RefinementCtx): void {
  const message = nameFault(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
}

/** Of an organization, a project, an application …: what pages and mails show. */
export function name(most = 200) {
  return text(1, most).superRefine(refuseFaults);
}

/** PostgreSQL has no NUL in a text: what is looked for with one is nowhere, and asking for it is an error. */
export function isStorable(value: string): boolean {
  return !value.includes('\u0000');
}

/** Text that may be missing or empty, which is the same. */
export function optionalText(most: number) {
  return text(0, most).default('');
}

/** Characters and what may stand in them are the business of whoever reads them. */
export function texts(most: number) {
  return z
    .array(z.string({ error: 'must be a string' }), { error: 'must be a list' })
    .max(most, `must have at most ${most} entries`)
    .default([]);
}

export function flag() {
  return z.boolean({ error: 'must be true or false' }).default(false);
}

/** A known field that we cannot act on yet: harmless while empty, refused otherwise. */
export function unsupported() {
  return z
    .unknown()
    .meta({ description: 'Not supported: must be left out or empty.' })
    .refine((value) => isEmpty(value), 'is not supported')
    .optional();
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '' || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
