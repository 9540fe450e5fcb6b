import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/http/openapi/document.js';
import { useApi } from '../../support/api.js';
import { documentedCalls, DocumentSchemas, type DocumentedCall } from '../../support/document-schemas.js';
import { parametersOf } from './document-walk.js';

// The examples of the OpenAPI document as whoever copies them finds them. That the service takes them is for
// every-operation.spec.ts to see.

const api = useApi();
let calls: readonly DocumentedCall[];
let schemas: DocumentSchemas;

beforeAll(async () => {
  const document = (await api.app.inject('/openapi.json')).json<OpenApiDocument>();
  calls = documentedCalls(document);
  schemas = DocumentSchemas.of(document);
});

interface Example {
  readonly call: DocumentedCall;
  readonly value: unknown;
}

function examplesOfBodies(): readonly Example[] {
  return calls.flatMap((call) =>
    Object.values(call.operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
      (schema.examples ?? []).map((value) => ({ call, value })),
    ),
  );
}

/** Every text in a value, with the name of the field that holds it. */
function textsOf(value: unknown, name = ''): readonly (readonly [name: string, text: string])[] {
  if (typeof value === 'string') return [[name, value]];
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, one]) => textsOf(one, field));
}

/** A record a line. */
function recordsOf(file: string): readonly unknown[] {
  return file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const SAYS_SO = /exampl|not-a-real/i;

/** One that has to lie ahead is another each day. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Made by chance: long, of letters and digits, and hardly a character twice. */
function looksSecret(text: string): boolean {
  const words = text.split(/[\s"'{}[\],]+/).filter((word) => !SAYS_SO.test(word) && !MOMENT.test(word));
  return words.some(
    (word) => word.length >= 20 && /\d/.test(word) && /[a-z]/i.test(word) && new Set(word).size >= 10,
  );
}

describe('the examples of the OpenAPI document', () => {
  it('are there for every body that has something to say', () => {
    const without = calls.filter(({ operation: { requestBody } }) =>
      Object.values(requestBody?.content ?? {}).some(
        ({ schema }) =>
          (schema.examples ?? []).length === 0 &&
          (schema.type !== 'object' || Object.keys(schema.properties ?? {}).length > 0),
      ),
    );
    expect(without.map(({ operation }) => operation.operationId)).toEqual([]);
    expect(examplesOfBodies().length).toBeGreaterThan(75);
  });

  it('are what their schemas allow', () => {
    const human = calls.find(({ operation }) => operation.operationId === 'Users.importHuman');
    const wrong: string[] = [];
    for (const { call, value } of examplesOfBodies()) {
      const held =
        typeof value === 'string' && human !== undefined
          ? recordsOf(value).map((record) => schemas.faultOfBody(human, record))
          : [schemas.faultOfBody(call, value)];
      for (const fault of held)
        if (fault !== undefined) wrong.push(`${call.operation.operationId}: ${fault}`);
    }
    let parameters = 0;
    for (const call of calls) {
      for (const { name, schema } of [...parametersOf(call, 'path'), ...parametersOf(call, 'query')]) {
        for (const value of schema.examples ?? []) {
          parameters += 1;
          const fault = schemas.faultOfParameter(call, name, value);
          if (fault !== undefined) wrong.push(`${call.operation.operationId} ${name}: ${fault}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(parameters).toBeGreaterThan(3);
  });

  it('hold nothing that looks like a real secret', () => {
    expect(looksSecret('{"token": "9sF3kQ0xLw7Rb2Tn5Vz8Yc1M"}')).toBe(true);
    const found = examplesOfBodies().flatMap(({ call, value }) =>
      textsOf(value)
        .filter(
          ([name, text]) =>
            looksSecret(text) ||
            (/(password|secret|token|signingKey|code)$/i.test(name) && !SAYS_SO.test(text)),
        )
        .map(([name, text]) => `${call.operation.operationId} ${name}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  it('lead to nobody: hosts and addresses are of domains that are kept for examples', () => {
    const found = examplesOfBodies().flatMap(({ call, value }) =>
      textsOf(value)
        .flatMap(([, text]) => [...text.matchAll(/(?:@|\/\/)([a-z0-9.-]*)/gi)].map(([, host = '']) => host))
        .filter((host) => !/(^|\.)example\.(com|org|net)$/.test(host))
        .map((host) => `${call.operation.operationId}: ${host}`),
    );
    expect(found).toEqual([]);
  });
});
