import { z } from 'zod';
import { jsonSchema } from './schemas/json-schema.js';

/**
 * A body that a reader of its own checks, because records of bulk files are read by it as well. The OpenAPI document
 * shows the schema `documented`; a test sends bodies that it forbids, which the reader must refuse.
 */
export function bodyOfReader<Value>(read: (body: unknown) => Value, documented: z.ZodType) {
  return z
    .unknown()
    .meta({ ...jsonSchema(documented, 'input') })
    .transform((body) => read(body));
}
