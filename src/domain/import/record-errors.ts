import { ApiError } from '../shared/errors.js';

/**
 * Errors of single fields of the import record in the wording that existing clients of this call know
 * (contract §1.4): the rule under the message and field that broke it, and no error id.
 */

/** `path` is `userName` or `profile.firstName`; `rule` such as `value is required`. */
export function brokenRule(path: string, rule: string): ApiError {
  const [outer = '', inner] = path.split('.').map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  const text =
    inner === undefined
      ? `invalid ImportHumanUserRequest.${outer}: ${rule}`
      : `invalid ImportHumanUserRequest.${outer}: embedded message failed validation | caused by: ` +
        `invalid ImportHumanUserRequest_${outer}.${inner}: ${rule}`;
  return new ApiError('invalid-argument', text);
}

/** `longest` in characters; the message speaks of runes, which are Unicode code points. */
export function brokenLength(path: string, longest: number): ApiError {
  return brokenRule(path, `value length must be between 1 and ${longest} runes, inclusive`);
}

/** For fields that may be empty. */
export function tooLong(path: string, longest: number): ApiError {
  return brokenRule(path, `value length must be at most ${longest} runes`);
}
