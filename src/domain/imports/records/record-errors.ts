import { ApiError } from '../../shared/errors.js';

/** What is wrong with one field of a record, so that a list of a million outcomes can be sorted by it. */
export class FieldError extends ApiError {
  /** @param path as in the record: `profile.firstName` */
  constructor(
    readonly path: string,
    text: string,
    id?: string,
  ) {
    super('invalid-argument', text, id);
  }
}

/** Gives an error of `read` that does not say so the field it is about. */
export function inField<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError && !(error instanceof FieldError)) {
      throw new FieldError(path, error.text, error.id);
    }
    throw error;
  }
}

/** Errors of one passkey say which one it is. */
export function within<Value>(place: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const path = error instanceof FieldError ? `${place}.${error.path}` : place;
    throw new FieldError(path, `${place}: ${error.text}`, error.id);
  }
}

/**
 * Errors of single fields of the import record in the wording that existing clients of this call know
 * (protocol §1.4): the rule under the message and field that broke it, and no error id.
 */

/** `path` is `userName` or `profile.firstName`; `rule` such as `value is required`. */
export function brokenRule(path: string, rule: string): ApiError {
  const [outer = '', inner] = path.split('.').map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  const text =
    inner === undefined
      ? `invalid ImportHumanUserRequest.${outer}: ${rule}`
      : `invalid ImportHumanUserRequest.${outer}: embedded message failed validation | caused by: ` +
        `invalid ImportHumanUserRequest_${outer}.${inner}: ${rule}`;
  return new FieldError(path, text);
}

/** `longest` in characters; the message speaks of runes, which are Unicode code points. */
export function brokenLength(path: string, longest: number): ApiError {
  return brokenRule(path, `value length must be between 1 and ${longest} runes, inclusive`);
}
