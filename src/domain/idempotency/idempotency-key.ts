import { ApiError } from '../shared/errors.js';

/** Printable ASCII, 1 to 255 characters. */
const KEY = /^[ -~]{1,255}$/;

/** @throws ApiError invalid-argument for what is no key, or several */
export function requireIdempotencyKey(given: unknown): string {
  if (typeof given === 'string' && KEY.test(given)) return given;
  throw new ApiError('invalid-argument', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
}

export function keyOfAnotherRequest(): ApiError {
  return new ApiError('unprocessable', 'this Idempotency-Key was used for another request');
}

export function requestUnderWay(): ApiError {
  return new ApiError('aborted', 'a request with this Idempotency-Key is under way', undefined, 1);
}
