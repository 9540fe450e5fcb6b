import { ApiError } from '../shared/errors.js';

/** A project that no organization, or only another one, owns: both look the same. */
export function projectNotFound(): ApiError {
  return new ApiError('not-found', 'Project could not be found', 'COMMAND-EbFMN');
}

/** A grant that is not there, or whose project or granted organization is another: all look the same. */
export function projectGrantNotFound(): ApiError {
  return new ApiError('not-found', 'Project grant could not be found', 'COMMAND-D8JxR');
}
