import { z } from 'zod';
import { servedAcrValues } from '../../sessions/acr.js';
import { OAuthError } from '../../shared/errors.js';
import { DuplicateMember, parseJson } from '../../shared/unique-members.js';
import { USER_CLAIMS } from '../../shared/user-claim-names.js';
import { scopeOfClaim } from '../../tokens/claims/user-claims.js';
import type { Check, Finding } from './check.js';

const MAX_LENGTH = 8192;
const MAX_CLAIMS = 100;
// every sub there can be, an id or a pairwise name; whatever else a request names is nobody
const SUBJECT = /^[!-~]{1,255}$/;

// members that are not understood are ignored (OpenID Connect Core §5.5.1)
const claimRequest = z
  .looseObject({
    essential: z.boolean().optional(),
    value: z.unknown().optional(),
    values: z.array(z.unknown()).optional(),
  })
  .nullable();
const claimRequests = z
  .record(z.string(), claimRequest)
  .refine((requests) => Object.keys(requests).length <= MAX_CLAIMS);
const claimsParameter = z.looseObject({
  userinfo: claimRequests.optional(),
  id_token: claimRequests.optional(),
});

type ClaimRequests = z.output<typeof claimRequests>;

/**
 * The `claims` parameter (OpenID Connect Core §5.5). Claims that are unknown, or that the user does not have, are left
 * out without an error, essential or not. Two are conditions: `sub` names the one user who may answer, and an
 * essential `acr` the only sign-ins that count (§5.5.1.1).
 */
export const readClaims: Check = ({ parameters, application, found }) => {
  const text = parameters.get('claims');
  if (text === undefined) return {};
  const { userinfo = {}, id_token: idToken = {} } = parse(text);
  const hintedUserId = namedUser(idToken);
  // of an application that registered itself its users see the scopes, and these are the most that it is given
  const isShown = (name: string): boolean =>
    (application.allowedScopes ?? null) === null || (found.scopes ?? []).includes(scopeOfClaim(name));
  const claims = {
    userinfo: userClaims(userinfo).filter(isShown),
    idToken: userClaims(idToken).filter(isShown),
  };
  const isEmpty = claims.userinfo.length === 0 && claims.idToken.length === 0;
  return {
    ...(isEmpty ? {} : { claims }),
    ...(hintedUserId === undefined ? {} : { hintedUserId }),
    ...askedAcr(idToken, found.acrValues ?? []),
  };
};

function parse(text: string): z.output<typeof claimsParameter> {
  if (text.length > MAX_LENGTH) {
    throw new OAuthError('invalid_request', `claims is longer than ${MAX_LENGTH} characters`);
  }
  const parsed = claimsParameter.safeParse(json(text));
  if (!parsed.success) throw new OAuthError('invalid_request', 'claims is malformed');
  return parsed.data;
}

function json(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof DuplicateMember)
      throw new OAuthError('invalid_request', `claims: ${error.path} is given twice`);
    if (error instanceof SyntaxError) throw new OAuthError('invalid_request', 'claims is not JSON');
    throw error;
  }
}

function userClaims(requests: ClaimRequests): readonly string[] {
  return USER_CLAIMS.filter((name) => Object.hasOwn(requests, name));
}

/** The values that a request for one claim would accept, or undefined when any will do. */
function acceptedValues(request: ClaimRequests[string] | undefined): readonly unknown[] | undefined {
  if (request?.values !== undefined) return request.values;
  return request?.value === undefined ? undefined : [request.value];
}

/** @param wished by `acr_values`: with a demand it counts no more, and it comes before a voluntary claim */
function askedAcr(
  idToken: ClaimRequests,
  wished: readonly string[],
): Pick<Finding, 'acrValues' | 'acrEssential'> {
  const request = idToken['acr'];
  const accepted = acceptedValues(request);
  if (accepted === undefined) return {};
  if (request?.essential !== true) return { acrValues: servedAcrValues([...wished, ...accepted]) };
  const acrValues = servedAcrValues(accepted);
  if (acrValues.length > 0) return { acrValues, acrEssential: true };
  throw new OAuthError('unmet_authentication_requirements', 'this service does not support the required acr');
}

/** A request that named several users would be half heeded, which is worse than refused. */
function namedUser(idToken: ClaimRequests): string | undefined {
  const accepted = acceptedValues(idToken['sub']);
  if (accepted === undefined) return undefined;
  const [userId] = accepted;
  if (accepted.length !== 1 || typeof userId !== 'string' || !SUBJECT.test(userId)) {
    throw new OAuthError('invalid_request', 'claims: sub must name one user by id');
  }
  return userId;
}
