import { HYBRID_RESPONSE_TYPES, RESPONSE_TYPES, type ResponseType } from '../../applications/oidc-config.js';
import { JWT_RESPONSE_MODES, RESPONSE_MODES, type ResponseMode } from '../auth-request.js';

/** As requests write it: `jwt` is the response type's default mode, as a JWT (JARM §2.3.4). */
export type AskedResponseMode = ResponseMode | 'jwt';

/** Served response types and response modes. Discovery lists exactly these. */
export abstract class ServedResponses {
  abstract readonly types: readonly ResponseType[];
  abstract readonly modes: readonly AskedResponseMode[];
}

/** @param options what an instance decides to serve beside what all do */
export function servedResponses(options: {
  readonly hybrid: boolean;
  readonly jwtModes: boolean;
}): ServedResponses {
  return {
    types: [...RESPONSE_TYPES, ...(options.hybrid ? HYBRID_RESPONSE_TYPES : [])],
    modes: [...RESPONSE_MODES, ...(options.jwtModes ? (['jwt', ...JWT_RESPONSE_MODES] as const) : [])],
  };
}

/** What every instance serves. */
export const SERVED_BY_ALL = servedResponses({ hybrid: false, jwtModes: false });
