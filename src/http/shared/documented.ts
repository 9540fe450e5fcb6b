import { applyDecorators, SetMetadata } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  type ApiQueryOptions,
  type OpenAPIObject,
} from '@nestjs/swagger';
import type { z } from 'zod';
import { jsonSchema } from './json-schema.js';
import { media, successOf, type Media } from './operation.js';

type SchemaObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string] & object;

/** What the OpenAPI document says of a route, beside what its path, its permission and its guards say. */
export interface RouteDocument {
  /** What it does, as an order: "Import a human user". */
  readonly summary: string;
  /** Rules that no schema can say. CommonMark. */
  readonly description?: string;
  /** What reads the JSON body; without it the body is empty or `{}`. */
  readonly body?: { readonly schema: z.ZodType };
  /** Whether there must be a body, where that is not seen in it: an empty object may be wanted, a file left out. */
  readonly bodyRequired?: boolean;
  /** What reads the query. */
  readonly query?: { readonly schema: z.ZodType };
  /** Bodies that are taken as they arrive, instead of `body`. */
  readonly upload?: Media;
  /** Answers that are sent as they are made, instead of `answer`'s. */
  readonly download?: Media;
  /** Streams that whoever names their media type in `Accept` gets instead of `answer`. */
  readonly stream?: Media;
  /** Statuses of a success where they are not 200 alone. */
  readonly statuses?: readonly (200 | 202)[];
  /** The body of a success. Strict objects: a field that is not in it is an error of ours. */
  readonly answer: z.ZodType;
}

/** What tests hold answers to until every route has its schemas on its parameters and its answer. */
export const DOCUMENT = 'route-document';

/** On every handler under `/management/v1`, `/admin/v1` and `/auth/v1`. */
export function Documented(document: RouteDocument): MethodDecorator {
  const { summary, description, body, query, upload, download, stream, answer } = document;
  return applyDecorators(
    SetMetadata(DOCUMENT, document),
    ApiOperation({ summary, ...(description !== undefined && { description }) }),
    ...queryParameters(query?.schema).map((parameter) => ApiQuery(parameter)),
    ...(body === undefined
      ? []
      : [
          ApiBody({
            schema: jsonSchema(body.schema, 'input') as SchemaObject,
            required: document.bodyRequired ?? !body.schema.safeParse({}).success,
          }),
        ]),
    ...(upload === undefined ? [] : uploads(upload, document.bodyRequired ?? true)),
    ...(document.statuses ?? [200]).map((status) =>
      ApiResponse({ status, description: SUCCESS[status], ...successOf(answer, stream, download) }),
    ),
  );
}

const SUCCESS = { 200: 'Done.', 202: 'Begun; `Location` tells where to ask for it.' } as const;

function uploads(upload: Media, required: boolean): readonly MethodDecorator[] {
  // generators would write what is a plain string as JSON text
  const contents = media(upload, 'input', { type: 'string', format: 'binary' });
  return Object.entries(contents).flatMap(([type, { schema }]) => [
    ApiConsumes(type),
    ApiBody({ schema: schema as SchemaObject, required }),
  ]);
}

function queryParameters(schema: z.ZodType | undefined): readonly ApiQueryOptions[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input');
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: property as SchemaObject,
  }));
}
