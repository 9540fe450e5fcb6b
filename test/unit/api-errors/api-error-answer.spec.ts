import { BadRequestException, InternalServerErrorException, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { HashingOverloaded } from '../../../src/domain/passwords/hashing/hashing-pool.js';
import { ApiError, OAuthError, type ApiErrorKind } from '../../../src/domain/shared/errors.js';
import { apiErrorAnswer } from '../../../src/http/shared/api-errors.js';

const answer = (error: unknown) => apiErrorAnswer(error, 'ref-1');

describe('an error of ours', () => {
  it.each<[ApiErrorKind, number, number]>([
    ['invalid-argument', 400, 3],
    ['not-found', 404, 5],
    ['already-exists', 409, 6],
    ['permission-denied', 403, 7],
    ['resource-exhausted', 429, 8],
    ['failed-precondition', 400, 9],
    ['aborted', 409, 10],
    ['method-not-allowed', 405, 12],
    ['unavailable', 503, 14],
    ['unauthenticated', 401, 16],
    ['unprocessable', 422, 3],
  ])('%s is HTTP %i with code %i', (kind, status, code) => {
    expect(answer(new ApiError(kind, 'Text'))).toMatchObject({ status, body: { code, message: 'Text' } });
  });

  it('repeats an id in its details, and has none without', () => {
    expect(answer(new ApiError('already-exists', 'User already exists', 'V3-DKcYh')).body).toEqual({
      code: 6,
      message: 'User already exists (V3-DKcYh)',
      details: [
        {
          '@type': 'type.googleapis.com/zitadel.v1.ErrorDetail',
          id: 'V3-DKcYh',
          message: 'User already exists',
        },
      ],
    });
    expect(answer(new ApiError('not-found', 'Not Found')).body).not.toHaveProperty('details');
  });

  it('says when to try again, and what is asked for', () => {
    expect(answer(new HashingOverloaded())).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'cache-control': 'no-store' },
      body: { code: 14 },
    });
    expect(answer(new ApiError('unauthenticated', 'auth header missing')).headers).toMatchObject({
      'www-authenticate': 'auth header missing',
    });
  });
});

describe('any other error', () => {
  it.each([
    new Error('relation "users" does not exist'),
    new TypeError('x is not a function'),
    new OAuthError('invalid_grant', 'no'),
    new InternalServerErrorException('secret'),
    Object.assign(new Error('secret'), { statusCode: 500 }),
    'secret',
    undefined,
  ])('is internal, and told by its reference alone: %s', (error) => {
    expect(answer(error)).toMatchObject({
      status: 500,
      body: { code: 13, message: 'internal error (ref ref-1)' },
    });
  });

  it.each([
    [new NotFoundException('Cannot GET /secret'), 404, 5, 'Not Found'],
    [new BadRequestException('secret'), 400, 3, 'Bad Request'],
    [Object.assign(new Error('secret'), { statusCode: 415 }), 415, 3, 'Unsupported Media Type'],
    [Object.assign(new Error('secret'), { statusCode: 400 }), 400, 3, 'Bad Request'],
  ])('that Fastify or Nest found is told by its status alone: %s', (error, status, code, message) => {
    expect(answer(error)).toMatchObject({ status, body: { code, message } });
  });
});
