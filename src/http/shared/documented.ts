import { Reflector } from '@nestjs/core';
import type { z } from 'zod';

/** By media type: what the text or the bytes are, or the schema of the JSON. */
export type Media = Readonly<Record<string, string | z.ZodType>>;

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

/** On every handler under `/management/v1`, `/admin/v1` and `/auth/v1`; the document cannot be made without it. */
export const Documented = Reflector.createDecorator<RouteDocument>();
