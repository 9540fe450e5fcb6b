import { applyDecorators, HttpCode, SerializeOptions, SetMetadata } from '@nestjs/common';
import { ApiOperation, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import type { z } from 'zod';
import type { Permission } from '../../domain/permissions/permissions.js';
import { jsonSchema } from './json-schema.js';
import { RequiresPermission } from './permission.guard.js';

export interface OperationOptions {
  /** What it does, as an order: "Import a human user". */
  readonly summary: string;
  /** Rules that no schema can say. CommonMark. */
  readonly description?: string;
  /** Clients that were generated call it by this name; without one it is `Controller.method`. */
  readonly operationId?: string;
  /** What the caller needs in the organization that the call acts in; none for what one does on one's own account. */
  readonly permission?: Permission;
  /** Streams that whoever names their media type in `Accept` gets instead of the JSON, and what they are. */
  readonly stream?: Texts;
  /** Documents that are sent as they are made, instead of JSON, and what they are. */
  readonly download?: Texts;
  /** Makes the answer of what the handler returns; the document shows what comes out of it. */
  readonly answer: z.ZodType;
}

/** By media type. */
type Texts = Readonly<Record<string, string>>;

/** On every handler under `/management/v1`, `/admin/v1` and `/auth/v1`: what it is for, who may call it, what it answers. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { summary, description, operationId, permission, answer, stream, download } = options;
  return applyDecorators(
    // a POST that makes something answers 200 as well
    HttpCode(200),
    ...(permission === undefined ? [] : [RequiresPermission(permission)]),
    ApiOperation({
      summary,
      ...(description !== undefined && { description }),
      ...(operationId !== undefined && { operationId }),
    }),
    ApiResponse({ status: 200, description: 'Done.', ...successOf(answer, stream, download) }),
    SetMetadata(ANSWER, answer),
    SerializeOptions({ schema: answer }),
  );
}

function successOf(answer: z.ZodType, stream?: Texts, download?: Texts): ApiResponseOptions {
  if (download !== undefined) return { content: textsOf(download) };
  if (stream === undefined) return { standardSchema: answer };
  const json = { 'application/json': { schema: jsonSchema(answer, 'output') } };
  return { content: { ...json, ...textsOf(stream) } } as unknown as ApiResponseOptions;
}

function textsOf(texts: Texts) {
  return Object.fromEntries(
    Object.entries(texts).map(([type, description]) => [type, { schema: { type: 'string', description } }]),
  );
}

const ANSWER = 'answer-schema';

/** The answer that a handler's `@Operation` makes of what it returns, for whoever has to keep it. */
export function answerOf(handler: object, returned: unknown): object {
  const schema = Reflect.getMetadata(ANSWER, handler) as z.ZodType<object> | undefined;
  if (schema === undefined) throw new Error('this route does not say what it answers');
  return schema.parse(returned);
}
