import { z } from 'zod';
import { moment } from './moment.js';
import { shownNumber, whole } from './policy.schemas.js';
import { wireEnum } from './wire-enum.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * Fields of a schema of the domain as a body of the API has them (protocol §0.1): a choice is a member by name or number, a whole
 * number may be text, a time has any zone.
 */
export function bodyFields(shape: Shape): Shape {
  return mapped(shape, bodyField);
}

/** The same as answers show them: without the rules, which are about what arrives. */
export function answerFields(shape: Shape): Shape {
  return mapped(shape, answerField);
}

/** Each of which may be missing. */
export function partial(shape: Shape): Shape {
  return mapped(shape, (field) => field.optional());
}

/** Names of those that a schema cannot do without. */
export function requiredFields(shape: Shape): readonly string[] {
  return Object.keys(shape).filter((name) => shape[name]?.safeParse(undefined).success === false);
}

function mapped(shape: Shape, map: (field: z.ZodType) => z.ZodType): Shape {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, map(field)]));
}

function bodyField(field: z.ZodType): z.ZodType {
  const inner = unwrapped(field);
  const about = field.meta();
  const wire = inner === undefined ? bodyValue(field) : bodyField(inner);
  return about === undefined ? wire : wire.meta(about);
}

function bodyValue(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodEnum) {
    return wireEnum(Object.fromEntries(field.options.map((option) => [option, String(option)])));
  }
  if (field instanceof z.ZodNumber) return whole(field.minValue ?? 0, field.maxValue ?? 999_999_999);
  if (field instanceof z.ZodISODateTime) return moment().transform((time) => time.toISOString());
  // what becomes of it is not for whoever looks at what was sent
  return field instanceof z.ZodPipe ? bodyField(field.in as z.ZodType) : field;
}

function answerField(field: z.ZodType): z.ZodType {
  const inner = unwrapped(field);
  if (inner !== undefined) return answerField(inner);
  if (field instanceof z.ZodPipe) return answerField(field.in as z.ZodType);
  if (field instanceof z.ZodEnum) return z.enum(field.options.map(String));
  if (field instanceof z.ZodNumber) return shownNumber;
  if (field instanceof z.ZodBoolean) return z.boolean();
  if (field instanceof z.ZodISODateTime) return z.iso.datetime();
  if (field instanceof z.ZodArray) return z.array(answerField(field.element as z.ZodType)).readonly();
  if (field instanceof z.ZodRecord) return z.record(z.string(), z.string());
  if (field instanceof z.ZodString) return z.string();
  throw new Error(`answers have no form for ${field.type}`);
}

/** What says that a field may be left out is not about its value. */
function unwrapped(field: z.ZodType): z.ZodType | undefined {
  const isWrapper =
    field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodReadonly;
  return isWrapper ? (field.unwrap() as z.ZodType) : undefined;
}
