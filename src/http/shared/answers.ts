import { z } from 'zod';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { changedDetailsSchema, createdDetailsSchema, readDetailsSchema } from './schemas/answer-schemas.js';

/** Makes `wire` of a record of the domain: what the document shows is `wire`, what a handler returns is the record. */
export function answerFrom<Given, Wire extends z.ZodType>(wire: Wire, read: (given: Given) => z.input<Wire>) {
  return (
    (z.unknown() as z.ZodType as z.ZodType<Given, Given>)
      .transform((given): z.input<Wire> => read(given))
      // a transform could be asynchronous, and none of these is
      .pipe(wire as unknown as z.ZodType<z.output<Wire>, Awaited<z.input<Wire>>>)
  );
}

/** A time as RFC 3339 has it, UTC. */
export const shownTime = answerFrom(z.iso.datetime(), (time: Date) => time.toISOString());

/** Details of answers (protocol §4), made of what every record knows of itself. */
export const detailsOfCreation = answerFrom(createdDetailsSchema, createdDetails);
export const detailsOfChange = answerFrom(
  changedDetailsSchema,
  ({ sequence, changedAt, resourceOwner }: ResourceDetails) => ({
    sequence,
    changeDate: changedAt.toISOString(),
    resourceOwner,
  }),
);
export const detailsOfRecord = answerFrom(readDetailsSchema, readDetails);

function createdDetails({ sequence, createdAt, resourceOwner }: ResourceDetails) {
  return { sequence, creationDate: createdAt.toISOString(), resourceOwner };
}

function readDetails(details: ResourceDetails) {
  return { ...createdDetails(details), changeDate: details.changedAt.toISOString() };
}

/** What may never have been set; whose it is shows even then. */
export interface Setting {
  readonly owner: string;
  readonly stored: { readonly details: ResourceDetails } | undefined;
}

/** What was never set has no dates and no changes. */
export const detailsOfSetting = answerFrom(readDetailsSchema, ({ owner, stored }: Setting) =>
  stored === undefined ? { sequence: '0', resourceOwner: owner } : readDetails(stored.details),
);

/** The answer of a change without other data. */
export const changeAnswer = z.object({ details: detailsOfChange });

/**
 * The fields of a body the other way round, as answers show them: an enum by its name, zero values left out (protocol §0.1:
 * false, empty text, an empty list, nothing).
 */
export function shown<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape): ShownShape<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, shownField(field)]),
  ) as unknown as ShownShape<Shape>;
}

/** Left out where it is false. */
export function shownFlag(description: string): z.ZodType<unknown, boolean> {
  return shown({ flag: z.boolean() }).flag.meta({ description });
}

/** That a count stopped where it is, and there is more; left out where it did not. */
export const hasMore = shownFlag;

type ShownShape<Shape extends Readonly<Record<string, z.ZodType>>> = {
  [Name in keyof Shape]: z.ZodType<unknown, z.output<Shape[Name]>>;
};

function shownField(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault)
    return shownField(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodReadonly) return shownField(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodNullable)
    return omitted(shownField(field.unwrap() as z.ZodType), (value) => value === null);
  if (field instanceof z.ZodOptional) return shownField(field.unwrap() as z.ZodType).optional();
  if (field instanceof z.ZodCodec) return z.invertCodec(field);
  if (field instanceof z.ZodBoolean) return omitted(z.boolean(), (value) => value === false);
  if (field instanceof z.ZodArray) {
    const list = z.array(shownField(field.element as z.ZodType)).readonly();
    return omitted(list, (value) => Array.isArray(value) && value.length === 0);
  }
  return field;
}

/** Left out where it is zero. */
function omitted(field: z.ZodType, isZero: (value: unknown) => boolean): z.ZodType {
  return z
    .unknown()
    .transform((value) => (isZero(value) ? undefined : value))
    .pipe(field.optional());
}
