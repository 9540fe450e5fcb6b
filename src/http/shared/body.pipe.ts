import { Injectable, StandardSchemaValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { z } from 'zod';
import { readableKey, unknownText } from '../../domain/imports/records/read-fields.js';
import { ApiError } from '../../domain/shared/errors.js';
import { withOwnNames } from './schemas/wire-names.js';
import { readJsonBody } from './server/json-body.js';
import { pathOf, wireErrors } from './wire-errors.js';

/**
 * Checks what `@Body({ schema })` and `@Query({ schema })` say, in the words of the APIs: lowerCamelCase with snake_case as
 * an alias, null as absent, unknown fields refused by name (protocol §0.1). It runs after the guards, so that a bad body
 * without a token is a 401.
 */
@Injectable()
export class BodyPipe extends StandardSchemaValidationPipe {
  override async transform<T>(value: T, { type, schema }: ArgumentMetadata): Promise<T> {
    if (!(schema instanceof z.ZodType) || (type !== 'body' && type !== 'query')) return value;
    return checkBody(schema, type === 'body' ? readJsonBody({ body: value }) : value) as T;
  }
}

/** The same for what stands in a file. @throws ApiError invalid-argument */
export function checkBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(withOwnNames(schema, value ?? undefined), { error: wireErrors });
  if (result.success) return result.data;
  throw new ApiError('invalid-argument', faultOf(result.error.issues));
}

/** Reports one error. An unknown field comes first, because a typo explains the errors that follow from it. */
function faultOf(issues: readonly z.core.$ZodIssue[]): string {
  const typo = issues.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0);
  if (typo?.code === 'unrecognized_keys') return unknownText(typo.keys.map(readableKey));
  const [issue] = issues;
  if (issue === undefined) return 'the body is invalid';
  return issue.path.length === 0 ? issue.message : `${pathOf(issue.path)} ${issue.message}`;
}
