import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, Operation } from '../../src/http/openapi/document.js';
import type { JsonSchema } from '../../src/http/shared/schemas/json-schema.js';

/** A call as the OpenAPI document alone describes it. */
export interface DocumentedCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its placeholders: `/management/v1/users/{id}`. */
  readonly path: string;
  readonly operation: Operation;
}

export function documentedCalls({ paths }: OpenApiDocument): readonly DocumentedCall[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase() as DocumentedCall['method'],
      path,
      operation,
    })),
  );
}

/** The JSON body that a call takes; undefined where it takes none, or a file. */
export function bodySchema({ requestBody }: Operation): JsonSchema | undefined {
  return requestBody?.content['application/json']?.schema;
}

/** Holds bodies and answers to what the document says of them: JSON Schema 2020-12. */
export class DocumentSchemas {
  private static shared: DocumentSchemas | undefined;
  // to optimize the code of a schema takes longer than its few uses
  private readonly ajv = new Ajv2020({ strict: false, logger: false, code: { optimize: false } });
  private readonly compiled = new Map<string, ValidateFunction>();

  private constructor(private readonly document: OpenApiDocument) {
    formats.default(this.ajv);
  }

  /** Those of all files of a process: no setting changes what the document says of bodies and answers. */
  static of(document: OpenApiDocument): DocumentSchemas {
    return (this.shared ??= new DocumentSchemas(document));
  }

  /** What is wrong with an answer; a field that is not documented is. Undefined when it is as described. */
  faultOfAnswer({ operation }: DocumentedCall, status: number, answer: unknown): string | undefined {
    const described = this.resolve(operation.responses[String(status)]) as
      { readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>> } | undefined;
    if (described === undefined) return `${status} is not documented`;
    const schema = described.content?.['application/json']?.schema;
    if (schema === undefined) return `${status} is not documented as JSON`;
    return this.faultOf(
      `${operation.operationId} ${status}`,
      () => closed(this.resolve(schema) as JsonSchema),
      answer,
    );
  }

  /** What is wrong with a body that was accepted. */
  faultOfBody({ operation }: DocumentedCall, body: unknown): string | undefined {
    const schema = bodySchema(operation);
    if (body === undefined)
      return operation.requestBody?.required === true ? 'the body is required' : undefined;
    if (schema === undefined) return isEmpty(body) ? undefined : 'no body is documented';
    return this.faultOf(`${operation.operationId} body`, () => withNumbers(schema), body);
  }

  /** What is wrong with what stands in a path or a query. */
  faultOfParameter({ operation }: DocumentedCall, name: string, value: unknown): string | undefined {
    const described = operation.parameters?.find((one) => one.name === name)?.schema;
    if (described === undefined) return `no parameter ${name} is documented`;
    return this.faultOf(`${operation.operationId} ${name}`, () => described, value);
  }

  private faultOf(name: string, schema: () => JsonSchema, value: unknown): string | undefined {
    let validate = this.compiled.get(name);
    if (validate === undefined) {
      validate = this.ajv.compile(schema());
      this.compiled.set(name, validate);
    }
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors);
  }

  private resolve(node: unknown): unknown {
    const { $ref } = (node ?? {}) as { readonly $ref?: string };
    if ($ref === undefined) return node;
    const steps = $ref.replace(/^#\//, '').split('/');
    return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], this.document);
  }
}

function isEmpty(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0;
}

/** Clients must take fields that they do not know. We answer none that nobody can know of. */
function closed(schema: JsonSchema): JsonSchema {
  return mapped(schema, (node) =>
    node.properties !== undefined && !('additionalProperties' in node)
      ? { ...node, additionalProperties: false }
      : node,
  );
}

/** Enums may be sent by their numbers (protocol §0.1); the document is silent on it. */
function withNumbers(schema: JsonSchema): JsonSchema {
  return mapped(schema, ({ enum: members, ...node }) =>
    members === undefined
      ? node
      : { ...node, anyOf: [{ enum: members }, ...(node.type === undefined ? [{ type: 'integer' }] : [])] },
  );
}

function mapped(schema: JsonSchema, change: (node: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: unknown, key: string): unknown => {
    if (['enum', 'default', 'required', 'examples'].includes(key)) return value;
    if (Array.isArray(value)) return value.map((one) => inner(one, ''));
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'properties' || key === '$defs') {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one, '')]));
    }
    const entries = Object.entries(value).map(([name, one]) => [name, inner(one, name)] as const);
    return change(Object.fromEntries(entries));
  };
  return inner(schema, '') as JsonSchema;
}
