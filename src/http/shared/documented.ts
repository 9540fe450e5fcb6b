import { Reflector } from '@nestjs/core';
import type { z } from 'zod';

/** What the OpenAPI document says of a route, beside what its path, its permission and its guards say. */
export interface RouteDocument {
  /** What it does, as an order: "Import a human user". */
  readonly summary: string;
  /** Rules that no schema can say. CommonMark. */
  readonly description?: string;
  /** What reads the JSON body; without it the body is empty or `{}`. */
  readonly body?: { readonly schema: z.ZodType };
  /** What reads the query. */
  readonly query?: { readonly schema: z.ZodType };
  /** Bodies that are taken as they arrive, by media type, instead of `body`. */
  readonly upload?: Readonly<Record<string, string>>;
  /** Answers that are no JSON, by media type, instead of `answer`'s. */
  readonly download?: Readonly<Record<string, string>>;
  /** Streams that whoever names their media type in `Accept` gets instead of `answer`. */
  readonly stream?: Readonly<Record<string, string>>;
  /** Statuses of a success where they are not 200 alone. */
  readonly statuses?: readonly (200 | 202)[];
  /** The body of a success. Strict objects: a field that is not in it is an error of ours. */
  readonly answer: z.ZodType;
}

/** On every handler under `/management/v1`, `/admin/v1` and `/auth/v1`; the document cannot be made without it. */
export const Documented = Reflector.createDecorator<RouteDocument>();
