import { ApiError } from '../shared/errors.js';

/** A project that no organization, or only another one, owns: both look the same. */
export function projectNotFound(): ApiError {
  return new ApiError('not-found', 'Project could not be found', 'COMMAND-EbFMN');
}
