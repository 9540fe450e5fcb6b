import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ScimToken } from '../../domain/scim/scim-tokens.store.js';
import { addressGroup } from '../../domain/shared/address-group.js';
import { ApiError } from '../../domain/shared/errors.js';
import { ScimError } from '../shared/scim-errors.js';
import { readJsonBody } from '../shared/server/json-body.js';

/** A request of a directory, whichever way it came: by itself, or as a part of a bulk request. */
export interface ScimCall {
  readonly token: ScimToken;
  /** Where it came from. */
  readonly source: string;
  readonly query: unknown;
  readonly body: unknown;
  /** The versions that it may be made of; undefined for any. */
  readonly ifMatch: readonly string[] | undefined;
  readonly ifNoneMatch: readonly string[] | undefined;
}

export interface ScimAnswer {
  readonly status: number;
  readonly body?: object;
  readonly location?: string;
  readonly etag?: string;
}

const tokens = new WeakMap<FastifyRequest, ScimToken>();

export function rememberToken(request: FastifyRequest, token: ScimToken): void {
  tokens.set(request, token);
}

/** Parameter decorator. It runs after the guard, so the body is looked at last. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext): ScimCall => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const token = tokens.get(request);
  if (token === undefined) throw new Error('this route has no SCIM guard');
  return {
    token,
    source: addressGroup(request.ip),
    query: request.query,
    body: bodyOf(request),
    ifMatch: tagsOf(request.headers['if-match']),
    ifNoneMatch: tagsOf(request.headers['if-none-match']),
  };
});

function bodyOf(request: FastifyRequest): unknown {
  try {
    return readJsonBody(request);
  } catch (error) {
    throw error instanceof ApiError ? new ScimError('invalidSyntax', error.text) : error;
  }
}

/** RFC 7644 §3.14: weak or strong, since ours compare by what they name. What is no tag matches nothing. */
export function tagsOf(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(([, version = '']) => version);
}
