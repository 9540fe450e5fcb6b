import { z } from 'zod';

/** JSON Schema 2020-12. Only what readers of it need is typed. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly maxItems?: number;
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

/** What a body may be (`input`), or what an answer is (`output`). */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: written, path }) => {
      // ours are of what travels; zod takes them for what a body has become, and leaves them out of one that becomes another
      const examples = z.globalRegistry.get(zodSchema)?.['examples'];
      if (examples !== undefined) written.examples = examples as unknown[];
      forGenerators(written, io);
      // In Go the default of an object with fields would be `{}`, which does not compile; the fields have their own. That of a body
      // says that it may be left out.
      if (written.properties !== undefined && path.length > 0) delete written.default;
    },
  });
  return rest as JsonSchema;
}

/** JSON Schema says the same in several ways, of which the generators of clients understand one. */
function forGenerators(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  if (schema.const !== undefined) {
    if (schema.type !== 'boolean') schema.enum = [schema.const];
    delete schema.const;
  }
  // it is about this program's types, not about what a client may send
  delete schema.readOnly;
  // an enum of ours takes numbers as well, and an answer may have a member that this version does not know yet
  if (io === 'output' && schema.enum !== undefined && schema.type === undefined) {
    schema.type = 'string';
    delete schema.enum;
  }
  // the format says it, and generators check the pattern against what they have made of the text
  if (schema.format !== undefined) delete schema.pattern;
  // Any statement of `additionalProperties` beside named ones makes a map of a Java class, which then sends none of its
  // fields. A field that a later version answers must not break a client of this one.
  if (schema.properties !== undefined) {
    if (io === 'input' && schema.additionalProperties === false) schema.unevaluatedProperties = false;
    delete schema.additionalProperties;
  }
}
