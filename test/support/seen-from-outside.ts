import type { LightMyRequestResponse } from 'fastify';

/** Status, headers and body without what is random, typed or the time. */
export function seenFromOutside(response: LightMyRequestResponse, typed: string): string {
  const { date: _date, ...headers } = response.headers;
  const nonce = /'nonce-([^']+)'/.exec(JSON.stringify(headers))?.[1] ?? '';
  return JSON.stringify({ status: response.statusCode, headers, body: response.body })
    .replaceAll(nonce, '')
    .replaceAll(typed, '')
    .replaceAll(/(csrf|flow)\\" value=\\"[^"]*\\"/g, '')
    .replaceAll(/flow=[A-Za-z0-9_-]{22}/g, '');
}
