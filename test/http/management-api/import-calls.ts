import type { Readable } from 'node:stream';
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import type { ImportAnswer } from '../../../src/http/management-api/import.schemas.js';
import type { TestApi } from '../../support/api.js';
import { call } from '../../support/calls.js';
import type { ServiceUser } from '../../support/service-users.js';

interface Upload {
  readonly query?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly pat?: string;
}

export const ndjson = (...records: unknown[]): string =>
  records.map((one) => `${JSON.stringify(one)}\n`).join('');

export interface ImportCalls {
  readonly upload: (body: string | Buffer | Readable, changes?: Upload) => Promise<LightMyRequestResponse>;
  /** One that must be accepted. */
  readonly uploaded: (body: string | Buffer | Readable, changes?: Upload) => Promise<ImportAnswer>;
  readonly find: (id: string, pat?: string) => Promise<ImportAnswer>;
}

/** Calls about imports, by one service user unless told otherwise. Both are there once the tests run. */
export function importCalls(
  given: () => { readonly api: TestApi; readonly owner: ServiceUser },
): ImportCalls {
  async function upload(
    body: string | Buffer | Readable,
    changes: Upload = {},
  ): Promise<LightMyRequestResponse> {
    const { api, owner } = given();
    const {
      query = '',
      type = 'application/x-ndjson',
      headers = {},
      path = 'imports',
      pat = owner.pat,
    } = changes;
    return await api.app.inject({
      method: 'POST',
      url: `/management/v1/${path}${query}`,
      headers: { authorization: `Bearer ${pat}`, 'content-type': type, ...headers },
      payload: body,
    });
  }

  async function uploaded(body: string | Buffer | Readable, changes: Upload = {}): Promise<ImportAnswer> {
    const response = await upload(body, changes);
    expect([response.statusCode, response.body]).toEqual([202, expect.anything()]);
    const job = response.json<ImportAnswer>();
    expect(response.headers.location).toBe(`/management/v1/imports/${job.id}`);
    return job;
  }

  async function find(id: string, pat = given().owner.pat): Promise<ImportAnswer> {
    return (await call(given().api, 'GET', `imports/${id}`, { pat })).json<ImportAnswer>();
  }

  return { upload, uploaded, find };
}
