import { refusalOf, stepUpOf } from '../api/client.ts';
import { accessToken, renewedToken } from '../app/session.ts';
import type { Import } from './imports.ts';
import type { Encoding, Format } from './read-file.ts';

export interface UploadOptions {
  readonly mode: 'insert' | 'skip' | 'upsert';
  readonly notify: 'now' | 'deferred' | 'none';
  readonly initialState: 'active' | 'initial' | 'inactive' | 'locked' | '';
  readonly updatePasswords: boolean;
}

export interface Upload {
  readonly orgId: string;
  readonly file: Blob;
  readonly fileName: string;
  readonly format: Format;
  readonly encoding: Encoding | undefined;
  readonly options: UploadOptions;
  readonly dryRun: boolean;
  /** The same for each try at the same file with the same options: it is one import. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Sends a file as it is, and says how much of it is away. @throws Refused, SessionOver */
export async function uploadImport(upload: Upload): Promise<Import> {
  const first = await send(upload, await accessToken());
  // another token of the same session says the same of the sign-in
  const isOver = first.status === 401 && stepUpOf(first) === undefined;
  const answer = isOver ? await send(upload, await renewedToken()) : first;
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) throw refusalOf(answer, body);
  return body as Import;
}

/** By XMLHttpRequest: `fetch` does not tell how much of a body is away. */
async function send(upload: Upload, token: string): Promise<Response> {
  const { orgId, file, fileName, format, encoding, options, dryRun, key, signal, onProgress } = upload;
  const query = new URLSearchParams({
    format,
    fileName: fileName.slice(0, 200),
    mode: options.mode,
    notify: options.notify,
    ...(options.initialState !== '' && { initialState: options.initialState }),
    ...(options.mode === 'upsert' && options.updatePasswords && { updatePasswords: 'true' }),
    ...(dryRun && { dryRun: 'true' }),
  });
  const request = new XMLHttpRequest();
  request.open('POST', `/management/v1/imports?${query.toString()}`);
  request.setRequestHeader('authorization', `Bearer ${token}`);
  request.setRequestHeader('accept', 'application/json');
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.setRequestHeader('x-zitadel-orgid', orgId);
  request.setRequestHeader('idempotency-key', key);
  if (encoding !== undefined) request.setRequestHeader('content-encoding', encoding);
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    if (total > 0) onProgress(loaded / total);
  });
  const stop = (): void => request.abort();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise<Response>((resolve, reject) => {
      request.addEventListener('load', () => resolve(responseOf(request)));
      request.addEventListener('error', () => reject(new TypeError('the connection broke off')));
      request.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
      request.send(file);
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)
    .map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  return new Response(request.responseText, { status: request.status, headers });
}
