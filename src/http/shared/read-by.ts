import { z } from 'zod';
import { jsonSchema } from './schemas/json-schema.js';

/**
 * A body that a reader of its own checks, because records of bulk files are read by it as well; `documented` is what the
 * document shows of it, and a test sends what that forbids.
 */
export function readBy<Value>(read: (body: unknown) => Value, documented: z.ZodType) {
  return z
    .unknown()
    .meta({ ...jsonSchema(documented, 'input') })
    .transform((body) => read(body));
}
