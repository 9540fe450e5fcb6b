import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';
import type { z } from 'zod';
import type { Permission } from '../../domain/permissions/permissions.js';
import { TakesIfMatch } from './if-match.js';
import { RequiresPermission } from './permission.guard.js';
import { Described } from './schemas/described.js';
import { jsonSchema, type JsonSchema } from './schemas/json-schema.js';
import { Streamed } from './server/streamed-body.js';
import { AsksForStepUp, type StepUpWhere } from './step-up.guard.js';

interface OperationOptions {
  /** What it does, as an order: "Import a human user". */
  readonly summary: string;
  /** Rules that no schema can say. CommonMark. */
  readonly description?: string;
  /** Clients that were generated call it by this name; without one it is `Controller.method`. */
  readonly operationId?: string;
  /** What the caller needs in the organization that the call acts in; none for what one does on one's own account. */
  readonly permission?: Permission;
  /** Where the sign-in of a person counts as well (RFC 9470); whatever removes something is asked for it unasked. */
  readonly stepUp?: StepUpWhere;
  /** A change of something that GET answers with a sequence: takes `If-Match`. */
  readonly ifMatch?: boolean;
  /** Its body may say what it expects to find. */
  readonly expects?: boolean;
  /** Files that are taken as they arrive, by no parser, and what they are. */
  readonly upload?: Media;
  /** False where the file may be left out. */
  readonly uploadRequired?: boolean;
  /** Statuses of a success, the usual one first, where they are not 200 alone. */
  readonly statuses?: readonly [Status, ...Status[]];
  /** Streams that whoever names their media type in `Accept` gets instead of the JSON, and what they are. */
  readonly stream?: Media;
  /** Documents that are sent as they are made, instead of JSON, and what they are. */
  readonly download?: Media;
  /** Makes the answer of what the handler returns; the document shows what comes out of it. */
  readonly answer: z.ZodType;
}

/** By media type: what the text or the bytes are, or the schema of the JSON. */
type Media = Readonly<Record<string, string | z.ZodType>>;

type Status = keyof typeof SUCCESS;

const SUCCESS = { 200: 'Done.', 202: 'Begun; `Location` tells where to ask for it.' } as const;

const OTHER_THAN_EXPECTED: ApiResponseOptions = {
  status: 412,
  description: 'It is no longer as the body expects. Nothing was done.',
  schema: { $ref: '#/components/schemas/Error' },
};

/** On every handler under `/management/v1`, `/admin/v1` and `/auth/v1`: what it is for, who may call it, what it answers. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { summary, description, operationId, permission, upload, uploadRequired = true } = options;
  // a POST that makes something answers 200 as well
  const { stepUp, ifMatch = false, expects = false, statuses = [200], answer, stream, download } = options;
  return applyDecorators(
    HttpCode(statuses[0]),
    ...(permission === undefined ? [] : [RequiresPermission(permission)]),
    ...(stepUp === undefined ? [] : [AsksForStepUp(stepUp)]),
    ...(ifMatch ? [TakesIfMatch()] : []),
    ...(upload === undefined ? [] : [Streamed()]),
    Described(({ ApiBody, ApiConsumes, ApiOperation, ApiResponse }) => [
      ApiOperation({
        summary,
        ...(description !== undefined && { description }),
        ...(operationId !== undefined && { operationId }),
      }),
      ...uploadsOf(upload).flatMap(([type, { schema }]) => [
        ApiConsumes(type),
        ApiBody({ schema, required: uploadRequired } as ApiBodyOptions),
      ]),
      ...statuses.map((status) =>
        ApiResponse({ status, description: SUCCESS[status], ...successOf(answer, stream, download) }),
      ),
      ...(expects ? [ApiResponse(OTHER_THAN_EXPECTED)] : []),
    ]),
    SetMetadata(ANSWER, answer),
  );
}

function uploadsOf(upload: Media = {}): readonly [type: string, { schema: JsonSchema }][] {
  // generators would write what is a plain string as JSON text
  return Object.entries(media(upload, 'input', { type: 'string', format: 'binary' }));
}

/** What a success brings: the answer, a download instead of it, or a stream beside it. */
function successOf(answer: z.ZodType, stream?: Media, download?: Media): ApiResponseOptions {
  if (download === undefined && stream === undefined) return { standardSchema: answer };
  const types = download ?? { 'application/json': answer, ...stream };
  return { content: media(types, 'output', { type: 'string' }) } as unknown as ApiResponseOptions;
}

/** @param text what bytes and texts are */
function media(
  types: Media,
  io: 'input' | 'output',
  text: JsonSchema,
): Record<string, { schema: JsonSchema }> {
  return Object.fromEntries(
    Object.entries(types).map(([type, is]) => [
      type,
      { schema: typeof is === 'string' ? { ...text, description: is } : jsonSchema(is, io) },
    ]),
  );
}

const ANSWER = 'answer-schema';

/** The answer that a handler's `@Operation` makes of what it returns. */
export function answerOf(handler: object, returned: unknown): object {
  const schema = Reflect.getMetadata(ANSWER, handler) as z.ZodType<object> | undefined;
  if (schema === undefined) throw new Error('this route does not say what it answers');
  return schema.parse(returned);
}
