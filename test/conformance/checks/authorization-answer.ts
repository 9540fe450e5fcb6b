import type { Call } from '../support/suite-server.js';

export type Place = 'query' | 'fragment' | 'form_post';

/** One answer of the authorization endpoint, as it reached the application. */
export interface Arrival {
  readonly call: Call;
  /** What stood behind `#`, which only the browser sees. */
  readonly fragment: URLSearchParams;
}

/** Where the suite looks for the answer (OAuth 2.0 Multiple Response Types §3, Form Post Response Mode §2). */
export function placeOf(responseType: string, formPost: boolean): Place {
  if (formPost) return 'form_post';
  return responseType === 'code' ? 'query' : 'fragment';
}

export function placeFaults(arrival: Arrival, place: Place): string[] {
  const { call } = arrival;
  const faults: string[] = [];
  const method = place === 'form_post' ? 'POST' : 'GET';
  if (call.method !== method) faults.push(`the redirect URI was called by ${call.method}`);
  if (place === 'form_post' && call.headers['content-type'] !== 'application/x-www-form-urlencoded') {
    faults.push(`the answer was posted as ${String(call.headers['content-type'])}`);
  }
  if (place === 'form_post' && [...call.query.keys()].length > 0)
    faults.push('the posted answer has a query');
  if (place !== 'query') {
    for (const name of ['code', 'error'])
      if (call.query.has(name)) faults.push(`${name} stands in the query`);
  }
  if (place !== 'fragment' && [...arrival.fragment.keys()].length > 0)
    faults.push('the answer has a fragment');
  const parameters = parametersOf(arrival, place);
  for (const name of new Set(parameters.keys())) {
    if (parameters.getAll(name).length > 1) faults.push(`${name} came twice`);
  }
  return faults;
}

export function parametersOf({ call, fragment }: Arrival, place: Place): URLSearchParams {
  switch (place) {
    case 'query':
      return call.query;
    case 'fragment':
      return fragment;
    case 'form_post':
      return new URLSearchParams(call.body);
  }
}

export interface ExpectedAnswer {
  readonly issuer: string;
  readonly state: string | undefined;
  readonly responseType: string;
}

export function successFaults(parameters: URLSearchParams, expected: ExpectedAnswer): string[] {
  const faults = [...issuerFaults(parameters, expected.issuer)];
  if (parameters.has('error'))
    faults.push(`error ${parameters.get('error')}: ${parameters.get('error_description')}`);
  if (parameters.get('state') !== (expected.state ?? null)) faults.push('state is not that of the request');
  const parts = expected.responseType.split(' ');
  if (parts.includes('code') && !has(parameters, 'code')) faults.push('code is missing');
  if (parts.includes('id_token') && !has(parameters, 'id_token')) faults.push('id_token is missing');
  if (parts.includes('token')) {
    if (!has(parameters, 'access_token')) faults.push('access_token is missing');
    if (parameters.get('token_type')?.toLowerCase() !== 'bearer') faults.push('token_type is not Bearer');
    faults.push(...expiresInFaults(parameters));
  } else if (parameters.has('access_token')) faults.push('access_token came without being asked for');
  return faults;
}

/** As in a token response, only that everything in a fragment is text. */
function expiresInFaults(parameters: URLSearchParams): string[] {
  const seconds = parameters.get('expires_in');
  if (seconds === null) return [];
  return /^[1-9]\d{0,7}$/.test(seconds) && Number(seconds) <= 31_536_000 ? [] : [`expires_in is ${seconds}`];
}

const ERROR_PARAMETERS = new Set([
  'error',
  'error_description',
  'error_uri',
  'state',
  'session_state',
  'iss',
]);
/** RFC 6749 §4.1.2.1 without the line breaks and tabs that the suite warns of. */
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

export interface ExpectedError {
  readonly issuer: string;
  readonly state: string | undefined;
  readonly oneOf: readonly string[];
}

export function errorFaults(parameters: URLSearchParams, expected: ExpectedError): string[] {
  const faults = [...issuerFaults(parameters, expected.issuer)];
  const error = parameters.get('error');
  if (error === null || !expected.oneOf.includes(error)) faults.push(`error is ${String(error)}`);
  if (parameters.get('state') !== (expected.state ?? null)) faults.push('state is not that of the request');
  if (parameters.has('code')) faults.push('code came with an error');
  for (const name of parameters.keys()) if (!ERROR_PARAMETERS.has(name)) faults.push(`${name} is unexpected`);
  const description = parameters.get('error_description');
  if (description !== null && !DESCRIPTION.test(description))
    faults.push('error_description has a bad character');
  const uri = parameters.get('error_uri');
  if (uri !== null && !URL.canParse(uri)) faults.push('error_uri is no URL');
  return faults;
}

function issuerFaults(parameters: URLSearchParams, issuer: string): string[] {
  const iss = parameters.get('iss');
  return iss === null || iss === issuer ? [] : [`iss is ${iss}`];
}

function has(parameters: URLSearchParams, name: string): boolean {
  return (parameters.get(name) ?? '') !== '';
}
