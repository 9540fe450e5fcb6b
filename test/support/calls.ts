import type { LightMyRequestResponse } from 'fastify';
import type { TestApi } from './api.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface CallOptions {
  readonly pat?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON call to the API; a body that is a string is sent as it is. */
export async function call(
  api: TestApi,
  method: Method,
  path: string,
  { pat, body, headers = {} }: CallOptions = {},
): Promise<LightMyRequestResponse> {
  return await api.app.inject({
    method,
    url: path.startsWith('/') ? path : `/management/v1/${path}`,
    headers: {
      ...(pat === undefined ? {} : { authorization: `Bearer ${pat}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** What a browser's form or a client of the token endpoint sends; a string is sent as it is. */
export async function postForm(
  { app }: Pick<TestApi, 'app'>,
  url: string,
  form: Record<string, string> | URLSearchParams | string,
  headers: Readonly<Record<string, string>> = {},
  remoteAddress = '127.0.0.1',
): Promise<LightMyRequestResponse> {
  return await app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
}

/** Body of an API error with an id (protocol §0.2). */
export function errorBody(code: number, text: string, id?: string): object {
  if (id === undefined) return { code, message: text };
  return {
    code,
    message: `${text} (${id})`,
    details: [{ '@type': 'type.googleapis.com/zitadel.v1.ErrorDetail', id, message: text }],
  };
}
