import type { Answer } from '../support/https-client.js';
import { entropyFaults } from './entropy.js';
import { asText, isText, parseObject, type Json } from './json.js';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** A successful answer of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export function tokenAnswerFaults(answer: Answer): string[] {
  const body = parseObject(answer.body);
  if (answer.status !== 200 || body === undefined) return [`token endpoint: ${answer.status} ${answer.body}`];
  const faults: string[] = [];
  if ('error' in body) faults.push(`error ${String(body['error'])}`);
  for (const name of ['access_token', 'token_type', 'id_token']) {
    if (!isText(body[name])) faults.push(`${name} is missing`);
  }
  return [...faults, ...expiresInFaults(body)].map((fault) => `token endpoint: ${fault}`);
}

function expiresInFaults(body: Json): string[] {
  if (!('expires_in' in body)) return [];
  const seconds = body['expires_in'];
  const good = typeof seconds === 'number' && seconds >= 1 && seconds <= 31_536_000;
  return good ? [] : [`expires_in is ${JSON.stringify(seconds)}`];
}

/** The refresh grant is held to more: headers, characters, entropy (the suite's RefreshTokenRequestSteps). */
export function refreshAnswerFaults(answer: Answer): string[] {
  const body = parseObject(answer.body);
  if (answer.status !== 200 || body === undefined) return [`refresh: ${answer.status} ${answer.body}`];
  const faults = [...jsonFaults(answer), ...expiresInFaults(body)];
  if (!/\bno-store\b/.test(String(answer.headers['cache-control'])))
    faults.push('Cache-Control lacks no-store');
  if ('error' in body) faults.push(`error ${String(body['error'])}`);
  if (String(body['token_type']).toLowerCase() !== 'bearer') faults.push('token_type is not Bearer');
  if (!('expires_in' in body)) faults.push('expires_in is missing');
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  if (!isText(accessToken)) faults.push('access_token is missing');
  else
    faults.push(
      ...entropyFaults('access_token', accessToken),
      ...characterFaults('access_token', accessToken),
    );
  if (refreshToken !== undefined) {
    faults.push(...entropyFaults('refresh_token', asText(refreshToken)));
    faults.push(...characterFaults('refresh_token', asText(refreshToken)));
  }
  return faults.map((fault) => `refresh: ${fault}`);
}

export function characterFaults(what: string, value: string): string[] {
  return PRINTABLE.test(value) ? [] : [`${what} has a character that is not printable ASCII`];
}

function jsonFaults(answer: Answer): string[] {
  const type = String(answer.headers['content-type']);
  return JSON_TYPE.test(type) ? [] : [`Content-Type is ${type}`];
}

/** RFC 6749 §5.2: 400, JSON, and exactly this error. */
export function invalidGrantFaults(answer: Answer): string[] {
  const body = parseObject(answer.body);
  const faults = [...jsonFaults(answer)];
  if (answer.status !== 400) faults.push(`status is ${answer.status}`);
  if (body?.['error'] !== 'invalid_grant') faults.push(`error is ${String(body?.['error'])}`);
  const description = body?.['error_description'];
  if (description !== undefined && !/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(asText(description))) {
    faults.push('error_description has a bad character');
  }
  const uri = body?.['error_uri'];
  if (uri !== undefined && !URL.canParse(asText(uri))) faults.push('error_uri is no URL');
  return faults;
}
