import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { answerOf, redirected, type Answer } from '../../../support/browser-flow.js';

/** What no answer may ever hold: stacks, statements, paths, versions. */
const INSIDES =
  /node_modules|\.[jt]s:\d+|\bat [A-Z]\w+\.|\bSELECT\b|\bINSERT\b|relation "|column "|postgres|\bpg_[a-z]{3,}|fastify/i;

export const REFERENCE = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
/** RFC 6749 §5.2: ASCII without quote and backslash; the conformance suite wants no line breaks either. */
const DESCRIPTION = /^[ !#-[\]-~]+$/;

/**
 * A token, or a part of one: long, of base64url alone, with capitals, small letters and digits. It may hold any letters by chance,
 * `pg_…` too; long names of code and of the database lack one of the three.
 */
const RANDOM = /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{22,}/g;

export function expectNoInsides({ body }: Pick<LightMyRequestResponse, 'body'>): void {
  expect(body.replaceAll(RANDOM, '…')).not.toMatch(INSIDES);
}

/** An error of a token-level endpoint: JSON with two members, kept by no cache. Returns its description. */
export function expectOAuthError(response: LightMyRequestResponse, status: number, error: string): string {
  const body = response.json<Record<string, string>>();
  expect({ status: response.statusCode, ...body }).toEqual({
    status,
    error,
    error_description: expect.stringMatching(DESCRIPTION) as string,
  });
  expect(response.headers['content-type']).toMatch(/^application\/json/);
  expect(response.headers['cache-control']).toBe('no-store');
  expectNoInsides(response);
  return body['error_description'] ?? '';
}

/** An error that the person at the browser is shown: our own page, no redirect, no cookie. */
export function expectErrorPage(response: LightMyRequestResponse, status: number, text?: string): void {
  expect(response.statusCode).toBe(status);
  expect(response.headers.location).toBeUndefined();
  expect(response.headers['set-cookie']).toBeUndefined();
  expectPageHeaders(response);
  // names of parameters are marked as code
  if (text !== undefined) expect(response.body.replaceAll(/<\/?code>/g, '')).toContain(text);
  expectNoInsides(response);
}

/** An error that travels to the application. Returns its description. */
export function expectRedirectedError(
  response: LightMyRequestResponse,
  error: string,
  { to = 'https://rp.test/cb?', state = 'Marker-state' }: { to?: string; state?: string | null } = {},
): string {
  expect([302, 303]).toContain(response.statusCode);
  expect(response.headers.location).toMatch(new RegExp(`^${to.replace(/[.?]/g, '\\$&')}`));
  const parameters = redirected(response);
  expect(parameters.get('error')).toBe(error);
  const names = ['error', 'error_description', ...(state === null ? [] : ['state']), 'iss'];
  expect([...parameters.keys()]).toEqual(names);
  expect(parameters.get('state')).toBe(state);
  expect(parameters.get('iss')).toBe('https://id.test');
  expect(parameters.get('error_description')).toMatch(DESCRIPTION);
  expect(response.headers['cache-control']).toBe('no-store');
  return parameters.get('error_description') ?? '';
}

/** The same by any response mode. Returns its description. */
export function expectAnsweredError(
  response: LightMyRequestResponse,
  error: string,
  { by, state = 'Marker-state', to }: { by: Answer['by']; state?: string | null; to?: string },
): string {
  const answer = answerOf(response, to);
  const { error_description: description, ...rest } = Object.fromEntries(answer.parameters);
  expect({ by: answer.by, ...rest }).toEqual({
    by,
    error,
    iss: 'https://id.test',
    ...(state === null ? {} : { state }),
  });
  expect(description).toMatch(DESCRIPTION);
  expect(response.headers['cache-control']).toBe('no-store');
  if (by === 'form_post') expectPageHeaders(response);
  return description ?? '';
}

/** Security S010, S011: what every page says about itself. */
export function expectPageHeaders(response: LightMyRequestResponse): void {
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(response.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': expect.stringContaining('max-age=') as string,
  });
  const policy = String(response.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("base-uri 'none'");
  expect(policy).toMatch(/form-action 'self'/);
  expect(policy).not.toContain('unsafe-inline');
  expect(policy).not.toContain('*');
}

export function parametersOf(url: string | undefined): Record<string, string> {
  return Object.fromEntries(new URL(url ?? '', 'https://id.test').searchParams);
}
