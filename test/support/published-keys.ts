import {
  createLocalJWKSet,
  jwtVerify,
  type JSONWebKeySet,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import type { TestApi } from './api.js';

/** Verifies a JWT of the service as whoever gets it does, by the published keys alone: what `jwtVerify` of jose says. */
export async function verifyJwt(
  { app }: TestApi,
  jwt: string,
  expected: JWTVerifyOptions = {},
): Promise<JWTVerifyResult> {
  const keys = (await app.inject('/oauth/v2/keys')).json<JSONWebKeySet>();
  return await jwtVerify(jwt, createLocalJWKSet(keys), { issuer: 'https://id.test', ...expected });
}
