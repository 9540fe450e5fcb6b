import { ApiError } from '../../shared/errors.js';

export function deliveryNotFound(): ApiError {
  return new ApiError('not-found', 'Notification could not be found', 'QUERY-nT4d7');
}

/**
 * An address or number of which whoever knows it recognizes the rest: `a***@e***.org`, `+49***78`.
 */
export function maskTarget(target: string): string {
  const at = target.lastIndexOf('@');
  if (at < 0) return `${target.slice(0, 3)}***${target.slice(-2)}`;
  const domain = target.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  return `${target.slice(0, 1)}***@${domain.slice(0, 1)}***${dot < 0 ? '' : domain.slice(dot)}`;
}
